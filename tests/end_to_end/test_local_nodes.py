"""Nodes in processes that are reached by pipes: replies, nodes that die or are late, and such that refuse."""

import os

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from flwr.app import ArrayRecord, Message, MessageType, RecordDict

from relgauss.errors import RelgaussError
from relgauss.federated.local_nodes import LocalNodes
from relgauss.paper.on_flower import run_on_flower
from relgauss.paper.panels import split_over_nodes
from relgauss.paper.participants import Terms
from relgauss.paper.stand_in import stand_in

APP = """
import os, time
from flwr.app import ArrayRecord, Message, RecordDict
from flwr.clientapp import ClientApp

app = ClientApp()

@app.train()
def train(msg, context):
    what = context.node_config["what"]
    if what == "dies":
        os._exit(7)
    if what == "sleeps":
        time.sleep(600)
    if what == "fails":
        raise KeyError("patient 17")
    (point,) = msg.content["arrays"].to_numpy_ndarrays()
    return Message(RecordDict({"gradient": ArrayRecord([2 * point])}), reply_to=msg)
"""


@pytest.fixture
def nodes(tmp_path, monkeypatch):
    (tmp_path / "its_app.py").write_text(APP)
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    with LocalNodes("its_app:app", tmp_path) as started:
        yield started


def ask(nodes: LocalNodes, timeout: float | None = None) -> list[Message]:
    content = RecordDict({"arrays": ArrayRecord([np.ones(3)])})
    to_all = [Message(content, each, MessageType.TRAIN) for each in nodes.get_node_ids()]
    return nodes.send_and_receive(to_all, timeout=timeout)


def test_replies_come_from_those_who_live(nodes, tmp_path):
    for name, what in (("a", "doubles"), ("b", "dies"), ("c", "fails")):
        nodes.start(name, {"name": name, "what": what})
    replies = {reply.metadata.src_node_id: reply for reply in ask(nodes)}
    assert set(replies) == {1, 3}
    assert replies[1].content["gradient"].to_numpy_ndarrays()[0].tolist() == [2.0] * 3
    assert "patient" not in replies[3].error.reason
    assert "patient 17" in (tmp_path / "c.log").read_text()
    assert nodes.get_node_ids() == [1, 3]
    assert len(ask(nodes)) == 2


def test_who_is_late_is_stopped(nodes):
    nodes.start("a", {"what": "sleeps"})
    assert ask(nodes, timeout=1.0) == []
    assert nodes.get_node_ids() == []


def test_nodes_that_cannot_take_part_say_why_in_their_logs(tmp_path):
    """The user owns the records, so the logs are shown."""
    objectives = split_over_nodes(stand_in("ijcnn1", 100), "bias", np.random.default_rng(0))
    with pytest.raises(RelgaussError, match=r"node-1: relgauss\.errors\..*node-2: relgauss\.errors\."):
        run_on_flower(objectives, Terms("rgm-exact", True, 0.1, 1, 0), tmp_path)
