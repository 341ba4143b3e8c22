"""``relgauss federated demo``: real processes, run as a user runs it; and what happens without Flower."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("relgauss")


def processes_with(text: str) -> list[str]:
    """Command lines and environments of all processes that hold this text."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            seen = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in seen and folder.name != str(os.getpid()):
            found.append(seen.decode(errors="replace"))
    return found


def test_without_flower_one_line_says_what_to_install(relgauss, tmp_path):
    (tmp_path / "flwr.py").write_text("raise ImportError")
    done = relgauss("federated", "demo", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'relgauss[federated]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_mistake_is_met_before_anything_is_started(relgauss):
    pytest.importorskip("flwr", reason="needs the extra 'federated'")
    done = relgauss("federated", "demo", "--data", "gone.npz")
    assert done.returncode == 2
    assert "does not exist" in done.stderr


def test_a_short_run_over_real_processes(relgauss):
    """A SuperLink and two SuperNodes: both take part, the error falls, and all are stopped."""
    pytest.importorskip("flwr", reason="needs the extra 'federated'")
    mark = f"relgauss-test-{os.getpid()}."
    done = relgauss("federated", "demo", "--rounds", "1", "--json", RELGAUSS_TEST=mark)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["participation"] == {"node-1": [1], "node-2": [1]}
    assert report["errors"][1] < 0.7 * report["errors"][0]
    assert not report["simulated"]
    assert {facts["rounds"] for facts in report["nodes"].values()} == {1}
    assert all(0 < facts["epsilon"] < 5 for facts in report["nodes"].values())
    assert processes_with(mark) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_demo_that_is_broken_off_leaves_nothing_behind(how):
    pytest.importorskip("flwr", reason="needs the extra 'federated'")
    mark = f"relgauss-test-{os.getpid()}-{how.name}"
    command = [COMMAND, "federated", "demo"]
    with subprocess.Popen(command, env=os.environ | {"RELGAUSS_TEST": mark}) as demo:
        until = time.monotonic() + 120
        while len([each for each in processes_with(mark) if "flower-supernode" in each]) < 2:
            assert time.monotonic() < until
            time.sleep(0.2)
        demo.send_signal(how)
        demo.wait(60)
    assert demo.returncode != 0
    assert processes_with(mark) == []
