"""Flower's messages carry what the nodes decide: releases once, refusals typed, nothing else."""

import json

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, RecordDict

import relgauss as rg
from relgauss.errors import InvalidParameterError, RelgaussError
from relgauss.federated import RunReport, ServerPlan, private_client, run_server
from relgauss.federated.messages import GRADIENT, REFUSED, flat
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.regression import logistic_participant, ridge_participant
from relgauss.nodes.rounds import run_rounds

from .flower_grid import FlowerGrid

BUDGET = rg.Budget(1.0, 1e-6)
ROUNDS = 4


def table(name: str, kind: str = "good"):
    rng = np.random.default_rng(list(name.encode()))
    X = rng.normal(size=({"empty": 0, "single": 1}.get(kind, 2_000), 4 if kind == "wide" else 3))
    y = np.sign(X[:, 0] + rng.normal(size=len(X)))
    if kind == "nan":
        X[5, 1] = np.nan
    return X, 0 * y if kind == "zero" else y


class Federation:
    """Nodes by name and the kind of their data; records are files: every message meets a restarted node."""

    def __init__(self, folder, make=ridge_participant, seed=0, rounds=ROUNDS) -> None:
        self.folder, self.make, self.seed, self.rounds = folder, make, seed, rounds

    def participant(self, name: str, kind: str = "good"):
        file = self.folder / f"{name}.db"
        record = SpendRecord.open(file) if file.exists() else SpendRecord.create(file)
        options = {"budget": BUDGET, "rounds": self.rounds, "record": record, "seed": self.seed}
        return self.make(name, *table(name, kind), **options)

    def grid(self, **kinds: str) -> FlowerGrid:
        nodes = {10 + k: {"name": name, "kind": kind} for k, (name, kind) in enumerate(kinds.items())}
        app = private_client(lambda context: self.participant(**context.node_config))
        return FlowerGrid(app, nodes)

    def plan(self, rounds: int = ROUNDS, **options) -> ServerPlan:
        options = {"nodes": 1, "file": self.folder / "report.json", "step_size": 0.3} | options
        return ServerPlan("job", 3, rounds, **options)

    def spent(self, name: str) -> int:
        return len(SpendRecord.open(self.folder / f"{name}.db").spends(name))


@pytest.fixture
def federation(tmp_path) -> Federation:
    return Federation(tmp_path)


@pytest.mark.parametrize("make", [ridge_participant, logistic_participant])
def test_the_run_is_the_one_in_process(tmp_path, make):
    (tmp_path / "in process").mkdir()
    inside, over = Federation(tmp_path / "in process", make), Federation(tmp_path, make)
    report = run_server(over.grid(a="good", b="good"), over.plan())
    nodes = [inside.participant("a"), inside.participant("b")]
    states = [np.asarray(state.theta) for state, _ in run_rounds(nodes, np.zeros(3), 0.3, ROUNDS, job="job")]
    np.testing.assert_array_equal(report.thetas[1:], states)
    assert report.participation() == {"a": (1, 2, 3, 4), "b": (1, 2, 3, 4)}
    assert report.simulated
    assert {facts.epsilon for facts in report.nodes.values()} == {nodes[0].statement.epsilon()}


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("empty", "not-ready: "),
        ("single", "not-ready: "),
        ("wide", "bad-request: "),
    ],
)
def test_a_node_with_bad_data_is_named_and_the_others_are_unharmed(tmp_path, federation, kind, reason):
    (tmp_path / "alone").mkdir()
    alone = Federation(tmp_path / "alone")
    expected = run_server(alone.grid(a="good", b="good"), alone.plan())
    report = run_server(federation.grid(a="good", b="good", bad=kind), federation.plan())
    assert report.thetas == expected.thetas
    assert report.participation() == {"a": (1, 2, 3, 4), "b": (1, 2, 3, 4), "bad": ()}
    assert all(each.absent["bad"].startswith(reason) for each in report.rounds)
    assert federation.spent("bad") == 0


@pytest.mark.parametrize("kind", ["zero", "nan"])
def test_a_node_with_odd_records_takes_part(federation, kind):
    """It is not told from another by a refusal."""
    report = run_server(federation.grid(a="good", odd=kind), federation.plan())
    assert report.participation()["odd"] == (1, 2, 3, 4)
    assert np.isfinite(report.thetas).all()


def test_a_message_that_comes_twice_is_answered_alike_and_charged_once(federation):
    grid = federation.grid(a="good")
    grid.times = lambda node, message: 2
    report = run_server(grid, federation.plan())
    releases = [flat(reply.content[GRADIENT]) for reply in grid.replies if GRADIENT in reply.content]
    assert len(releases) == 2 * ROUNDS
    np.testing.assert_array_equal(releases[::2], releases[1::2])
    assert federation.spent("a") == ROUNDS
    assert report.participation() == {"a": (1, 2, 3, 4)}


def test_more_rounds_than_agreed_get_refusals(federation):
    report = run_server(federation.grid(a="good"), federation.plan(ROUNDS + 2))
    assert report.participation() == {"a": (1, 2, 3, 4)}
    assert all(each.absent["a"].startswith("spent: ") for each in report.rounds[ROUNDS:])
    assert report.thetas[ROUNDS] == report.thetas[-1]
    assert federation.spent("a") == ROUNDS


def test_a_node_that_is_gone_and_comes_back(federation):
    grid = federation.grid(a="good", b="good")
    gone = {"now": False}
    grid.times = lambda node, message: 0 if gone["now"] and node == 11 else 1
    run_server(grid, federation.plan(1))
    gone["now"] = True
    report = run_server(grid, federation.plan(2))
    assert report.rounds[1].absent == {"unknown node 11": "Missing: no reply came in time"}
    gone["now"] = False
    grid.nodes[99] = grid.nodes.pop(11)  # a restarted SuperNode has another number
    report = run_server(grid, federation.plan(4))
    assert report.participation() == {"a": (1, 2, 3, 4), "b": (1, 3, 4), "unknown node 11": ()}
    assert federation.spent("b") == 3


def test_a_server_that_dies_in_a_round_goes_on_and_nobody_pays_twice(federation, tmp_path):
    (tmp_path / "calm").mkdir()
    calm = Federation(tmp_path / "calm")
    expected = run_server(calm.grid(a="good", b="good"), calm.plan())
    grid = federation.grid(a="good", b="good")

    def die(node, message):
        if message.metadata.message_type == MessageType.TRAIN and federation.spent("b") == 2 and node == 11:
            raise KeyboardInterrupt
        return 1

    grid.times = die
    with pytest.raises(KeyboardInterrupt):
        run_server(grid, federation.plan())
    assert (federation.spent("a"), federation.spent("b")) == (3, 2)  # a had answered, b had not been asked
    grid.times = lambda node, message: 1
    report = run_server(grid, federation.plan())
    assert report.thetas == expected.thetas
    assert (federation.spent("a"), federation.spent("b")) == (ROUNDS, ROUNDS)
    assert report.participation() == {"a": (1, 2, 3, 4), "b": (1, 2, 3, 4)}


def test_only_training_is_answered(federation):
    grid = federation.grid(a="good")
    content = RecordDict({"arrays": ArrayRecord([np.zeros(3)]), "config": ConfigRecord()})
    (reply,) = grid.send_and_receive([Message(content, 10, MessageType.EVALUATE)])
    assert reply.error.code == REFUSED
    assert json.loads(reply.error.reason)["kind"] == "declined"
    assert federation.spent("a") == 0


def test_the_same_name_is_heard_once(federation):
    grid = federation.grid(a="good")
    grid.nodes[11] = grid.nodes[10]
    report = run_server(grid, federation.plan())
    assert report.participation() == {"a": (1, 2, 3, 4)}
    assert federation.spent("a") == ROUNDS


def test_stated_weights(tmp_path):
    (tmp_path / "one").mkdir()
    both, one = Federation(tmp_path), Federation(tmp_path / "one")
    weighted = run_server(both.grid(a="good", b="good"), both.plan(weights={"a": 2.0}))
    alone = run_server(one.grid(a="good"), one.plan())
    assert weighted.thetas == alone.thetas
    assert weighted.rounds[0].absent == {"b": "no weight is stated for it"}


def test_without_a_step_size_the_nodes_releases_decide(federation):
    report = run_server(federation.grid(a="good", b="good"), federation.plan(step_size=None))
    largest = max(facts.numbers["smoothness"] for facts in report.nodes.values())
    assert report.step_size == 0.5 / largest
    assert np.linalg.norm(report.thetas[-1]) > 0.3


def test_a_server_without_usable_nodes_says_so(federation):
    with pytest.raises(RelgaussError, match="how smooth"):
        run_server(federation.grid(bad="empty"), federation.plan(step_size=None))
    report = RunReport.read(federation.folder / "report.json")
    assert report.refused["bad"].startswith("not-ready: ")


def test_another_job_does_not_go_on_from_this_file(federation):
    run_server(federation.grid(a="good"), federation.plan(1))
    plan = ServerPlan("other", 3, 2, 1, federation.folder / "report.json", step_size=0.3)
    with pytest.raises(InvalidParameterError, match="job"):
        run_server(federation.grid(a="good"), plan)


def test_secure_noise_is_the_default(tmp_path):
    secure = Federation(tmp_path, seed=None)
    report = run_server(secure.grid(a="good"), secure.plan())
    assert not report.simulated
    again = run_server(secure.grid(a="good"), secure.plan())  # finished: nothing is asked
    assert again.thetas == report.thetas


def content_of(**records) -> RecordDict:
    return RecordDict({name: record for name, record in records.items() if record is not None})


FACTS = {"dim": 3, "rounds": 4, "epsilon": 1.0, "delta": 1e-6, "simulated": False, "numbers": {}}


@pytest.mark.parametrize(
    ("facts", "gradient", "named", "reason"),
    [
        ({"name": "bad"}, [1.0, np.nan, 0.0], "bad", "NaN or infinity"),
        ({"name": "bad"}, [1.0, 2.0], "bad", "shape (2,)"),
        ({"name": "bad"}, None, "bad", "no gradient"),
        ({"name": "bad", "epsilon": "free"}, [1.0, 2.0, 3.0], "unknown node 99", "who it is"),
        ({"name": "bad", "numbers": 7}, [1.0, 2.0, 3.0], "unknown node 99", "who it is"),
        (None, [1.0, 2.0, 3.0], "unknown node 99", "who it is"),
    ],
)
def test_a_node_that_answers_nonsense_harms_nobody(tmp_path, federation, facts, gradient, named, reason):
    (tmp_path / "alone").mkdir()
    alone = Federation(tmp_path / "alone")
    expected = run_server(alone.grid(a="good"), alone.plan())
    said = None if facts is None else ConfigRecord({"facts": json.dumps(FACTS | facts)})
    arrays = None if gradient is None else ArrayRecord([np.array(gradient)])
    grid = federation.grid(a="good")
    honest = grid.app

    def either(message, context):
        if context.node_id != 99:
            return honest(message, context)
        return Message(content_of(node=said, gradient=arrays), reply_to=message)

    grid.app, grid.nodes[99] = either, {}
    report = run_server(grid, federation.plan())
    assert report.thetas == expected.thetas
    assert all(reason in each.absent[named] for each in report.rounds)


def test_a_message_without_a_model_is_refused(federation):
    (reply,) = federation.grid(a="good").send_and_receive([Message(RecordDict(), 10, MessageType.TRAIN)])
    assert json.loads(reply.error.reason)["kind"] == "bad-request"
    assert federation.spent("a") == 0


def test_the_server_waits_for_nodes_rather_than_running_empty_rounds(federation, monkeypatch):
    grid = federation.grid(a="good")
    away = iter([True, False, True, True])
    honest = grid.get_node_ids
    monkeypatch.setattr("relgauss.federated.strategy.time.sleep", lambda seconds: None)
    grid.get_node_ids = lambda: [] if next(away, False) else honest()
    assert run_server(grid, federation.plan()).participation() == {"a": (1, 2, 3, 4)}
