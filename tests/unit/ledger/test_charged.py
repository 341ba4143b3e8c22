"""Reserve, draw, record: whatever fails on the way, what may have been drawn is spent."""

import sqlite3
from pathlib import Path

import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, OverBudgetError, UnrecordedReleaseWarning
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged

MECHANISM = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 10.0)
PLANNED = MECHANISM.statement(1e-6)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "pay.ledger", dataset="pay", unit="row", epsilon=1.0, delta=1e-6)


def statuses(ledger: Ledger) -> list[str]:
    return [spend.status for spend in ledger.state().spends]


def test_without_a_ledger_nothing_happens():
    with charged(None, PLANNED):
        MECHANISM.release(1.0)


def test_it_counts_before_the_block_and_is_released_after_it(ledger):
    with charged(ledger, PLANNED):
        assert statuses(ledger) == ["reserved"]
    assert statuses(ledger) == ["released"]


def test_a_block_that_fails_stays_spent(ledger):
    for failure in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(failure), charged(ledger, PLANNED):
            raise failure
    assert statuses(ledger) == ["reserved", "reserved"]


def test_what_does_not_fit_never_enters_the_block(ledger):
    entered = False
    with (
        pytest.raises(OverBudgetError),
        charged(ledger, rg.Gaussian(MECHANISM.sensitivity, 1, 1.0).statement(1e-6)),
    ):
        entered = True
    assert not entered
    assert statuses(ledger) == []


def test_the_block_may_say_what_it_spent(ledger):
    with charged(ledger, MECHANISM.statement(1e-6, steps=2)) as final:
        final.append(PLANNED)
    assert statuses(ledger) == ["released"]


def test_a_release_that_cannot_be_recorded_is_kept_with_a_warning(ledger, monkeypatch):
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with pytest.warns(UnrecordedReleaseWarning, match="counts as spent.*full"), charged(ledger, PLANNED):
        monkeypatch.setattr("relgauss.ledger.ledger.begin", full)
    monkeypatch.undo()
    assert statuses(ledger) == ["reserved"]


def test_a_path_is_no_ledger(ledger):
    with pytest.raises(InvalidParameterError, match=r"Ledger\.open"), charged(str(ledger.file), PLANNED):
        pass
