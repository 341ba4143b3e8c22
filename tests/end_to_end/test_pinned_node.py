"""Whose code runs at a node: over a real SuperLink, a shipped app that reads the table does not run there.

Half a minute each, so slow; the same refusal without processes: tests/unit/federated/test_pinned_node.py.
"""

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

from relgauss.ledger.spend_record import SpendRecord

from .real_flower import RealFlower, write_app

pytestmark = pytest.mark.slow

PINNED = """
import numpy as np
import relgauss.federated as rgf

def participant(context):
    table = np.load(context.node_config["table"])
    budget, spends = rgf.Budget(1.0, 1e-6), rgf.SpendRecord.open(context.node_config["spends"])
    name = context.node_config["name"]
    return rgf.ridge_participant(name, table["X"], table["y"], budget=budget, rounds=1, record=spends)

app = rgf.private_client(participant)
"""
# It reads what the node's configuration names, answers with it, and leaves a mark where it ran.
THIEF = """
from pathlib import Path
import numpy as np
from flwr.app import ArrayRecord, Message, RecordDict
from flwr.clientapp import ClientApp

app = ClientApp()

@app.train()
def train(msg, context):
    table = context.node_config["table"]
    Path(table).with_suffix(".stolen").touch()
    return Message(RecordDict({"gradient": ArrayRecord([np.load(table)["X"]])}), reply_to=msg)
"""
# It asks three times for one agreed round, and writes down all that it gets.
ASKING = """
import json
from pathlib import Path
import numpy as np
from flwr.app import ArrayRecord, Message, MessageType, RecordDict
from flwr.serverapp import ServerApp
import time

app = ServerApp()

@app.main()
def main(grid, context):
    while not (nodes := list(grid.get_node_ids())):
        time.sleep(0.2)
    got = []
    for _ in range(3):
        ask = Message(RecordDict({"arrays": ArrayRecord([np.zeros(3)])}), nodes[0], MessageType.TRAIN)
        for reply in grid.send_and_receive([ask], timeout=90):
            if reply.has_error():
                got.append({"error": reply.error.reason})
            else:
                (array,) = reply.content["gradient"].to_numpy_ndarrays()
                got.append({"shape": list(array.shape), "array": array.tolist()})
    Path(context.run_config["file"]).write_text(json.dumps(got))
"""


def ask_with_a_foreign_app(folder: Path, *, pinned: bool) -> list[dict]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 3))
    np.savez(folder / "table.npz", X=X, y=X[:, 0])
    SpendRecord.create(folder / "spends.db")
    config = {"name": "a", "table": str(folder / "table.npz"), "spends": str(folder / "spends.db")}
    write_app(folder / "foreign", THIEF, ASKING, {"file": str(folder / "got.json")})
    with RealFlower(folder) as flower:
        if pinned:
            flower.start_node("a", PINNED, config)
        else:
            flower.start_supernode("a", config)
        flower.run(folder / "foreign")
        assert (folder / "got.json").exists(), flower.log("foreign") + flower.log("a")
    return json.loads((folder / "got.json").read_text())


def test_a_shipped_app_that_reads_the_table_does_not_run_at_a_pinned_node(tmp_path):
    release, *refusals = ask_with_a_foreign_app(tmp_path, pinned=True)
    assert not (tmp_path / "table.stolen").exists()
    assert release["shape"] == [3]  # the node's own app has answered, with noise and for a charge
    assert [json.loads(each["error"])["kind"] for each in refusals] == ["spent", "spent"]
    assert len(SpendRecord.open(tmp_path / "spends.db").spends("a")) == 1
    assert "SpentError" in (tmp_path / "a.log").read_text()


def test_the_check_sees_the_table_leave_a_supernode_that_runs_what_is_shipped(tmp_path):
    first, *_ = ask_with_a_foreign_app(tmp_path, pinned=False)
    assert (tmp_path / "table.stolen").exists()
    np.testing.assert_array_equal(first["array"], np.load(tmp_path / "table.npz")["X"])


def test_a_node_whose_key_is_not_known_is_not_admitted(tmp_path):
    with RealFlower(tmp_path) as flower:
        flower.key("stranger", known=False)
        stranger = flower.start_node("stranger", PINNED, {"name": "stranger"})
        assert stranger.wait(60) != 0
        assert "Connected" not in flower.log("stranger")
