"""Where a node does not answer, one kind of a fixed list goes out and the error stays in the node's log."""

import json
import logging
import pickle

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from flwr.app import Array, ArrayRecord, ConfigRecord, Error, Message, MessageType, RecordDict
from flwr.clientapp import ClientApp

import relgauss as rg
from relgauss.errors import InvalidParameterError, RecordError, RelgaussError, SpentError
from relgauss.federated import PrivateGradients, private_client, refusals
from relgauss.federated.messages import GRADIENT, NODE, REFUSED, facts_in, refusal_in, reply_in
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.participant import Refusal
from relgauss.nodes.regression import ridge_participant

from .flower_grid import FlowerGrid

SECRETS = ("/srv/clinic/patients.npz", "1974-03-17", "Mrs Jones")
TEXT = f"could not read {SECRETS[0]}: record 17 is {SECRETS[1]}, {SECRETS[2]}"


def node(folder):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3))
    file = folder / "spends.db"
    record = SpendRecord.open(file) if file.exists() else SpendRecord.create(file)
    return ridge_participant("a", X, X[:, 0], budget=rg.Budget(1.0, 1e-6), rounds=2, record=record, seed=0)


def ask(app: ClientApp, kind: str = MessageType.TRAIN, theta=(0.0, 0.0, 0.0)) -> Message:
    content = RecordDict({"arrays": ArrayRecord([np.array(theta)])})
    (reply,) = FlowerGrid(app, {10: {"name": "a"}}).send_and_receive([Message(content, 10, kind)])
    return reply


ERRORS = [
    KeyError(TEXT),
    OSError(2, TEXT, SECRETS[0]),
    ValueError(TEXT),
    MemoryError(TEXT),
    RelgaussError(TEXT, "See there."),
    RecordError(TEXT, "See there."),
    SpentError(TEXT, "See there."),
    InvalidParameterError(TEXT, SECRETS[1], "a number", "See there."),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("where", ["set-up", "app", "release"])
@pytest.mark.parametrize("asked", [MessageType.TRAIN, MessageType.QUERY, MessageType.EVALUATE])
def test_no_text_of_an_error_leaves_the_node_and_its_log_has_it(
    tmp_path, monkeypatch, caplog, error, where, asked
):
    def fail(*_):
        raise error

    app = private_client(fail)
    if where != "set-up":
        app = ClientApp(mods=[PrivateGradients(lambda context: node(tmp_path))])
        for handler in (app.train, app.query, app.evaluate):
            handler()(fail)
    if where == "release":
        monkeypatch.setattr("relgauss.nodes.node.Node.release", fail)
    with caplog.at_level(logging.WARNING, "relgauss"):
        reply = ask(app, asked)
    if asked == MessageType.QUERY and where != "set-up":  # answered by the mod, which does not fail
        assert not reply.has_error()
        return
    said = json.loads(reply.error.reason)
    assert set(said) == {"relgauss-refusal", "node", "kind"}
    assert (said["node"], reply.error.code) == ("a", REFUSED)
    assert said["kind"] in set(refusals.Kind)
    assert not any(secret in str(vars(reply)) + reply.error.reason for secret in SECRETS)
    if asked == MessageType.TRAIN or where == "set-up":
        assert all(secret in caplog.text for secret in SECRETS[:2])


def test_an_unexpected_error_is_logged_with_its_traceback(caplog):
    def broken(context):
        raise ZeroDivisionError(TEXT)

    ask(private_client(broken))
    (line,) = caplog.records
    assert line.levelno == logging.ERROR
    assert line.exc_info[0] is ZeroDivisionError
    assert "in broken" in caplog.text


def test_without_a_log_of_its_own_the_node_writes_to_stderr(monkeypatch, capsys):
    def broken(context):
        raise ZeroDivisionError(TEXT)

    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(logging.getLogger("relgauss"), "handlers", [])
    ask(private_client(broken))
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_the_type_of_an_error_at_set_up_is_not_told():
    """Which of them it was may depend on the records: a table that cannot be read, or one with NaN."""
    kinds = set()
    for error in (*ERRORS[:6], ERRORS[7]):

        def broken(context, error=error):
            raise error

        kinds.add(json.loads(ask(private_client(broken)).error.reason)["kind"])
    assert kinds == {"not-ready"}


def test_the_format_of_version_1():
    """These words go over the wire: a change of any of them is a new version."""
    assert refusals.VERSION == 1
    words = ["spent", "lost", "other-question", "declined", "bad-request", "not-ready", "failed"]
    assert [kind.value for kind in refusals.Kind] == words
    text = '{"relgauss-refusal": 1, "node": "a", "kind": "spent"}'
    assert json.loads(refusals.to_text(refusals.Kind.SPENT, "a")) == json.loads(text)
    for word in words:
        name, refusal = refusals.from_text(text.replace("spent", word))
        assert (name, refusal.kind) == ("a", word)
        assert refusal.reason
        assert refusal.fix


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "[" * 10**5,
        '{"relgauss-refusal": 2, "node": "a", "kind": "spent"}',
        '{"relgauss-refusal": 1, "node": "a", "kind": "patient 17"}',
        '{"relgauss-refusal": 1, "kind": "spent"}',
        '{"node": "a", "kind": "spent", "reason": "patient 17", "fix": ""}',
    ],
)
def test_what_the_server_cannot_read_it_does_not_repeat(text):
    name, refusal = refusals.from_text(text)
    assert (name, refusal.kind) == ("", "unknown")
    assert "patient" not in str(refusal)


FACTS = {"name": "a", "dim": 1, "rounds": 1, "epsilon": 1, "delta": 1, "simulated": False, "numbers": {}}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 10**5,
        json.dumps(FACTS | {"dim": float("inf")}),
        json.dumps(FACTS | {"epsilon": 10**400}),
        json.dumps(FACTS | {"numbers": {"smoothness": 10**400}}),
        json.dumps(FACTS | {"numbers": []}),
        "1" * 5_000,
    ],
    ids=["deep", "infinite", "large", "large number", "list", "digits"],
)
def test_facts_that_are_none_do_not_end_the_run(text):
    assert facts_in(RecordDict({NODE: ConfigRecord({"facts": text})})) is None
    assert facts_in(RecordDict({NODE: ConfigRecord({"facts": json.dumps(FACTS)})})).name == "a"


HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999,), }"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage",
        b"PK\x03\x04garbage",
        b"\x93NUMPY\x01\x00\x76\x00" + HUGE.ljust(117).encode() + b"\n",
        b"\x93NUMPY\x01\x00\x76\x00" + b"(" * 117 + b"\n",
        pickle.dumps([1.0]),
    ],
    ids=["empty", "garbage", "zip", "huge", "brackets", "pickle"],
)
def test_a_gradient_that_is_none_does_not_end_the_run(data):
    array = Array(dtype="float64", shape=(1,), stype="numpy.ndarray", data=data)
    reply = reply_in(RecordDict({GRADIENT: ArrayRecord({"0": array})}))
    assert isinstance(reply, Refusal)


def test_a_text_of_flowers_own_errors_is_dropped():
    name, refusal = refusal_in(Error(3, TEXT))
    assert name == ""
    assert "error 3" in refusal.reason
    assert not any(secret in str(refusal) for secret in SECRETS)
