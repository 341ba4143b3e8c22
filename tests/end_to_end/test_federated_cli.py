"""``relgauss federated demo``: run as a user runs it, broken off, and without Flower."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("relgauss")


def processes_with(text: str) -> dict[int, str]:
    """Command lines and environments of all processes that hold this text, by number."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            seen = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in seen and folder.name != str(os.getpid()):
            found[int(folder.name)] = seen.decode(errors="replace")
    return found


def test_without_flower_one_line_says_what_to_install(relgauss, tmp_path):
    (tmp_path / "flwr.py").write_text("raise ImportError")
    done = relgauss("federated", "demo", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'relgauss[federated]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_mistake_is_met_before_anything_is_started(relgauss):
    pytest.importorskip("flwr", reason="needs the extra 'federated'")
    done = relgauss("federated", "demo", "--rounds", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--rounds" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_short_run_over_two_processes(relgauss):
    """Both nodes take part, the error falls, and both are stopped."""
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
    assert processes_with(mark) == {}


@contextlib.contextmanager
def running_demo(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The demo with both of its nodes at work, and what marks its processes."""
    pytest.importorskip("flwr", reason="needs the extra 'federated'")
    mark = f"relgauss-test-{os.getpid()}-{folder.name}"
    command = [COMMAND, "federated", "demo", "--rounds", "500"]
    environment = os.environ | {"RELGAUSS_TEST": mark, "TMPDIR": str(folder)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as demo:
        try:
            wait_for(lambda: len(nodes_with(mark)) == 2, 120)
            yield demo, mark
        finally:
            demo.kill()


def nodes_with(mark: str) -> list[int]:
    found = processes_with(mark)
    return [number for number, seen in found.items() if "relgauss.federated.local_node" in seen]


def wait_for(happened: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.1)


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGINT,
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_a_demo_that_is_broken_off_leaves_nothing_running(tmp_path, how):
    with running_demo(tmp_path) as (demo, mark):
        demo.send_signal(how)
        demo.wait(60)
        assert demo.returncode != 0
        wait_for(lambda: processes_with(mark) == {}, 10)
    if how != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []  # nor are the nodes' records


def listening(numbers: Iterable[int]) -> set[int]:
    """Which of these processes hold a socket that listens on a port."""
    lines = [
        line.split()
        for kind in ("tcp", "tcp6")
        for line in Path("/proc/net", kind).read_text(encoding="ascii").splitlines()[1:]
    ]
    sockets = {f"socket:[{words[9]}]" for words in lines if words[3] == "0A"}
    found = set()
    for number in numbers:
        for each in Path(f"/proc/{number}/fd").iterdir():
            with contextlib.suppress(OSError):
                if os.readlink(each) in sockets:
                    found.add(number)
    return found


def test_the_demo_opens_no_port_and_its_folder_is_its_own(tmp_path):
    with running_demo(tmp_path) as (demo, mark):
        numbers = [demo.pid, *processes_with(mark)]
        assert len(numbers) >= 3
        assert listening(numbers) == set()
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o077 == 0


def test_the_check_sees_a_port():
    with socket.create_server(("127.0.0.1", 0)):
        assert listening([os.getpid()]) == {os.getpid()}


def test_mistakes_in_starting_a_node(relgauss, tmp_path):
    pytest.importorskip("flwr", reason="needs the extra 'federated'")
    (tmp_path / "node.py").write_text("app = None")
    (tmp_path / "key").write_text("no key")
    for arguments, fix in (
        (("--superlink", "a:1", "--key", "gone"), "does not exist"),
        (("--superlink", "a:1", "--key", "key"), "ssh-keygen -t ecdsa"),
    ):
        done = relgauss("federated", "node", "node.py", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert fix in done.stderr
        assert len(done.stderr.splitlines()) == 1
