"""Poisson samples: profiles of both orders and Rényi bounds against their definitions in 50 digits."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.errors import InvalidParameterError

EPSILONS = (0.0, 1e-4, 0.003, 0.02, 0.1, 0.5, 1.0, 2.5)


def tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def removed(mu, q, epsilon):
    """P - e^eps Q beyond the point where (1-q) + q e^{mu x - mu²/2} = e^eps, P = (1-q) N(0,1) + q N(mu,1)."""
    with mp.workdps(60):
        mu, q, e = mpf(mu), mpf(q), mp.exp(mpf(epsilon))
        at = (mp.log((e - 1 + q) / q) + mu**2 / 2) / mu
        return (1 - q - e) * tail(at) + q * tail(at - mu)


def added(mu, q, epsilon):
    """Q - e^eps P below that point for e^-eps."""
    with mp.workdps(60):
        mu, q, e = mpf(mu), mpf(q), mp.exp(mpf(epsilon))
        if 1 / e <= 1 - q:
            return mpf(0)
        at = (mp.log((1 / e - 1 + q) / q) + mu**2 / 2) / mu
        return tail(-at) * (1 - e * (1 - q)) - e * q * tail(mu - at)


@pytest.mark.parametrize(("mu", "q"), [(1.0, 0.01), (0.2, 0.5), (2.0, 1e-4), (0.5, 1.0), (3.0, 0.9)])
def test_profiles_of_gaussian_noise_are_exact_and_never_below(mu, q):
    sampled = rg.PoissonSampled(rg.GaussianDP(mu, "add-or-remove"), q)
    for order, exact in (("removed", removed), ("added", added)):
        found = sampled.ordered_profile_at(np.array(EPSILONS), order)
        for epsilon, value in zip(EPSILONS, found.tolist(), strict=True):
            true = exact(mu, q, epsilon)
            assert true <= value, (order, epsilon)
            assert value <= true * (1 + mpf("1e-9")) + mpf("1e-17"), (order, epsilon)
            assert mp.log(true) <= sampled.log_delta(epsilon) if true > 0 else True


@pytest.mark.parametrize(("mu", "q"), [(1.0, 0.01), (0.3, 0.2), (2.0, 0.5)])
@pytest.mark.parametrize("alpha", [2, 3, 8, 2.5])
def test_the_renyi_bound_covers_both_orders(mu, q, alpha):
    """Trapezoids of Gaussian mixtures converge to all digits."""
    x, step = np.linspace(-40, 60, 20001, retstep=True)
    log_q = -x * x / 2 - math.log(2 * math.pi) / 2
    log_p = log_q + np.log1p(q * np.expm1(mu * x - mu * mu / 2))
    found = rg.PoissonSampled(rg.GaussianDP(mu, "add-or-remove"), q).rdp(alpha)
    orders = [
        math.log(float(np.exp(alpha * first + (1 - alpha) * second).sum() * step)) / (alpha - 1)
        for first, second in ((log_p, log_q), (log_q, log_p))
    ]
    assert max(orders) * (1 - 1e-9) <= found
    if alpha == int(alpha):
        assert found == pytest.approx(max(orders), rel=1e-9)
    loose = rg.PoissonSampled(rg.RenyiDP(rg.RenyiFunction(rg.GaussianDP(mu).rdp), "add-or-remove"), q).rdp(
        alpha
    )
    assert found <= loose <= max(orders) * 4


def test_taking_every_record_changes_nothing():
    whole = rg.PoissonSampled(rg.GaussianDP(0.7, "add-or-remove"), 1.0)
    assert rg.compose(whole).epsilon(1e-6) == pytest.approx(rg.compose(rg.GaussianDP(0.7)).epsilon(1e-6))
    assert whole.rdp(3.0) == pytest.approx(rg.GaussianDP(0.7).rdp(3.0))


def test_leak_and_failure():
    leaky = rg.PoissonSampled(rg.ApproximateDP(0.1, 0.5, "add-or-remove"), 0.1)
    assert leaky.leak == pytest.approx(0.05)
    assert leaky.leak >= 0.05
    assert leaky.rdp(2.0) == leaky.guarantee.rdp(2.0)
    assert rg.PoissonSampled(rg.Failure(0.01), 0.1).failure == 0.01


def test_pairs_of_unlike_variance_and_batches_of_batches():
    pair = GaussianPairDP(0.5, 0.1, 5, "add-or-remove")
    sampled = rg.PoissonSampled(pair, 0.1)
    gaussian = rg.PoissonSampled(rg.GaussianDP(0.5, "add-or-remove"), 0.1)
    for order in ("removed", "added"):
        grid = np.array(EPSILONS)
        assert np.all(sampled.ordered_profile_at(grid, order) >= gaussian.ordered_profile_at(grid, order))
    twice = rg.PoissonSampled(rg.PoissonSampled(rg.GaussianDP(1.0, "add-or-remove"), 0.1), 0.2)
    once = rg.PoissonSampled(rg.GaussianDP(1.0, "add-or-remove"), 0.02)
    for order in ("removed", "added"):
        assert twice.ordered_profile_at(np.array(EPSILONS), order) == pytest.approx(
            once.ordered_profile_at(np.array(EPSILONS), order), rel=1e-6, abs=1e-15
        )


def test_nonsense_is_refused_by_name():
    for rate in (0, -0.1, 1.01, math.nan, math.inf, "0.1"):
        with pytest.raises(InvalidParameterError, match="rate"):
            rg.PoissonSampled(rg.GaussianDP(1.0, "add-or-remove"), rate)
    for guarantee in (rg.GaussianDP(1.0).rdp, None, 0.1):
        with pytest.raises(InvalidParameterError, match="guarantee"):
            rg.PoissonSampled(guarantee, 0.1)
