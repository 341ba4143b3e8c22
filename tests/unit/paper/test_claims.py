"""The paper's claims: every verdict is computed, and would differ if the numbers did."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from relgauss.mechanisms.relative_theorem import relative_theorem
from relgauss.paper.claims import CHECKS, certificates, descent, mechanism
from relgauss.paper.claims.claim import verdict
from relgauss.paper.procedure_not_private import (
    accepts_not_private,
    clip_features_not_private,
    delta_plus_not_private,
)

EXPECTED = {
    "Theorem 1": "holds",
    "Corollary 1, example": "holds corrected",
    "tCDP, main text": "holds",
    "tCDP, appendix": "holds corrected",
    "Privacy-loss decomposition": "holds",
    "Tightness": "holds",
    "Theorem 2, utility": "holds corrected",
    "Orthogonal data": "holds corrected",
    "Ã ⪰ ρC gives Ã⁻² ⪯ ρ⁻²C⁻²": "does not hold",
    "Δ₊ + Lap(1/ε) is ε-DP": "does not hold",
    "Test threshold log(1/δ)/ε": "holds corrected",
    "Gaussian features": "holds corrected",
    "Clipping variance αc²/(εN²)": "holds corrected",
}


@pytest.fixture(scope="module")
def claims():
    return {claim.name: claim for claim in (check() for check in CHECKS)}


def test_the_verdicts(claims):
    assert {name: claim.verdict for name, claim in claims.items()} == EXPECTED


def test_every_claim_says_where_and_what(claims):
    for claim in claims.values():
        assert all(dataclasses.asdict(claim).values())
        assert "|" not in claim.claim + claim.computed  # it would break the page's table


def test_the_page_in_the_docs_is_that_of_the_command(claims, project_root: Path):
    page = (project_root / "docs" / "claims.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| **")]
    found = {row.split("**")[1]: row.split("**")[-2] for row in rows}
    assert found == EXPECTED


def test_verdicts():
    assert verdict(True, False) == "holds"
    assert verdict(False, True) == "holds corrected"
    assert verdict(False, False) == "does not hold"


def test_half_of_theorem_one_would_not_hold(monkeypatch):
    monkeypatch.setattr(mechanism, "relative_theorem", lambda *args: relative_theorem(*args) / 2)
    assert mechanism.theorem_one().verdict == "does not hold"


def test_a_smaller_sigma_would_not_hold(monkeypatch):
    honest = mechanism._worst_with_least_sigma(0.01, 1e-4, 1, 2.0)
    assert honest <= relative_theorem(0.01, 1e-4, 1, 2.0)
    monkeypatch.setattr(mechanism, "_worst_with_least_sigma", lambda *args: 2 * relative_theorem(*args))
    assert mechanism.theorem_one().verdict == "does not hold"


def test_a_utility_theorem_in_one_dimension_holds_as_printed():
    rng = np.random.default_rng(0)
    assert descent._error_over_bound(1, 0.01, 0.1, 1 / 1.01, 1, rng) <= 1


def test_a_test_that_asks_for_more_would_hold(monkeypatch):
    monkeypatch.setattr(certificates, "_pass_at_one", lambda threshold, epsilon: 1e-7)
    assert certificates.threshold().verdict == "holds"


# The literal procedure


def test_literal_clipping_by_hand():
    scale = np.diag([4.0, 1.0])
    rows = np.array([[4.0, 0.0], [0.0, 1.0], [0.3, 0.0]])
    clipped = clip_features_not_private(rows, scale, 1.0)
    # (||x||² xᵀC⁻²x)^{1/4} is 2, 1 and 0.15
    np.testing.assert_allclose(clipped, [[2.0, 0.0], [0.0, 1.0], [0.3, 0.0]])


def test_delta_plus_by_hand():
    rows = np.repeat(np.eye(2), 10, axis=0)  # A = I/2; leverages (1/2 - 1/4)^{-1} = 4: five of them sum to 20
    assert delta_plus_not_private(rows, 0.25, np.eye(2)) == 5
    assert delta_plus_not_private(rows, 0.6, np.eye(2)) == 0


def test_the_literal_test_passes_half_of_the_time_at_its_threshold():
    rng = np.random.default_rng(0)
    passed = np.mean([accepts_not_private(10, 1.0, np.exp(-10), rng) for _ in range(4000)])
    assert passed == pytest.approx(0.5, abs=0.05)
