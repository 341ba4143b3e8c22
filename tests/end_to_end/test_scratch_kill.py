"""A process that is killed while it fits leaves nothing of a record behind."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

COUNT = 200_000
FIT = """
import sys, warnings
from relgauss.linear_model import PrivateRidge
from relgauss.records import read_records, table_records
warnings.simplefilter("ignore")
table_records.memory_limit = lambda: 0
file, folder = sys.argv[1:]
while True:
    records = read_records(file, target="y", scratch=folder)
    print("read", flush=True)
    PrivateRidge(random_state=0).fit(records)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("records") / "data.parquet"
    pd.DataFrame(rng.normal(size=(COUNT, 8)), columns=[*"abcdefg", "y"]).to_parquet(path)
    return path


def scratch_bytes(process: subprocess.Popen) -> int:
    """What the process holds in files without a name; 0 while it has none."""
    sizes = []
    for link in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            if link.readlink().name.endswith("(deleted)"):
                sizes.append(link.stat().st_size)
        except OSError:  # closed meanwhile
            continue
    return max(sizes, default=0)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system has no /proc")
@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_a_kill_leaves_no_scratch_file(kills: int, file: Path, tmp_path: Path):
    seed = random.Random(kills)
    seen = 0
    for _ in range(kills):
        command = [sys.executable, "-c", FIT, str(file), str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "read\n"
            time.sleep(seed.uniform(0.0, 0.5))
            until = time.monotonic() + 10  # between two fits there is no such file for a moment
            while not (held := scratch_bytes(process)) and time.monotonic() < until:
                time.sleep(0.001)
            seen += held > 0
            process.send_signal(signal.SIGKILL)
        assert list(tmp_path.iterdir()) == []
    assert seen == kills  # otherwise there was nothing to leave behind
