"""Measurements in processes of their own: each has a peak of memory of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass

GIB = 2**30


@dataclass(frozen=True)
class Measured:
    """What a process measured: seconds of each run, passes of one, and peaks of resident memory.

    ``own_bytes`` leaves out mapped pages of files, of which the system may drop any.
    """

    seconds: list[float]
    passes: int
    peak_bytes: int
    own_bytes: int


def measure(case: str, *arguments: object, threads: int = 1) -> Measured:
    """Run a case in a new process, on so many cores."""
    command = [sys.executable, "-m", "benchmarks.scale.child", case, *map(str, arguments)]
    cores = sorted(os.sched_getaffinity(0))[:threads]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    return Measured(**json.loads(done.stdout))
