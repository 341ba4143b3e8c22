"""Laws of the Gaussian pair: order, monotonicity, the worst corner of the box, and the grid."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import GaussianPairDP, gdp
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.arrays import grid
from relgauss.mechanisms.relative_theorem import relative_theorem

ORDERS = ("forward", "reverse")
SLACK = 1e-9  # two values, each rounded up, may stand this far the wrong way round


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


shifts = log_uniform(1e-6, 10.0)
excesses = log_uniform(1e-8, 35.0)
dims = st.sampled_from([1, 2, 3, 10, 99, 100, 101, 102, 1000, 10**5])
orders = st.sampled_from(ORDERS)


@st.composite
def epsilons(draw: st.DrawFn, pair: GaussianPair) -> float:
    """An epsilon on the scale of the loss: between its mean's neighbourhood and far in the tail."""
    spread = math.hypot(pair.shift, math.sqrt(pair.dim / 2) * pair.excess)
    return draw(st.floats(0, 20)) * spread


@st.composite
def pairs(draw: st.DrawFn) -> GaussianPair:
    return GaussianPair(draw(shifts), draw(excesses), draw(dims))


def at_most(smaller: float, larger: float) -> bool:
    return smaller <= larger * (1 + SLACK)


# Rényi.


@given(log_uniform(1e-9, 5.0), log_uniform(1e-6, 1e3), dims, st.floats(1e-6, 0.999999))
def test_exact_divergence_is_at_most_theorem_1(eta, shift, dim, share):
    """At every order below the limit 1 + 1/(eta(2+eta)), in either form of sensitivity."""
    gamma = (eta / shift) ** 2
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma)
    alpha = 1 + share / (eta * (2 + eta))
    assume(alpha > 1)
    assert mechanism.rdp(alpha) <= relative_theorem(eta, gamma, dim, alpha) * (1 + 1e-12)


@given(pairs(), st.floats(1e-6, 0.98), st.floats(1.001, 1.9))
def test_divergence_grows_with_order_shift_variance_and_dimension(pair, share, factor):
    alpha = 1 + share / pair.excess / factor
    value = pair.renyi(alpha)
    assert value >= 0
    assert value <= pair.renyi(1 + share / pair.excess)
    assert value <= GaussianPair(pair.shift * factor, pair.excess, pair.dim).renyi(alpha)
    assert value <= GaussianPair(pair.shift, pair.excess * factor, pair.dim).renyi(alpha)
    assert value <= GaussianPair(pair.shift, pair.excess, pair.dim + 1).renyi(alpha)


# Hockey stick.


@given(st.data(), pairs(), orders)
def test_hockey_stick_is_a_probability(data, pair, order):
    value = pair.hockey_stick(data.draw(epsilons(pair)), order)
    assert 0 <= value <= 1


@given(st.data(), pairs(), orders, st.floats(1.0, 1.5))
def test_hockey_stick_decreases_in_epsilon(data, pair, order, factor):
    epsilon = data.draw(epsilons(pair))
    assert at_most(pair.hockey_stick(epsilon * factor, order), pair.hockey_stick(epsilon, order))


@given(st.data(), pairs(), orders, st.floats(1.0, 3.0))
def test_hockey_stick_increases_in_the_shift(data, pair, order, factor):
    epsilon = data.draw(epsilons(pair))
    larger = GaussianPair(pair.shift * factor, pair.excess, pair.dim)
    assert at_most(pair.hockey_stick(epsilon, order), larger.hockey_stick(epsilon, order))


@given(st.data(), pairs(), orders, st.floats(1e-3, 0.999))
@example(None, GaussianPair(2.0, 0.21, 1), "forward", 0.5)
def test_hockey_stick_never_peaks_between_equal_and_largest_variance(data, pair, order, share):
    """Quasi-convex in v: inside [1, V] it is at most the larger of the two ends."""
    epsilon = 1.0 if data is None else data.draw(epsilons(pair))
    inside = GaussianPair(pair.shift, pair.excess * share, pair.dim).hockey_stick(epsilon, order)
    ends = max(pair.hockey_stick(epsilon, order), math.exp(gdp.log_delta(pair.shift, epsilon)))
    assert at_most(inside, ends)


def test_neither_end_alone_would_do():
    """At shift 2, V = 1.21, d = 1 equal variances lead at epsilon = 1 and unlike ones at epsilon = 3."""
    pair = GaussianPair(2.0, 0.21, 1)
    equal = [math.exp(gdp.log_delta(2.0, epsilon)) for epsilon in (1.0, 3.0)]
    forward = [pair.hockey_stick(epsilon, "forward") for epsilon in (1.0, 3.0)]
    reverse = [pair.hockey_stick(epsilon, "reverse") for epsilon in (1.0, 3.0)]
    assert equal == pytest.approx([0.5099, 0.1838], abs=1e-4)
    assert forward == pytest.approx([0.4942, 0.2004], abs=1e-4)
    assert reverse == pytest.approx([0.4578, 0.1023], abs=1e-4)


@given(st.data(), pairs(), orders)
def test_negative_epsilon_is_the_other_order_seen_from_the_other_side(data, pair, order):
    """H_-eps(A||B) = 1 - e^-eps + e^-eps H_eps(B||A), and a hockey stick is never below 1 - e^eps."""
    epsilon = min(data.draw(epsilons(pair)), 700.0)
    other = "reverse" if order == "forward" else "forward"
    value = pair.hockey_stick(-epsilon, order)
    assert value == pytest.approx(
        -math.expm1(-epsilon) + math.exp(-epsilon) * pair.hockey_stick(epsilon, other),
        rel=1e-11 + 1e-14 * pair.dim,
    )
    assert value >= -math.expm1(-epsilon)


@given(pairs(), orders)
def test_nothing_jumps_at_epsilon_zero(pair, order):
    """Both orders give the total variation distance at zero."""
    assert pair.hockey_stick(0.0, "forward") == pytest.approx(pair.hockey_stick(0.0, "reverse"), rel=1e-9)
    assert pair.hockey_stick(-1e-300, order) == pytest.approx(pair.hockey_stick(0.0, order), rel=1e-9)


# The grid. Its gap is chosen for all parts of a composition together: it may be far wider than one's loss.


def assert_profile_covers(guarantee: GaussianPairDP, profile: np.ndarray, gap: float) -> None:
    """The grid's values are the pointwise ones."""
    step = max(1, len(profile) // 12)
    for i in range(0, len(profile), step):
        exact = math.exp(guarantee.log_delta(gap * i))
        if exact > 1e-290:
            assert profile[i] == pytest.approx(exact, rel=1e-8), i


@given(pairs(), log_uniform(1e-3, 0.1))
def test_profile_on_a_fine_grid_equals_the_pointwise_one(pair, width):
    guarantee = GaussianPairDP(pair.shift, pair.excess, pair.dim)
    gap = width * guarantee.loss_std
    assert_profile_covers(guarantee, guarantee.profile_at(grid(gap, 60)), gap)


@given(pairs(), log_uniform(0.1, 1e6))
@example(GaussianPair(1e-8, 1e-6, 10**6), 28.0)
@example(GaussianPair(1e-8, 1e-7, 10**6), 280.0)
@example(GaussianPair(1e-8, 1e-4, 100), 28.0)
def test_profile_on_a_coarse_grid_is_never_below_the_pointwise_one(pair, width):
    guarantee = GaussianPairDP(pair.shift, pair.excess, pair.dim)
    gap = width * guarantee.loss_std
    profile = guarantee.profile_at(grid(gap, 12))
    for i, value in enumerate(profile):
        assert value >= math.exp(guarantee.log_delta(gap * i)) * (1 - 1e-8) - 1e-300, i


def test_the_check_sees_a_profile_that_is_off():
    """Scaled by 0.999, or of the forward order alone where equal variances are worse."""
    guarantee = GaussianPairDP(2.0, 0.21, 1)
    planted = [
        0.999 * guarantee.profile_at(grid(0.01, 60)),
        guarantee.pair.profile(grid(0.01, 60), "forward"),
    ]
    for profile in planted:
        with pytest.raises(AssertionError):
            assert_profile_covers(guarantee, profile, 0.01)
