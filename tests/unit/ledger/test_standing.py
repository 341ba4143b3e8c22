"""The sums that each entry of a ledger holds: they decide, and ``verify`` adds them up again."""

import pytest

from relgauss.errors import (
    RecordError,
)
from relgauss.ledger import Ledger

from .spends import spend, statement


def test_sums_are_those_of_all_spends_to_the_last_digit(ledger):
    for number in range(7):
        spend(ledger, 0.01 + number / 1000)
    ledger.add_outside(statement(0.03), "elsewhere")
    assert ledger.standing().budget == ledger.state().budget
    assert Ledger.open(ledger.file).standing() == ledger.standing()


@pytest.mark.parametrize("kept", [{}, {"orders": (8.0, 32.0)}, {"for_pure": 0.3, "for_failures": 2e-7}])
def test_sums_of_every_kind_come_back(tmp_path, kept):
    ledger = Ledger.create(tmp_path / "l", dataset="d", unit="row", epsilon=2.0, delta=1e-6, **kept)
    ledger.reserve(statement(0.05))
    if kept:
        ledger.add_outside((0.1, 1e-8 if "for_failures" in kept else 0.0), "a survey")
    ledger.reserve(statement(0.1))
    again = Ledger.open(ledger.file)
    assert again.standing().budget == again.state().budget
    assert again.standing().neighbours == again.state().neighbours
    assert again.verify().spends == len(again.state().spends)


def without_sums(entry):
    return {name: said for name, said in entry.content.items() if name != "sums"}


def test_a_ledger_of_an_older_version_is_added_up(ledger):
    """Its entries hold no sums; and a version that knows none may have written the last of them."""
    spend(ledger, 0.1)
    with ledger._log() as log:
        (before,) = (entry for entry in log.entries if entry.kind == "reserve")
        log.append("reserve", **without_sums(before) | {"id": "older"})
    assert Ledger.open(ledger.file).left() == ledger.left()
    assert ledger.standing().budget.spent[0] == pytest.approx(2 * 0.1**2)
    ledger.reserve(statement(0.05))
    assert ledger.standing().budget.spent[0] == pytest.approx(2 * 0.1**2 + 0.05**2)
    ledger.verify()


def test_an_overspent_ledger_is_found(ledger):
    """The planted violation: an entry that is well chained, and that no filter admitted."""
    spend(ledger, 0.2)
    with ledger._log() as log:
        (before,) = (entry for entry in log.entries if entry.kind == "reserve")
        log.append("reserve", **without_sums(before) | {"id": "forged"})
    with pytest.raises(RecordError, match="beyond its budget"):
        ledger.verify()
    assert ledger.left() == 0


def test_sums_that_do_not_add_up_are_found(ledger):
    """The planted violation: a well chained entry that says too little was spent."""
    spend(ledger, 0.2)
    with ledger._log() as log:
        (before,) = (entry for entry in log.entries if entry.kind == "reserve")
        log.append("reserve", **before.content | {"id": "forged"})
    with pytest.raises(RecordError, match="do not add up"):
        ledger.verify()


def test_a_decision_reads_the_last_entry_and_no_other_spend(ledger, monkeypatch):
    """What makes a release cost the same however long the ledger is."""
    for _ in range(5):
        spend(ledger, 0.01)
    read = []
    monkeypatch.setattr("relgauss.ledger.standing.read_spend", lambda entry: read.append(entry))
    Ledger.open(ledger.file).reserve(statement(0.01))
    assert read == []
