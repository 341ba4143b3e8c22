"""A real SuperLink and nodes that are killed and started again: minutes, so marked slow."""

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from relgauss.federated import RunReport
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.rounds import run_rounds
from relgauss.paper.on_flower import JOB, REPORT, prepare, run_on_flower
from relgauss.paper.panels import split_over_nodes
from relgauss.paper.participants import Terms, participant
from relgauss.paper.stand_in import stand_in

from .real_flower import RealFlower, write_app

pytestmark = pytest.mark.slow

NODE = "from relgauss.paper.on_flower import client as app\n"
SHIPPED = "from flwr.clientapp import ClientApp\n\napp = ClientApp()\n"  # the nodes have their own
SERVER = """
from pathlib import Path
from relgauss.federated import ServerPlan, private_server

def plan(context):
    config = context.run_config
    return ServerPlan(config["job"], 22, config["rounds"], 2, Path(config["file"]), timeout=120.0)

app = private_server(plan)
"""


@pytest.fixture(scope="module")
def objectives():
    return split_over_nodes(stand_in("ijcnn1", 20_000), "bias", np.random.default_rng(0))


def in_process(objectives, terms: Terms, folder: Path, step_size: float) -> list[np.ndarray]:
    folder.mkdir()
    nodes = [
        participant(f"node-{number}", objective, terms, SpendRecord.create(folder / f"{number}.db"))
        for number, objective in enumerate(objectives, 1)
    ]
    states = run_rounds(nodes, np.zeros(22), step_size, terms.rounds, job=JOB)
    return [np.asarray(state.theta) for state, _ in states]


@pytest.mark.parametrize(("method", "strict"), [("rgm", False), ("isometric", True)])
def test_the_run_over_processes_is_the_one_in_process(tmp_path, objectives, method, strict):
    terms = Terms(method, strict, 0.1, 3, seed=7)
    report = run_on_flower(objectives, terms, tmp_path)
    expected = in_process(objectives, terms, tmp_path / "in process", report.step_size)
    np.testing.assert_allclose(report.thetas[1:], expected, rtol=1e-9, atol=1e-9)
    assert report.participation() == {"node-1": (1, 2, 3), "node-2": (1, 2, 3)}


def wait_for(happened: Callable[[], bool], seconds: float = 240.0) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def spends(folder: Path, name: str) -> int:
    file = folder / f"{name}.db"
    return len(SpendRecord.open(file).spends(name)) if file.exists() else 0


def check_charges(folder: Path, report: RunReport, agreed: int) -> None:
    """No node has released what was not charged, and none was charged for more than was agreed."""
    for name, rounds in report.participation().items():
        if name.startswith("unknown"):
            assert rounds == ()
            continue
        found = SpendRecord.open(folder / f"{name}.db").spends(name)
        assert len(found) <= agreed
        released = {each.request for each in found if each.released}
        assert {f"{JOB}/{number}" for number in rounds} <= released


def test_a_node_is_killed_in_a_round_and_comes_back(tmp_path, objectives):
    terms = Terms("rgm", False, 0.1, 6, seed=None)
    nodes = prepare(objectives, terms, tmp_path)
    app = tmp_path / "app"
    write_app(app, SHIPPED, SERVER, {"job": JOB, "rounds": terms.rounds, "file": str(tmp_path / REPORT)})
    with RealFlower(tmp_path) as flower:
        for name, config in nodes.items():
            flower.start_node(name, NODE, config)
        runner = threading.Thread(target=flower.run, args=(app,))
        runner.start()
        wait_for(lambda: spends(tmp_path, "node-2") >= 2)  # its second release is on its way
        flower.stop("node-2", signal.SIGKILL)
        before = flower.log("node-2").count("Connected")
        # Flower lets a killed node in again when its heartbeat is missed, after a minute; till then it exits.
        back = flower.start_node("node-2", NODE, nodes["node-2"])
        while flower.log("node-2").count("Connected") == before:
            if back.poll() is not None:
                back = flower.start_node("node-2", NODE, nodes["node-2"])
            time.sleep(0.5)
        runner.join()
    report = RunReport.read(tmp_path / REPORT)
    assert len(report.rounds) == 6
    assert report.participation()["node-1"] == (1, 2, 3, 4, 5, 6)
    took_part = report.participation()["node-2"]
    assert took_part[0] == 1
    assert took_part[-1] == 6  # it came back
    check_charges(tmp_path, report, agreed=6)


def test_the_server_is_killed_and_starts_again(tmp_path, objectives):
    terms = Terms("rgm", False, 0.1, 4, seed=7)
    nodes = prepare(objectives, terms, tmp_path)
    app = tmp_path / "app"
    write_app(app, SHIPPED, SERVER, {"job": JOB, "rounds": terms.rounds, "file": str(tmp_path / REPORT)})
    with RealFlower(tmp_path) as flower:
        for name, config in nodes.items():
            flower.start_node(name, NODE, config)
        runner = threading.Thread(target=flower.run, args=(app,))
        runner.start()
        wait_for(lambda: max(spends(tmp_path, name) for name in nodes) >= 2)
        flower.stop("superlink", signal.SIGKILL)
        runner.join()
        before = RunReport.read(tmp_path / REPORT)
        assert len(before.rounds) < 4
        for name in nodes:
            flower.stop(name)
        flower.start_link()  # which has forgotten the nodes' keys
        for name, config in nodes.items():
            flower.key(name)
            flower.start_node(name, NODE, config)
        flower.run(app)
    report = RunReport.read(tmp_path / REPORT)
    assert report.rounds[: len(before.rounds)] == before.rounds
    assert report.participation() == {"node-1": (1, 2, 3, 4), "node-2": (1, 2, 3, 4)}
    expected = in_process(objectives, terms, tmp_path / "in process", report.step_size)
    np.testing.assert_allclose(report.thetas[1:], expected, rtol=1e-9, atol=1e-9)  # nothing was drawn anew
    assert {name: spends(tmp_path, name) for name in nodes} == {"node-1": 4, "node-2": 4}
    check_charges(tmp_path, report, agreed=4)
