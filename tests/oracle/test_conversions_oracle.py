"""Conversions between privacy notions against 50-digit arithmetic and dp_accounting."""

import math
from itertools import product

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import gdp, rdp
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_epsilon_mironov, rdp_to_log_delta

from . import reference

MUS = [1e-9, 1e-6, 1e-3, 0.1, 0.4999, 0.5, 1.0, 3.0, 20.0, 91.76746047278901, 100.0]
DELTAS = [1e-300, 1e-100, 1e-12, 1e-6, 0.01, 0.5]
EPSILONS = [1e-6, 1e-3, 0.5, 1.0, 30.0, 1e3, 1e4]


def log_excess(log_value: float, true) -> float:
    """How far a log value lies above the log of the true one."""
    with mp.workdps(40):
        return float(mpf(log_value) - mp.log(true))


# Gaussian differential privacy.


@pytest.mark.parametrize("mu", MUS)
def test_gaussian_profile_is_just_above_the_exact_value(mu):
    """At epsilons from -8 to 38 standard deviations of the loss: delta from one half to 1e-300."""
    for z in np.linspace(-8, 37, 60):
        epsilon = max(0.0, mu * (mu / 2 + z))
        true = reference.gaussian_delta(mu, epsilon)
        assert 0 <= log_excess(gdp.log_delta(mu, epsilon), true) <= 1e-11, epsilon


def test_gaussian_profile_where_its_two_tails_begin():
    """Around epsilon = mu²/2 the first tail is one half and only rounding is left to be wrong about."""
    rng = np.random.default_rng(2)
    cases = [(91.76746047278901, 4210.608441255717)]
    cases += [(mu, mu * (mu / 2 + rng.uniform(-0.05, 0.05))) for mu in 10 ** rng.uniform(1, 2, 300)]
    for mu, epsilon in cases:
        true = reference.gaussian_delta(mu, epsilon)
        assert 0 <= log_excess(gdp.log_delta(mu, epsilon), true) <= 1e-11, (mu, epsilon)


@pytest.mark.parametrize("mu", [1e3, 1e6, 1e9, 1e10, 25118864315.09582, 1e12])
def test_gaussian_profile_of_hardly_any_privacy(mu):
    """Digits are lost where epsilon² overflows a double's precision, but never to the unsafe side."""
    for z in (-30.0, -3.0, -1.0, -1e-3, 0.0, 1e-3, 1.0, 3.0, 30.0):
        epsilon = mu * (mu / 2 + z)
        assert log_excess(gdp.log_delta(mu, epsilon), reference.gaussian_delta(mu, epsilon)) >= 0, z


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("mu", MUS)
def test_gaussian_epsilon_is_the_least(mu, delta):
    epsilon = gdp.epsilon(mu, delta)
    assert reference.gaussian_delta(mu, epsilon) <= delta
    if epsilon > 0:
        assert reference.gaussian_delta(mu, epsilon * (1 - 1e-10)) > delta


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_gaussian_mu_is_the_largest(epsilon, delta):
    mu = gdp.mu(epsilon, delta)
    assert reference.gaussian_delta(mu, epsilon) <= delta
    assert reference.gaussian_delta(mu * (1 + 1e-10), epsilon) > delta


# From Rényi curves to (epsilon, delta).


@pytest.mark.parametrize("delta", [1e-300, 1e-12, 1e-6, 0.1])
@pytest.mark.parametrize("mu", [1e-3, 0.1, 1.0, 10.0])
def test_conversion_agrees_with_dp_accounting_at_the_same_order(mu, delta):
    def curve(alpha: float) -> float:
        return rdp.gaussian(mu, alpha)

    alpha, epsilon = rdp_to_epsilon(curve, math.inf, delta)
    theirs, order = rdp_privacy_accountant.compute_epsilon([alpha], [curve(alpha)], delta)
    assert order == alpha
    assert epsilon == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("mu", [0.05, 1.0, 4.0])
def test_continuous_orders_are_no_worse_than_a_dense_list(mu):
    orders = 1 + np.geomspace(1e-3, 1e4, 3000)
    theirs, _ = rdp_privacy_accountant.compute_epsilon(orders, mu * mu / 2 * orders, 1e-6)
    ours = rdp_to_epsilon(lambda alpha: rdp.gaussian(mu, alpha), math.inf, 1e-6)[1]
    assert theirs * (1 - 1e-5) <= ours <= theirs * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0, 40.0])
def test_delta_by_the_conversion_agrees_with_dp_accounting(epsilon):
    mu = 1.3
    alpha, log_delta = rdp_to_log_delta(lambda a: rdp.gaussian(mu, a), math.inf, epsilon)
    theirs, _ = rdp_privacy_accountant.compute_delta([alpha], [rdp.gaussian(mu, alpha)], epsilon)
    # They also take the bound sqrt(1 - e^{-D}), which can be smaller for large delta.
    assert math.exp(log_delta) >= theirs * (1 - 1e-9)
    if theirs < 0.1:
        assert math.exp(log_delta) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("delta", [1e-200, 1e-8, 0.3])
@pytest.mark.parametrize("epsilon0", [1e-6, 0.1, 1.0, 50.0])
def test_pure_curve_is_just_above_that_of_randomised_response(epsilon0, delta):
    for alpha in (1 + 1e-6, 1.5, 2.0, 10.0, 1e4):
        with mp.workdps(60):
            e, a = mpf(epsilon0), mpf(alpha)
            total = (mp.exp(a * e) + mp.exp((1 - a) * e)) / (1 + mp.exp(e))
            true = mp.log(total) / (a - 1)
            assert true <= rdp.pure(epsilon0, alpha) <= true * (1 + mpf("1e-9")) + mpf("1e-15") / (a - 1)
    assert rdp_to_epsilon(lambda a: rdp.pure(epsilon0, a), math.inf, delta)[1] <= epsilon0 + 1e-9


def test_mironovs_conversion_of_a_gaussian_has_a_closed_form():
    """min over alpha of alpha mu²/2 + log(1/delta)/(alpha-1) is mu²/2 + mu sqrt(2 log(1/delta))."""
    for mu in (1e-3, 0.2, 2.0):
        closed = mu * mu / 2 + mu * math.sqrt(2 * math.log(1e8))
        found = rdp_to_epsilon_mironov(lambda a, mu=mu: rdp.gaussian(mu, a), math.inf, 1e-8)[1]
        assert closed * (1 - 1e-12) <= found <= closed * (1 + 1e-9)


# Truncated concentrated differential privacy and the paper's corollary.


def test_tcdp_of_the_mechanism():
    """rho = eta²(1/gamma + d(2+eta)²(1+eta)²), omega = 1 + 1/(2 eta(2+eta)), worked out by hand."""
    tcdp = rg.RelativeGaussian(rg.RelativeSensitivity(0.5), 4, 0.25).tcdp()
    assert tcdp.rho == pytest.approx(0.25 * (4 + 4 * 6.25 * 2.25), rel=1e-12)  # 15.0625
    assert tcdp.omega == pytest.approx(1.4, rel=1e-12)
    assert tcdp.rdp(1.3) == pytest.approx(1.3 * 15.0625, rel=1e-12)
    assert tcdp.rdp(1.4) == math.inf


def test_corollary_of_the_paper():
    """eta = 1e-3, d = 10, delta = 1e-8, gamma = 100 eta²: chi + 2 sqrt(chi log(1/delta)) = 0.8701."""
    tcdp = rg.RelativeGaussian(rg.RelativeSensitivity(1e-3), 10, 1e-4).tcdp()
    by_corollary = tcdp.rho + 2 * math.sqrt(tcdp.rho * math.log(1e8))
    assert by_corollary == pytest.approx(0.8701, abs=5e-5)
    assert rdp_to_epsilon_mironov(tcdp.rdp, tcdp.omega, 1e-8)[1] == pytest.approx(by_corollary, rel=1e-9)
    assert tcdp.epsilon(1e-8) < by_corollary


def test_tcdp_whose_best_order_is_cut_off():
    """Past omega the best order is omega itself: Mironov's epsilon is rho·omega + log(1/delta)/(omega-1)."""
    rho, omega, delta = 0.01, 3.0, 1e-6
    tcdp = rg.TruncatedConcentratedDP(rho, omega)
    mironov = rdp_to_epsilon_mironov(tcdp.rdp, omega, delta)[1]
    closed = rho * omega + math.log(1 / delta) / (omega - 1)
    assert closed <= mironov <= closed * 1.01
    assert tcdp.epsilon(delta) <= mironov


def test_tcdp_composes():
    total = rg.TruncatedConcentratedDP(0.1, 5.0).then(rg.TruncatedConcentratedDP(0.2, 4.0))
    assert total.omega == 4.0
    assert mpf(total.rho) >= mpf(0.1) + mpf(0.2)
    assert total.rho == pytest.approx(0.3, rel=1e-14)


def test_tcdp_delta_never_vanishes():
    """A delta too small for a double is the smallest double, not zero."""
    assert rg.TruncatedConcentratedDP(1e-3).delta(100.0) > 0


# Subsampling without replacement.


def subsampled(curve, rate: float, alpha: int):
    """Theorem 9 of Wang, Balle and Kasiviswanathan (2019), written out term by term."""
    with mp.workdps(60):
        s, second = mpf(rate), mpf(curve(2.0))
        total = 1 + s**2 * mp.binomial(alpha, 2) * min(4 * mp.expm1(second), 2 * mp.exp(second))
        binomial = mp.binomial(alpha, 2)
        for j in range(3, alpha + 1):
            binomial = binomial * (alpha - j + 1) / j
            total += 2 * s**j * binomial * mp.exp((j - 1) * mpf(curve(float(j))))
        return min(mp.log(total) / (alpha - 1), mpf(curve(float(alpha))))


@pytest.mark.parametrize(
    ("alpha", "mu", "rate"),
    [
        *product((2, 3, 8, 64), (1e-3, 0.3, 2.0), (1e-6, 1e-3, 0.05, 0.5, 1.0)),
        *product((500,), (1e-3, 2.0), (1e-3, 0.5)),
        (4096, 0.3, 0.05),
    ],
)
def test_subsampling_theorem(mu, rate, alpha):
    def curve(order: float) -> float:
        return rdp.gaussian(mu, order)

    value = mpf(rg.Subsampled(rg.GaussianDP(mu), rate).rdp(alpha))
    true = subsampled(curve, rate, alpha)
    assert true <= value <= true * (1 + mpf("1e-9")) + mpf("1e-14")


@pytest.mark.parametrize(("eta", "gamma"), [(0.01, 0.01), (0.1, 0.5)])
def test_subsampled_relative_gaussian(eta, gamma):
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta), 5, gamma)
    batch = rg.Subsampled(mechanism.guarantee, 0.02)
    for alpha in (2, 3, 4):
        true = subsampled(mechanism.guarantee.rdp, 0.02, alpha)
        assert true <= batch.rdp(alpha) <= true * (1 + mpf("1e-9"))


def test_batches_of_a_relative_gaussian_cost_less_than_all_records():
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.01), 5, 0.01)
    batch = rg.Subsampled(mechanism.guarantee, 0.02)
    assert rg.compose((batch, 10)).epsilon(1e-6) < mechanism.epsilon(1e-6, 10)


def test_without_an_order_of_two_only_the_profile_is_amplified():
    """(1+eta)² < 2, that is eta < sqrt(2) - 1, leaves order 2 finite; beyond it the theorem has no order."""
    for eta, holds in [(0.414, True), (0.4143, False)]:
        guarantee = rg.RelativeGaussian(rg.RelativeSensitivity(eta), 1, 1.0).guarantee
        batch = rg.Subsampled(guarantee, 0.1)
        assert math.isfinite(batch.rdp(2)) == holds
        assert (batch.rdp(2) < guarantee.rdp(2)) == holds
        assert rg.compose(batch).epsilon(1e-6) < rg.compose(guarantee).epsilon(1e-6)


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("mu", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 0.3, 1.0, 5.0, 800.0])
def test_the_profile_of_a_batch(mu, rate, epsilon):
    """H'(epsilon) = s H(log(1 + (e^epsilon - 1)/s)), Balle, Barthe and Gaboardi (2018), with 60 digits."""
    found = rg.Subsampled(rg.GaussianDP(mu), rate).log_delta(epsilon)
    with mp.workdps(60):
        s = mpf(rate)
        on_batch = mp.log1p(mp.expm1(mpf(epsilon)) / s)
        true = mp.log(s * reference.gaussian_delta(mu, on_batch))
        assert true <= mpf(found) <= true + mpf("1e-9") * (1 + abs(true))


def test_a_batch_of_two_records_by_hand():
    """Randomised response on one record of two: at epsilon 0 the profile is s (e^e0 - 1) / (e^e0 + 1)."""
    batch = rg.Subsampled(rg.PureDP(1.0), 0.5)
    p = math.e / (1 + math.e)
    true = 0.5 * (2 * p - 1)  # the distance of 0.5 p + 0.5 x from 0.5 (1-p) + 0.5 x, whatever x
    assert true <= rg.compose(batch).delta(0.0) <= true * (1 + 1e-12)
    largest = math.log((0.5 * p + 0.5 * (1 - p)) / (0.5 * (1 - p) + 0.5 * (1 - p)))
    assert largest <= rg.compose(batch).epsilon(1e-9) * (1 + 1e-8)
    assert rg.compose(batch).epsilon(1e-300) <= largest * (1 + 1e-12)


def test_the_check_sees_a_profile_that_is_too_small():
    true = reference.gaussian_delta(1.0, 2.0)
    assert log_excess(float(mp.log(true)) + math.log(0.999), true) < 0
    assert log_excess(gdp.log_delta(0.999, 2.0), true) < 0
