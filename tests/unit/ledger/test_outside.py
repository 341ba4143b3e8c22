"""What was released without a ledger, and counts in it."""

import json
import math

import pytest

import relgauss as rg
from relgauss.errors import (
    NoGuaranteeError,
    OverBudgetError,
    RelgaussError,
)
from relgauss.ledger import Ledger
from relgauss.ledger.promise import NEIGHBOURS

from .spends import statement


def test_outside_spends_count(ledger, tmp_path):
    ledger.add_outside(rg.GaussianDP(0.1), "a survey")
    ledger.add_outside(rg.PureDP(0.05), "a count")
    ledger.add_outside(statement(0.05), "means")
    assert [spend.status for spend in ledger.state().spends] == ["outside"] * 3
    mu = math.sqrt(0.1**2 + 0.05**2 + (1.2533 * 0.05) ** 2)
    left = math.sqrt(rg.Budget(1, 1e-6).mu ** 2 - mu**2)
    assert ledger.state().budget.left.mu == pytest.approx(left, rel=1e-3)
    with pytest.raises(OverBudgetError):
        ledger.add_outside((0.5, 1e-7), "another release")
    with pytest.raises(NoGuaranteeError, match="unit"):
        ledger.add_outside(statement(0.1, unit="household"), "other people")
    for nonsense in (None, 0.5, (1, 2, 3), (math.nan, 0.0), (1.0, -1.0), "epsilon 1"):
        with pytest.raises(RelgaussError):
            ledger.add_outside(nonsense, "nonsense")


def test_an_outside_spend_beyond_the_budget_ends_it_if_that_is_said(ledger):
    ledger.add_outside((8.0, 1e-5), "a careless release", beyond=True)
    assert ledger.left() == 0
    with pytest.raises(OverBudgetError, match="Nothing more can be released"):
        ledger.reserve(statement(1e-6))
    assert ledger.verify().spends == 1


def test_plain_epsilon_and_delta_come_in_where_delta_has_a_part(tmp_path):
    aside = {"for_pure": 0.6, "for_failures": 2e-7}
    ledger = Ledger.create(tmp_path / "d", dataset="x", unit="row", epsilon=2, delta=1e-6, **aside)
    ledger.add_outside((0.5, 1e-7), "the census")
    exported = ledger.export()
    assert exported["spends"][0]["charges"][0]["guarantee"] == {
        "kind": "epsilon-delta",
        "epsilon": 0.5,
        "delta": 1e-7,
    }
    assert exported["left"]["pure"] == pytest.approx(0.1)
    assert exported["left"]["epsilon"] == pytest.approx(1.4, abs=0.02)
    json.dumps(exported, allow_nan=False)


def test_plain_numbers_are_for_the_neighbours_that_a_ledger_says(tmp_path):
    """Also before its first spend."""
    for word in NEIGHBOURS:
        given = {"dataset": "x", "unit": "row", "epsilon": 1, "delta": 1e-6, "neighbours": word}
        ledger = Ledger.create(tmp_path / word, **given)
        ledger.add_outside((0.01, 0.0), "a count")
        kind = "add-or-remove" if word == "add-or-remove" else "replace-one"
        ledger.reserve(
            rg.PrivacyStatement((rg.Charge("noise", rg.GaussianDP(0.05, kind), "proofs/x"),), 1e-6)
        )
        assert ledger.state().budget.neighbours == kind
