"""What was reserved counts for ever, and a release is recorded once."""

import json
import sqlite3
from dataclasses import replace

import pytest

import relgauss as rg
from relgauss.errors import (
    NoGuaranteeError,
    OverBudgetError,
    RecordError,
    RelgaussError,
)
from relgauss.ledger import Ledger

from .spends import statement


def test_what_is_reserved_counts_whether_or_not_it_is_recorded(ledger):
    ledger.reserve(statement(0.2))
    assert ledger.left() < 0.6
    (found,) = ledger.state().spends
    assert (found.status, found.what) == ("reserved", "a mean")
    with pytest.raises(OverBudgetError):
        ledger.reserve(statement(0.2))


def test_a_record_keeps_the_statement(ledger):
    reservation = ledger.reserve(statement(0.2), "means of jobs")
    ledger.record(reservation, statement(0.1))  # less than planned: what was planned stays spent
    (found,) = ledger.state().spends
    assert (found.status, found.what) == ("released", "means of jobs")
    assert found.charges == statement(0.2).charges
    with sqlite3.connect(ledger.file) as connection:
        ((content,),) = connection.execute("SELECT content FROM entry WHERE kind = 'release'").fetchall()
    assert rg.PrivacyStatement.from_dict(json.loads(content)["statement"]) == statement(0.1)


def test_a_release_that_cost_more_than_was_reserved_counts_in_full(ledger):
    reservation = ledger.reserve(statement(0.1))
    with pytest.raises(NoGuaranteeError, match="more than was reserved"):
        ledger.record(reservation, statement(0.15))
    assert ledger.state().budget.spent[0] == pytest.approx(0.1**2 + 0.15**2)


def test_a_reservation_is_recorded_once_and_a_second_time_counts(ledger):
    reservation = ledger.reserve(statement(0.1))
    ledger.record(reservation, statement(0.1))
    with pytest.raises(NoGuaranteeError, match="recorded twice"):
        ledger.record(reservation, statement(0.1))
    assert ledger.state().budget.spent[0] == pytest.approx(2 * 0.1**2)


def test_what_was_reserved_is_read_in_the_ledger_and_not_in_the_reservation(ledger):
    reservation = replace(ledger.reserve(statement(0.01)), planned=statement(0.2))
    with pytest.raises(NoGuaranteeError, match="more than was reserved"):
        ledger.record(reservation, statement(0.2))
    assert ledger.state().budget.spent[0] == pytest.approx(0.01**2 + 0.2**2)


def test_a_reservation_of_another_ledger_is_refused_and_harms_none(ledger, tmp_path):
    other = Ledger.create(tmp_path / "other", dataset="b", unit="row", epsilon=1.0, delta=1e-6)
    with pytest.raises(RecordError, match="no such reservation"):
        other.record(ledger.reserve(statement(0.1)), statement(0.1))
    assert other.verify().spends == 0


@pytest.mark.parametrize(
    "cost",
    [
        rg.GaussianDP(0.1, "add-or-remove"),
        rg.RenyiDP(rg.RenyiFunction(lambda order: 9.0 * order, 50.0)),
    ],
    ids=["another promise", "no entry can hold it"],
)
def test_a_cost_that_cannot_be_counted_uses_up_the_budget(ledger, cost):
    reservation = ledger.reserve(statement(0.1))
    drawn = rg.PrivacyStatement((rg.Charge("a mean", cost, "proofs/renyi.md"),), 1e-6)
    with pytest.raises(RelgaussError):
        ledger.record(reservation, drawn)
    with pytest.raises(OverBudgetError):
        ledger.reserve(statement(0.001))


def test_a_ledger_that_drew_more_than_its_budget_is_not_verified(ledger):
    with pytest.raises(NoGuaranteeError):
        ledger.record(ledger.reserve(statement(0.05)), statement(5.0))
    with pytest.raises(RecordError, match="beyond its budget"):
        ledger.verify()
