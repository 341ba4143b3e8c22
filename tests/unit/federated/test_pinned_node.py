"""A node that pins its app: it never fetches what a run ships, and says nothing but what its app replies."""

import contextlib
import json
import logging

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from flwr.app import ArrayRecord, Message, MessageType, RecordDict
from flwr.clientapp import ClientApp
from flwr.common.serde import message_from_proto, message_to_proto
from flwr.supercore.inflatable.inflatable_object import get_all_nested_objects, get_object_tree
from flwr.supercore.inflatable.inflatable_utils import inflate_object_from_contents
from flwr.supercore.run import RunNotRunningException
from flwr.supercore.task_identity import TaskIdentity

from relgauss.errors import RelgaussError
from relgauss.federated import pinned_node
from relgauss.federated.messages import REFUSED
from relgauss.federated.pinned_node import Link, load_app, serve

NODE = 7


class Stopped(BaseException):
    """The test has no more messages."""


class Superlink:
    """Flower's connection, to a server that ships an app; ``replies`` is all that it was sent."""

    def __init__(self, messages: list) -> None:
        self.messages = messages
        self.replies: list[tuple[Message, float]] = []
        self.objects: dict[str, bytes] = {}

    @contextlib.contextmanager
    def __call__(self, address, insecure, root_certificates, authentication_keys):
        assert not insecure
        self.asked = (address, root_certificates, authentication_keys)
        yield NODE, self.receive, self.send, self.fetch, self.fetch, self.pull, self.push, self.confirm

    def fetch(self, *_):
        raise AssertionError("the node has fetched what a run ships")

    def receive(self):
        if not self.messages:
            raise Stopped
        message = self.messages.pop(0)
        if isinstance(message, BaseException):
            raise message
        if message is None:
            return None
        message.metadata.__dict__["_message_id"] = message.object_id
        self.objects |= {name: each.deflate() for name, each in get_all_nested_objects(message).items()}
        return message_from_proto(message_to_proto(message)), get_object_tree(message)

    def pull(self, run, name):
        return self.objects[name]

    def confirm(self, run, name):
        pass

    def send(self, reply, tree, seconds):
        self.tree = tree
        self.replies.append((reply, seconds))
        return set(get_all_nested_objects(reply)), "session"

    def push(self, run, session, name, content):
        self.objects[name] = content


@pytest.fixture
def key(tmp_path):
    file = tmp_path / "node.key"
    write_key(file, ec.generate_private_key(ec.SECP384R1()))
    return file


def write_key(file, key):
    kind = serialization.PrivateFormat.OpenSSH
    file.write_bytes(key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()))


def serve_to(link: Superlink, app: ClientApp, key, monkeypatch, config=()) -> None:
    monkeypatch.setattr(pinned_node, "http_request_response", link)
    monkeypatch.setattr(pinned_node.time, "sleep", lambda seconds: None)
    with pytest.raises(Stopped):
        serve(app, Link("server:8000", key), dict(config))


def question(value: float = 0.0) -> Message:
    TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1  # as at the server
    return Message(RecordDict({"arrays": ArrayRecord([np.full(3, value)])}), NODE, MessageType.TRAIN)


def doubling() -> ClientApp:
    app = ClientApp()

    @app.train()
    def train(msg, context):
        (point,) = msg.content["arrays"].to_numpy_ndarrays()
        assert context.node_config == {"name": "a"}
        assert context.run_config == {}  # nothing of the run's reaches the app but the message
        return Message(RecordDict({"gradient": ArrayRecord([2 * point])}), reply_to=msg)

    return app


def test_the_nodes_own_app_answers_and_nothing_that_is_shipped_is_fetched(key, monkeypatch):
    link = Superlink([None, question(1.0), question(2.0)])
    serve_to(link, doubling(), key, monkeypatch, {"name": "a"})
    arrays = [reply.content["gradient"].to_numpy_ndarrays()[0].tolist() for reply, _ in link.replies]
    assert arrays == [[2.0] * 3, [4.0] * 3]
    assert {reply.metadata.dst_node_id for reply, _ in link.replies} == {question().metadata.src_node_id}
    sent = inflate_object_from_contents(link.tree.object_id, link.objects)  # as the server puts it together
    assert sent.content["gradient"].to_numpy_ndarrays()[0].tolist() == [4.0] * 3
    assert link.asked[0] == "server:8000"
    assert isinstance(link.asked[2][0], ec.EllipticCurvePrivateKey)


def test_how_long_an_answer_took_is_not_told(key, monkeypatch):
    link = Superlink([question(), question()])
    serve_to(link, doubling(), key, monkeypatch, {"name": "a"})
    assert [seconds for _, seconds in link.replies] == [0.0, 0.0]


def test_an_app_that_fails_tells_a_kind_and_the_log_the_rest(key, monkeypatch, caplog):
    app = ClientApp()

    @app.train()
    def train(msg, context):
        raise KeyError("patient 17")

    link = Superlink([question()])
    serve_to(link, app, key, monkeypatch, {"name": "a"})
    ((reply, _),) = link.replies
    assert reply.error.code == REFUSED
    assert json.loads(reply.error.reason) == {"relgauss-refusal": 1, "node": "a", "kind": "failed"}
    assert "patient 17" in caplog.text


def test_nonsense_and_runs_that_are_over_do_not_end_the_node(key, monkeypatch, caplog):
    link = Superlink([ValueError("nonsense"), RunNotRunningException(), question(1.0)])
    with caplog.at_level(logging.INFO, "relgauss"):
        serve_to(link, doubling(), key, monkeypatch, {"name": "a"})
    assert len(link.replies) == 1
    assert "nonsense" in caplog.text
    assert "over before" in caplog.text


def test_a_key_that_is_none(tmp_path):
    for name, content in (
        ("gone", None),
        ("text", b"no key"),
        ("other", ed25519.Ed25519PrivateKey.generate()),
    ):
        file = tmp_path / name
        if isinstance(content, bytes):
            file.write_bytes(content)
        elif content is not None:
            write_key(file, content)
        with pytest.raises(RelgaussError, match="ssh-keygen -t ecdsa"):
            Link("server:8000", file).keys()


@pytest.mark.parametrize("text", ["", "app = 7", "from flwr.serverapp import ServerApp\napp = ServerApp()"])
def test_a_file_without_an_app(tmp_path, text):
    file = tmp_path / "node.py"
    file.write_text(text)
    with pytest.raises(RelgaussError, match="private_client"):
        load_app(file)


def test_the_app_of_a_file(tmp_path):
    file = tmp_path / "node.py"
    file.write_text("from flwr.clientapp import ClientApp\napp = ClientApp()\n")
    assert isinstance(load_app(file), ClientApp)
    with pytest.raises(RelgaussError, match="no Python file"):
        load_app(tmp_path / "gone.py")
