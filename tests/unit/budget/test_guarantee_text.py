"""Guarantees as numbers: every kind that can be spent comes back as it was, nested or not."""

import json
import math

import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP, ProfileTable
from relgauss.budget.guarantee_text import guarantee_from_dict, guarantee_to_dict, has_kind
from relgauss.errors import NoGuaranteeError, RelgaussError

ADDED = "add-or-remove"
GUARANTEES = {
    "gaussian": rg.GaussianDP(0.1),
    "gaussian, added": rg.GaussianDP(0.1, ADDED),
    "pair": GaussianPairDP(0.1, 0.02, 3),
    "pure": rg.PureDP(0.3),
    "approximate": rg.ApproximateDP(0.3, 1e-9),
    "failure": rg.Failure(1e-9),
    "zCDP": rg.ZeroConcentratedDP(0.02),
    "tCDP, added": rg.TruncatedConcentratedDP(0.02, 12.5, ADDED),
    "Rényi table": rg.RenyiDP(rg.RenyiTable((2, 8, 32.5), (0.1, 0.4, 1.7))),
    "profile table": ProfileTable((0.0, 0.5, 1.0), (0.1, 1e-3, 1e-7), ADDED),
    "batch": rg.Subsampled(GaussianPairDP(0.1, 0.02, 3), 0.01),
    "batch of a batch": rg.Subsampled(rg.Subsampled(rg.GaussianDP(1.0), 0.1), 0.2),
    "poisson": rg.PoissonSampled(rg.GaussianDP(1.0, ADDED), 0.01),
    "parallel": rg.Parallel((rg.GaussianDP(0.5), rg.PureDP(0.1))),
    "group": rg.for_group(rg.Subsampled(rg.GaussianDP(0.5), 0.1), 3),
    "replaced from added": rg.as_replace_one(rg.PoissonSampled(rg.GaussianDP(1.0, ADDED), 0.01)),
}


@pytest.mark.parametrize("name", GUARANTEES)
def test_a_guarantee_comes_back_from_json(name):
    guarantee = GUARANTEES[name]
    text = json.dumps(guarantee_to_dict(guarantee), allow_nan=False)
    assert guarantee_from_dict(json.loads(text)) == guarantee
    assert has_kind(guarantee)


@pytest.mark.parametrize("name", GUARANTEES)
def test_a_statement_of_it_comes_back(name):
    statement = rg.PrivacyStatement((rg.Charge("x", GUARANTEES[name], "proofs/composition.md"),), 1e-6)
    again = rg.PrivacyStatement.from_json(statement.to_json())
    assert again == statement
    assert again.epsilon() == statement.epsilon()


def test_the_first_files_still_open():
    """Written before neighbours and nested kinds were there."""
    first = {
        "gaussian": ({"mu": 0.25}, rg.GaussianDP(0.25)),
        "gaussian pair": ({"shift": 0.1, "excess": 0.02, "dim": 3}, GaussianPairDP(0.1, 0.02, 3)),
        "epsilon-delta": ({"epsilon": 0.5, "delta": 0.0}, rg.PureDP(0.5)),
        "failure": ({"probability": 1e-9}, rg.Failure(1e-9)),
    }
    for kind, (numbers, guarantee) in first.items():
        assert guarantee_from_dict({"kind": kind, **numbers}) == guarantee
        assert guarantee_to_dict(guarantee) == {"kind": kind, **numbers}


@pytest.mark.parametrize(
    "guarantee",
    [
        rg.RenyiDP(rg.RenyiFunction(lambda alpha: 0.1 * alpha)),
        rg.Subsampled(rg.RenyiDP(rg.RenyiFunction(lambda alpha: 0.1 * alpha)), 0.1),
    ],
)
def test_a_formula_has_no_form(guarantee):
    assert not has_kind(guarantee)
    with pytest.raises(NoGuaranteeError, match="no form in a record"):
        guarantee_to_dict(guarantee)


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "batch", "guarantee": {"kind": "unknown"}, "rate": 0.1},
        {"kind": "batch", "guarantee": 3, "rate": 0.1},
        {"kind": "batch", "guarantee": {"kind": "gaussian", "mu": 1.0}, "rate": math.nan},
        {"kind": "batch", "guarantee": {"kind": "gaussian", "mu": 1.0}, "rate": 0.1, "neighbours": ADDED},
        {"kind": "parallel", "parts": {"kind": "gaussian", "mu": 1.0}},
        {"kind": "parallel", "parts": []},
        {"kind": "concentrated", "rho": None, "omega": None},
        {"kind": "concentrated", "rho": 0.1, "omega": "inf"},
        {"kind": "renyi table", "curve": {"orders": [2, 1], "divergences": [0.1, 0.2]}},
        {"kind": "renyi table", "curve": {"orders": [2]}},
        {"kind": "gaussian", "mu": 1.0, "neighbours": "anybody"},
        {"kind": "failure", "probability": 0.1, "neighbours": ADDED},
    ],
)
def test_hostile_texts_are_refused(values):
    with pytest.raises(RelgaussError):
        guarantee_from_dict(values)
