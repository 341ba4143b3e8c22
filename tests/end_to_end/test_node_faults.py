"""Processes that are killed for good: no node ever draws twice for a charge, and a restart goes on."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import relgauss as rg
from relgauss.budget.agreement import Agreement
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.node import Answer, GradientQuery, Node
from relgauss.nodes.participant import Participant, Released
from relgauss.noise import lattice


def replies(file: Path, moment: str, *requests: str) -> list[object]:
    """What a node replies that kills its process at this moment; each of its draws leaves a line."""

    def die_at(here: str) -> None:
        if here == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    class Query(GradientQuery):
        def answer(self, theta: np.ndarray) -> Answer:
            die_at("reserved")
            return Answer(theta, rg.Gaussian(rg.AbsoluteSensitivity(1.0), 2, 1.0))

        def finish(self, theta: np.ndarray, released: np.ndarray) -> np.ndarray:
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
        with Path(f"{file}.draws").open("a") as log:
            log.write("draw\n")
        return honest(*given)

    agreement = Agreement(rg.GaussianDP(1.0), 3, 1e-6)
    node = Participant("a", 2, Node(Query(), rg.GaussianDP(1.0)), agreement, Record.open(file))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lattice, "add_discrete_gaussian", counted)
        found = [node.reply(request, [1.0, 2.0]) for request in requests]
    return [each.gradient.tolist() if isinstance(each, Released) else each.kind for each in found]


def killed(file: Path, moment: str, request: str) -> None:
    """Ask a node in a process of its own, which does not live to reply."""
    child = os.fork()
    if child == 0:
        replies(file, moment, request)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def draws(file: Path) -> int:
    log = Path(f"{file}.draws")
    return len(log.read_text().splitlines()) if log.exists() else 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
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
    killed(file, moment, "r1")
    assert (len(SpendRecord.open(file).spends("a")), draws(file)) == (spent, drawn)

    # The same message reaches the restarted node twice; then it goes on from its record.
    first, second, *later = replies(file, "never", "r1", "r1", "r2", "r3", "r4")
    assert first == second
    assert isinstance(first, list) if again == "a release" else first == again
    assert [isinstance(each, list) for each in later] == [True, True, False]
    assert later[2] == "SpentError"
    assert [each.request for each in SpendRecord.open(file).spends("a")] == ["r1", "r2", "r3"]
    lost_without_a_draw = moment == "reserved"
    assert draws(file) == 3 - lost_without_a_draw
