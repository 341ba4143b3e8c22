"""Certificates: typed outcomes, charges, and every bad number refused before anything is drawn."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

import relgauss as rg
from relgauss.certify import (
    Certified,
    Refused,
    RowBounds,
    certify_by_regulariser,
    certify_by_release,
    certify_within,
    expected_eigenvalue,
    gradient_sensitivity,
    propose_test_release,
    propose_within,
    public_iterate_sensitivity,
)
from relgauss.certify.by_test import threshold
from relgauss.errors import (
    InvalidParameterError,
    InvalidValueError,
    RelgaussError,
    SecureNoiseUnavailableError,
)
from relgauss.noise import discrete_laplace, lattice, randomness
from relgauss.spending import Spending

ROWS = RowBounds(10_000, 5, 3.0, 1.0)
BAD = [math.nan, math.inf, -math.inf, -1.0, 0.0, "1", True, None]


def by_release(value: float = 0.8, rows: RowBounds = ROWS, **options) -> Certified | Refused:
    settings = {"mu": 0.1, "failure": 1e-7} | options
    return certify_by_release(value, rows, **settings)


def by_test(rho: float = 0.4, value: float = 0.8, rows: RowBounds = ROWS, **options) -> Certified | Refused:
    return propose_test_release(rho, value, rows, **({"epsilon": 0.2, "delta": 1e-12} | options))


@pytest.mark.parametrize("rng", [None, np.random.default_rng(0)])
def test_a_release_certifies_less_than_the_truth_and_says_what_it_cost(rng):
    found = by_release(rng=rng, failure=1e-12)
    assert isinstance(found, Certified)
    step = ROWS.eigenvalue_sensitivity
    # The margin is 7 standard deviations of step/mu; the noise exceeds it once in 1e12.
    assert 0.8 - 15 * step / 0.1 < found.rho < 0.8 - step
    assert [charge.guarantee for charge in found.charges] == [rg.GaussianDP(0.1), rg.Failure(1e-12)]
    assert all(charge.theorem == "proofs/certificates.md" for charge in found.charges)
    assert found.simulated == (rng is not None)


def test_the_lower_bound_is_the_formula():
    found = by_release(rng=np.random.default_rng(3))
    noise = np.random.default_rng(3).normal()
    step = 9.0 / 10_000
    expected = 0.8 + step / 0.1 * (noise - stats.norm.isf(1e-7)) - step
    assert found.rho == pytest.approx(expected, rel=1e-6)
    assert by_release(rng=np.random.default_rng(3), floor=0.25).rho == pytest.approx(
        expected + 0.25, rel=1e-6
    )


def test_a_hidden_eigenvalue_is_refused_and_paid_for():
    found = by_release(1e-9, rng=np.random.default_rng(0))
    assert isinstance(found, Refused)
    assert len(found.charges) == 2
    assert "could not be told from zero" in found.reason
    assert found.fix


def test_a_proposal_that_holds_passes_and_one_that_does_not_fails():
    passed, failed = by_test(), by_test(rho=0.8)
    assert passed == Certified(0.4, passed.charges, False)
    assert isinstance(failed, Refused)
    assert passed.charges == failed.charges
    assert passed.charges[0].guarantee == rg.ApproximateDP(0.2, 1e-12)


def test_a_simulated_test_is_marked():
    rng = np.random.default_rng(0)
    assert by_test(rng=rng).simulated
    assert by_test(rho=0.9, rng=rng).simulated


def test_a_public_regulariser_moves_the_proposal():
    assert isinstance(by_test(rho=0.9, floor=0.6), Certified)


def test_a_huge_public_regulariser_passes():
    assert isinstance(by_test(rho=0.9, floor=1e200), Certified)


def test_a_printed_bound_is_never_smaller_than_the_bound():
    rows = RowBounds(10, 2, 1.00000049, 2.00000049)
    assert "at most 1.00001 and its label is at most 2.00001" in rows.condition.text


def test_the_threshold_by_hand():
    assert threshold(1.0, 1e-6) == math.ceil(math.log(1e6 / (1 + math.exp(-1))))
    assert threshold(5.0, 0.4) == 1


def test_a_regulariser_certifies_for_nothing():
    found = certify_by_regulariser(0.03, 2.0)
    assert found.rho == pytest.approx(0.015)
    assert found.rho <= 0.015
    assert found.charges == ()
    assert isinstance(certify_by_regulariser(0.0, 2.0), Refused)


def test_the_gradient_s_constants():
    bound = gradient_sensitivity(0.25, ROWS)
    assert bound.eta == pytest.approx(9 / (0.25 * 10_000), rel=1e-6)
    assert bound.r == pytest.approx((9 * 2 + 6) / 10_000, rel=1e-6)
    assert (bound.form, bound.provenance) == ("linear", "certified")


def test_a_stated_solution_bound_is_an_assumption():
    bound = gradient_sensitivity(0.25, ROWS, solution_bound=1.0)
    assert bound.r == pytest.approx((9 + 6) / 10_000, rel=1e-6)
    assert bound.provenance == "assumed"
    assert gradient_sensitivity(0.25, ROWS, solution_bound=5.0) == gradient_sensitivity(0.25, ROWS)


def test_constants_round_up():
    assert gradient_sensitivity(0.25, ROWS).eta > 9 / (0.25 * 10_000)
    assert public_iterate_sensitivity(ROWS, 2.0).r > (9 * 2 + 6) / 10_000
    assert ROWS.eigenvalue_sensitivity > 9 / 10_000


def test_floating_point_is_charged_more_with_more_records():
    few, many = (RowBounds(n, 5, 3.0, 1.0) for n in (10**3, 10**8))
    assert few.eigenvalue_sensitivity * 10**3 / 9 == pytest.approx(1, rel=1e-8)
    assert many.eigenvalue_sensitivity * 10**8 / 9 > 2
    with pytest.raises(InvalidParameterError, match="floating point"):
        gradient_sensitivity(1e-9, many)


@pytest.mark.parametrize(("dim", "radius"), [(1, 1.0), (5, 2.0), (22, 6.0), (22, 1e3)])
def test_gaussian_features_by_integration(dim, radius):
    law = stats.chi2(dim)
    inner = integrate.quad(lambda t: t * law.pdf(t), 0, min(radius**2, 500))[0]
    assert expected_eigenvalue(dim, radius) == pytest.approx((inner + radius**2 * law.sf(radius**2)) / dim)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.5, 2.0, "0.8", None, [0.8, 0.9]])
@pytest.mark.parametrize("certify", [by_release, by_test])
def test_an_impossible_eigenvalue_is_refused_and_never_shown(certify, value, monkeypatch):
    monkeypatch.setattr(lattice, "add_discrete_gaussian", lambda *_: pytest.fail("noise was drawn"))
    monkeypatch.setattr(discrete_laplace, "draw", lambda *_: pytest.fail("noise was drawn"))
    with pytest.raises(InvalidValueError) as refusal:
        certify(value=value)
    assert str(value) not in str(refusal.value)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["mu", "failure"])
def test_bad_parameters_of_a_release(name, bad):
    with pytest.raises(RelgaussError, match=name):
        by_release(**{name: bad})


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", ["epsilon", "delta", "rho"])
def test_bad_parameters_of_a_test(name, bad):
    with pytest.raises(RelgaussError, match=name):
        by_test(**{name: bad})


@pytest.mark.parametrize(("name", "bad"), [("failure", 0.5), ("mu", 1e200)])
def test_extreme_parameters_of_a_release(name, bad):
    with pytest.raises(RelgaussError):
        by_release(**{name: bad})


@pytest.mark.parametrize(("name", "bad"), [("delta", 0.5), ("epsilon", 1e-12), ("epsilon", 1e3)])
def test_extreme_parameters_of_a_test(name, bad):
    with pytest.raises(RelgaussError, match=name):
        by_test(**{name: bad})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, "1"])
def test_bad_floors(bad):
    for certify in (by_release, by_test):
        with pytest.raises(RelgaussError, match="floor"):
            certify(floor=bad)


@pytest.mark.parametrize("bad", [*BAD, 1e100])
@pytest.mark.parametrize("name", ["radius", "label_bound"])
def test_bad_row_bounds(name, bad):
    with pytest.raises(RelgaussError, match=name):
        RowBounds(**({"count": 10, "dim": 2, "radius": 1.0, "label_bound": 1.0} | {name: bad}))


@pytest.mark.parametrize("bad", [0, -1, 2.5, math.nan, "3", True])
@pytest.mark.parametrize("name", ["count", "dim"])
def test_bad_counts(name, bad):
    with pytest.raises(RelgaussError, match=name):
        RowBounds(**({"count": 10, "dim": 2, "radius": 1.0, "label_bound": 1.0} | {name: bad}))


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_a_certificate_is_a_positive_number(bad):
    with pytest.raises(RelgaussError, match="rho"):
        Certified(bad)
    with pytest.raises(RelgaussError, match="rho"):
        gradient_sensitivity(bad, ROWS)


@pytest.mark.parametrize("rng", [0, "seed", np.random, True])
def test_only_a_generator_asks_for_simulation(rng):
    for certify in (by_release, by_test):
        with pytest.raises(InvalidParameterError, match="rng"):
            certify(rng=rng)


def test_without_randomness_a_test_raises(monkeypatch):
    monkeypatch.setattr(randomness.os, "urandom", lambda count: b"")
    with pytest.raises(SecureNoiseUnavailableError):
        by_test()


def test_an_eigenvalue_that_floating_point_took_outside_is_not_refused():
    """Among so many records the sums err by more than a millionth: a refusal would then tell of a record."""
    many = RowBounds(10**9, 100, 1.0, 1.0)
    assert many.checked_eigenvalue(-9e-8) == 0.0
    assert many.checked_eigenvalue(0.01 + 9e-8) == 0.01
    with pytest.raises(InvalidValueError):
        many.checked_eigenvalue(-2e-7)


@pytest.mark.parametrize("value", [0.8, 1e-9])
def test_within_a_budget_the_same_is_certified_and_its_share_charged_there(value: float):
    spending = Spending(rg.GaussianDP(0.2), np.random.default_rng(3))
    within = certify_within(spending, 0.25, value, ROWS, 1e-7)
    alone = by_release(value, mu=0.2 * math.sqrt(0.25 * (1 - 1e-12)), rng=np.random.default_rng(3))
    assert type(within) is type(alone)
    assert vars(within) == vars(alone) | {"charges": ()}
    assert spending.left == pytest.approx(0.75)
    assert spending.close()[0] == alone.charges[0]


@pytest.mark.parametrize("rho", [0.4, 0.8])
def test_within_a_budget_the_same_is_tested_for_a_planned_charge(rho: float):
    cost = rg.ApproximateDP(0.2, 1e-12)
    alone = by_test(rho, rng=np.random.default_rng(3))
    planned = rg.Charge("certificate", cost, "proofs/certificates.md", (ROWS.condition,))
    spending = Spending(rg.GaussianDP(0.2), np.random.default_rng(3), (planned,))
    within = propose_within(spending, rho, 0.8, ROWS, cost)
    assert type(within) is type(alone)
    assert vars(within) == vars(alone) | {"charges": ()}
    assert spending.close()[-1] == alone.charges[0]
