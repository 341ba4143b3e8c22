"""Measurements in processes of their own: each has a peak of memory of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

GIB = 2**30


@dataclass(frozen=True)
class Measured:
    """What a process measured: seconds of each run, passes of one, and the peak of resident memory."""

    seconds: list[float]
    passes: int
    peak_bytes: int


def measure(case: str, *arguments: object) -> Measured:
    """Run a case in a new process."""
    command = [sys.executable, "-m", "benchmarks.scale.child", case, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Measured(**json.loads(done.stdout))
