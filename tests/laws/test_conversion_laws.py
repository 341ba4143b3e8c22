"""Laws of the conversions: which is tighter, inverse on the safe side, monotone."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import GaussianPairDP, gdp, rdp
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_epsilon_mironov, rdp_to_log_delta


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


deltas = log_uniform(1e-300, 0.5)
small_deltas = log_uniform(1e-300, 1e-2)
mus = log_uniform(1e-9, 100.0)
rhos = log_uniform(1e-12, 100.0)
rates = log_uniform(1e-6, 1.0)

guarantees = st.one_of(
    st.builds(rg.GaussianDP, log_uniform(1e-6, 20.0)),
    st.builds(rg.PureDP, log_uniform(1e-6, 20.0)),
    st.builds(
        GaussianPairDP,
        log_uniform(1e-6, 10.0),
        log_uniform(1e-9, 35.0),
        st.sampled_from([1, 10, 1000, 10**6]),
    ),
)


# From a Rényi curve.


@given(guarantees, deltas)
def test_tight_conversion_is_at_most_mironovs(guarantee, delta):
    tight = rdp_to_epsilon(guarantee.rdp, guarantee.order_limit, delta)[1]
    mironov = rdp_to_epsilon_mironov(guarantee.rdp, guarantee.order_limit, delta)[1]
    assert 0 <= tight <= mironov * (1 + 1e-9)


@given(guarantees, deltas)
def test_exact_epsilon_is_at_most_the_converted_one(guarantee, delta):
    """The profile knows more than the Rényi curve."""
    converted = rdp_to_epsilon(guarantee.rdp, guarantee.order_limit, delta)[1]
    assert rg.compose(guarantee).epsilon(delta) <= converted * (1 + 1e-8) + 1e-12


@given(guarantees, small_deltas)
def test_converting_there_and_back_ends_on_the_safe_side(guarantee, delta):
    """The delta read at the epsilon of a delta is that delta again, within the precision of the search."""
    epsilon = rdp_to_epsilon(guarantee.rdp, guarantee.order_limit, delta)[1]
    alpha, log_delta = rdp_to_log_delta(guarantee.rdp, guarantee.order_limit, epsilon)
    assert alpha > 1
    assert log_delta <= math.log(delta) + 1e-6 * (1 + abs(math.log(delta)))


@given(guarantees, deltas, st.floats(1.0, 10.0))
def test_converted_epsilon_decreases_in_delta(guarantee, delta, factor):
    smaller = rdp_to_epsilon(guarantee.rdp, guarantee.order_limit, delta)[1]
    larger = rdp_to_epsilon(guarantee.rdp, guarantee.order_limit, min(0.999, delta * factor))[1]
    assert larger <= smaller * (1 + 1e-9) + 1e-12


@given(guarantees, deltas, st.integers(1, 1000), st.integers(1, 1000))
def test_converted_epsilon_increases_in_steps(guarantee, delta, steps, more):
    few = rdp_to_epsilon(lambda a: steps * guarantee.rdp(a), guarantee.order_limit, delta)[1]
    many = rdp_to_epsilon(lambda a: (steps + more) * guarantee.rdp(a), guarantee.order_limit, delta)[1]
    assert few <= many * (1 + 1e-9)


# Gaussian differential privacy.


@given(mus, deltas)
def test_gaussian_epsilon_and_delta_are_inverse_on_the_safe_side(mu, delta):
    epsilon = gdp.epsilon(mu, delta)
    assert gdp.log_delta(mu, epsilon) <= math.log(delta)
    if epsilon > 0:
        assert gdp.log_delta(mu, epsilon * (1 - 1e-9)) > math.log(delta)


@given(log_uniform(1e-6, 1e4), deltas)
def test_gaussian_mu_and_epsilon_are_inverse_on_the_safe_side(epsilon, delta):
    mu = gdp.mu(epsilon, delta)
    assert gdp.epsilon(mu, delta) <= epsilon * (1 + 1e-12) + 1e-13
    assert gdp.epsilon(mu * (1 + 1e-9), delta) > epsilon * (1 - 1e-12) - 1e-13


@given(mus, log_uniform(1e-6, 1e4), st.floats(1.0, 2.0))
def test_gaussian_delta_decreases_in_epsilon_and_increases_in_mu(mu, epsilon, factor):
    value = gdp.log_delta(mu, epsilon)
    slack = 1e-12 * (1 + abs(value))
    assert gdp.log_delta(mu, epsilon * factor) <= value + slack
    assert value <= gdp.log_delta(mu * factor, epsilon) + slack


@given(mus, mus, deltas)
def test_gaussian_epsilon_grows_with_mu(mu, more, delta):
    assert gdp.epsilon(mu, delta) <= gdp.epsilon(math.hypot(mu, more), delta) * (1 + 1e-12)


# Truncated concentrated differential privacy.


@given(rhos, st.one_of(st.just(math.inf), log_uniform(1e-3, 1e6).map(lambda x: 1 + x)), small_deltas)
def test_tcdp_epsilon_and_delta_are_inverse_on_the_safe_side(rho, omega, delta):
    tcdp = rg.TruncatedConcentratedDP(rho, omega)
    found = tcdp.delta(tcdp.epsilon(delta))
    assert 0 < found <= delta * (1 + 1e-6 * (1 - math.log(delta)))


@given(rhos, rhos, small_deltas)
def test_tcdp_composition_costs_more_than_each(rho, more, delta):
    total = rg.TruncatedConcentratedDP(rho).then(rg.TruncatedConcentratedDP(more))
    for part in (rho, more):
        assert rg.TruncatedConcentratedDP(part).epsilon(delta) <= total.epsilon(delta) * (1 + 1e-9)


@given(log_uniform(1e-3, 10.0), deltas)
def test_zero_concentrated_is_no_better_than_the_gaussian_it_comes_from(mu, delta):
    assert gdp.epsilon(mu, delta) <= rg.TruncatedConcentratedDP(mu * mu / 2).epsilon(delta) * (1 + 1e-9)


# Subsampling.


@given(mus, rates, st.integers(2, 200))
def test_sampling_never_costs(mu, rate, alpha):
    value = rg.Subsampled(rg.GaussianDP(mu), rate).rdp(alpha)
    assert 0 <= value <= rdp.gaussian(mu, alpha) * (1 + 1e-12)


@given(log_uniform(1e-3, 5.0), rates, st.floats(0.01, 1.0), st.integers(2, 100), deltas)
def test_a_smaller_batch_leaks_less(mu, rate, share, alpha, delta):
    smaller = rg.Subsampled(rg.GaussianDP(mu), rate * share)
    larger = rg.Subsampled(rg.GaussianDP(mu), rate)
    assert smaller.rdp(alpha) <= larger.rdp(alpha) * (1 + 1e-9)
    assert rg.compose(smaller).epsilon(delta) <= rg.compose(larger).epsilon(delta) * (1 + 1e-9)


@settings(max_examples=5, deadline=None)
@given(st.integers(1, 50), st.integers(1, 50))
def test_more_batches_cost_more(steps, more):
    batch = rg.Subsampled(rg.GaussianDP(1.0), 0.01)
    few, many = (rg.compose((batch, times)).epsilon(1e-6) for times in (steps, steps + more))
    assert few <= many * (1 + 1e-3)


@given(guarantees, rates, st.floats(2.0, 60.0))
def test_between_integer_orders_the_moment_of_a_batch_stays_convex(guarantee, rate, alpha):
    """(alpha - 1) D(alpha) is a convex function: its chord is never below it."""
    batch = rg.Subsampled(guarantee, rate)
    lower, upper = math.floor(alpha), math.floor(alpha) + 1
    left, right = (lower - 1) * batch.rdp(lower), (upper - 1) * batch.rdp(upper)
    if math.isfinite(right):
        chord = left + (alpha - lower) * (right - left)
        assert (alpha - 1) * batch.rdp(alpha) <= chord * (1 + 1e-9) + 1e-12


def test_the_check_sees_mironovs_conversion_in_place_of_the_tight_one():
    """The order of the two is a real difference: at mu = 1, delta = 1e-6 about 0.4."""
    guarantee = rg.GaussianDP(1.0)
    tight = rdp_to_epsilon(guarantee.rdp, math.inf, 1e-6)[1]
    mironov = rdp_to_epsilon_mironov(guarantee.rdp, math.inf, 1e-6)[1]
    assert mironov - tight == pytest.approx(0.4, abs=0.2)
