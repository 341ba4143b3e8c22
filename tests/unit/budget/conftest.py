"""A statement of two stages and a test, for the tests of statements."""

import pytest

import relgauss as rg
from relgauss.accounting import Failure


@pytest.fixture
def two_stages() -> rg.PrivacyStatement:
    first = rg.Charge(
        "covariance",
        rg.GaussianDP(0.25),
        "proofs/conversions.md",
        (rg.Condition("rows are clipped to norm 1", "enforced"), rg.Condition("rows are people", "assumed")),
    )
    second = rg.Charge(
        "descent",
        rg.GaussianDP(0.05),
        "proofs/isometric.md",
        (
            rg.Condition("rows are people", "assumed"),
            rg.Condition("the eigenvalue is above 0.1", "certified"),
        ),
        times=100,
    )
    return rg.PrivacyStatement(
        (first, second, rg.Charge("test", Failure(1e-8), "proofs/composition.md")), 1e-6
    )
