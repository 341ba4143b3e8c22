"""Processes that are killed for good: no node ever draws twice for a charge, and a restart goes on."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from relgauss.ledger.spend_record import SpendRecord

# A node that kills itself where it is told to, and prints its reply and how often it has drawn noise.
SCRIPT = """
import json, os, signal, sys
import numpy as np
import relgauss as rg
from relgauss.budget.agreement import Agreement
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.node import Answer, GradientQuery, Node
from relgauss.nodes.participant import Participant, Released
from relgauss.noise import lattice

file, moment, *requests = sys.argv[1:]

def die_at(here):
    if here == moment:
        os.kill(os.getpid(), signal.SIGKILL)

class Query(GradientQuery):
    def answer(self, theta):
        die_at("reserved")
        return Answer(theta, rg.Gaussian(rg.AbsoluteSensitivity(1.0), 2, 1.0))

    def finish(self, theta, released):
        die_at("drawn")
        return released

class Record(SpendRecord):
    def reserve(self, *given):
        die_at("asked")
        return super().reserve(*given)

    def commit(self, *given):
        super().commit(*given)
        die_at("committed")

honest = lattice.add_discrete_gaussian
def counted(*given):
    with open(file + ".draws", "a") as log:
        log.write("draw\\n")
    return honest(*given)
lattice.add_discrete_gaussian = counted

agreement = Agreement(rg.GaussianDP(1.0), 3, 1e-6)
node = Participant("a", 2, Node(Query(), rg.GaussianDP(1.0)), agreement, Record.open(file))
replies = [node.reply(request, [1.0, 2.0]) for request in requests]
print(json.dumps([list(r.gradient) if isinstance(r, Released) else r.kind for r in replies]))
"""


def ask(file: Path, moment: str, *requests: str) -> list[object]:
    command = [sys.executable, "-c", SCRIPT, str(file), moment, *requests]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == (0 if moment == "never" else -signal.SIGKILL), result.stderr
    return json.loads(result.stdout or "[]")


def draws(file: Path) -> int:
    log = Path(f"{file}.draws")
    return len(log.read_text().splitlines()) if log.exists() else 0


@pytest.mark.parametrize(
    ("moment", "spent", "drawn", "again"),
    [
        ("asked", 0, 0, "a release"),  # nothing had happened: the request is answered now
        ("reserved", 1, 0, "LostReleaseError"),
        ("drawn", 1, 1, "LostReleaseError"),  # its noise may have been seen, so it is never drawn again
        ("committed", 1, 1, "a release"),  # the release was kept: it is given, not drawn
    ],
)
def test_a_node_killed_in_the_middle_of_a_round(tmp_path, moment, spent, drawn, again):
    file = tmp_path / "spends.db"
    SpendRecord.create(file)
    ask(file, moment, "r1")
    assert (len(SpendRecord.open(file).spends("a")), draws(file)) == (spent, drawn)

    # The same message reaches the restarted node twice; then it goes on from its record.
    first, second, *later = ask(file, "never", "r1", "r1", "r2", "r3", "r4")
    assert first == second
    assert isinstance(first, list) if again == "a release" else first == again
    assert [isinstance(each, list) for each in later] == [True, True, False]
    assert later[2] == "SpentError"
    assert [each.request for each in SpendRecord.open(file).spends("a")] == ["r1", "r2", "r3"]
    lost_without_a_draw = moment == "reserved"
    assert draws(file) == 3 - lost_without_a_draw
