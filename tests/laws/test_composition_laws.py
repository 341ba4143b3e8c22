"""Laws of composition: repetition, order, more parts, failures, and the methods against one another."""

import math
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import GaussianPairDP, gdp, pld

few = settings(max_examples=settings.default.max_examples // 3)  # of what takes a grid each
GRID = 1e-2  # how far two valid bounds on one epsilon, computed on different grids, may lie apart


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


deltas = log_uniform(1e-12, 0.1)
epsilons = log_uniform(1e-2, 10.0)
step_counts = log_uniform(1, 1e4).map(round)

gaussians = st.builds(rg.GaussianDP, log_uniform(1e-3, 3.0))
responses = st.builds(rg.PureDP, log_uniform(1e-3, 3.0))
leaky = st.builds(rg.ApproximateDP, log_uniform(1e-3, 3.0), log_uniform(1e-15, 1e-13))
gaussian_pairs = st.builds(
    GaussianPairDP, log_uniform(1e-3, 1.0), log_uniform(1e-4, 0.5), st.sampled_from([1, 5, 200])
)
guarantees = st.one_of(gaussians, responses, leaky, gaussian_pairs)
several = st.lists(st.tuples(guarantees, st.integers(1, 5)), min_size=1, max_size=4)


@st.composite
def mechanisms(draw: st.DrawFn) -> rg.RelativeGaussian:
    """Mechanisms with a shift between 0.001 and 3, and a loss of that order per release."""
    eta, shift = draw(log_uniform(1e-6, 2.0)), draw(log_uniform(1e-3, 3.0))
    dim = draw(st.sampled_from([1, 2, 22, 1000]))
    bound = rg.RelativeSensitivity(
        eta, draw(st.sampled_from([0.0, 1.0])), draw(st.sampled_from(["linear", "quadratic"]))
    )
    return rg.RelativeGaussian(bound, dim, (eta / shift) ** 2)


# Repetition, order, more parts.


@few
@given(guarantees, st.integers(1, 5), deltas)
def test_repeating_a_part_is_listing_it(guarantee, times, delta):
    repeated, listed = rg.compose((guarantee, times)), rg.compose(*[guarantee] * times)
    assert repeated.epsilon(delta) == pytest.approx(listed.epsilon(delta), rel=1e-9)
    assert repeated.rdp(1.5) == pytest.approx(listed.rdp(1.5), rel=1e-9)


@few
@given(several, st.randoms(use_true_random=False), deltas)
def test_order_does_not_matter(parts, random, delta):
    shuffled = random.sample(parts, len(parts))
    assert rg.compose(*shuffled).epsilon(delta) == pytest.approx(rg.compose(*parts).epsilon(delta), rel=1e-6)


@few
@given(several, several, deltas)
def test_a_further_part_never_lowers_epsilon(parts, more, delta):
    with_more = rg.compose(*parts, *more).epsilon(delta)
    assert rg.compose(*parts).epsilon(delta) <= with_more * (1 + GRID) + 1e-12


@few
@given(several, deltas)
def test_together_costs_at_most_the_sum(parts, delta):
    """Basic composition: epsilons add when every use gets its share of delta."""
    uses = sum(times for _, times in parts)
    apart = sum(times * rg.compose(part).epsilon(delta / uses) for part, times in parts)
    assert rg.compose(*parts).epsilon(delta) <= apart * (1 + GRID) + 1e-9


@few
@given(several, deltas)
def test_together_costs_at_least_each(parts, delta):
    together = rg.compose(*parts).epsilon(delta)
    for part, _ in parts:
        assert rg.compose(part).epsilon(delta) <= together * (1 + GRID) + 1e-12


# Epsilon, delta and steps.


@few
@given(several, epsilons, st.floats(1.05, 3.0))
def test_delta_decreases_in_epsilon(parts, epsilon, factor):
    composed = rg.compose(*parts)
    assert 0 <= composed.delta(epsilon * factor) <= composed.delta(epsilon) * (1 + 1e-3) <= 1 + 1e-3


@few
@given(several, deltas)
def test_epsilon_and_delta_are_inverse(parts, delta):
    composed = rg.compose(*parts)
    epsilon = composed.epsilon(delta)
    assert composed.delta(epsilon * (1 + GRID) + 1e-9) <= delta * (1 + 1e-6)


@few
@given(mechanisms(), deltas, step_counts, step_counts)
def test_epsilon_increases_in_steps(mechanism, delta, steps, more):
    few_steps = mechanism.epsilon(delta, steps)
    assert few_steps <= mechanism.epsilon(delta, steps + more) * (1 + GRID)


@few
@given(mechanisms(), epsilons, step_counts, step_counts)
def test_delta_increases_in_steps(mechanism, epsilon, steps, more):
    fewer = mechanism.delta(epsilon * (1 + GRID), steps)
    assert fewer <= mechanism.delta(epsilon, steps + more) * (1 + 1e-6) + 1e-300


@few
@given(mechanisms(), st.integers(1, 100))
def test_epsilon_decreases_in_delta(mechanism, steps):
    found = [mechanism.epsilon(delta, steps) for delta in (1e-12, 1e-6, 1e-2)]
    for smaller_delta, larger_delta in pairwise(found):
        assert larger_delta <= smaller_delta * (1 + GRID)


# Failures and leaks.


@few
@given(several, epsilons, log_uniform(1e-12, 1e-2))
def test_failures_add_exactly(parts, epsilon, probability):
    without, with_failure = rg.compose(*parts), rg.compose(*parts, rg.Failure(probability))
    expected = min(1.0, without.delta(epsilon) + probability)
    assert with_failure.delta(epsilon) == pytest.approx(expected, rel=1e-12)
    assert with_failure.delta(epsilon) >= expected * (1 - 1e-15)


@few
@given(several, deltas, log_uniform(1e-3, 1e3))
def test_a_failure_takes_its_part_of_delta(parts, delta, ratio):
    probability = min(0.4, delta * ratio)
    with_failure = rg.compose(*parts, rg.Failure(probability))
    assert with_failure.epsilon(delta + probability) == pytest.approx(
        rg.compose(*parts).epsilon(delta), rel=1e-6
    )
    assert with_failure.epsilon(probability) == math.inf


def test_a_failure_is_not_mixed_as_a_leak():
    """1-GDP twice, of which the second may fail with 0.05: at epsilon 0.5 the true delta can be 0.4489.

    Mixing the failure as if it were independent would give 0.4300.
    """
    twice = rg.compose((rg.GaussianDP(1.0), 2))
    mixed = 0.05 + 0.95 * twice.delta(0.5)
    assert mixed == pytest.approx(0.4300, abs=5e-4)
    assert rg.compose((rg.GaussianDP(1.0), 2), rg.Failure(0.05)).delta(0.5) >= 0.4489


@given(st.floats(0.01, 5.0), log_uniform(1e-15, 0.1), st.integers(1, 100))
def test_leaks_are_independent(epsilon, leak, times):
    """Past the sum of all epsilons only the leaks are left."""
    found = rg.compose((rg.ApproximateDP(epsilon, leak), times)).delta(times * epsilon * (1 + GRID))
    assert found == pytest.approx(-math.expm1(times * math.log1p(-leak)), rel=1e-6, abs=1e-12)


# The three methods.


@few
@given(mechanisms(), deltas, step_counts)
def test_default_is_the_least_of_the_methods(mechanism, delta, steps):
    default = mechanism.epsilon(delta, steps)
    by_method = {method: mechanism.epsilon(delta, steps, method) for method in ("theorem", "rdp", "pld")}
    assert default <= min(by_method.values())
    assert by_method["rdp"] <= by_method["theorem"]


@few
@given(mechanisms(), deltas, step_counts)
def test_neighbours_of_equal_variance_are_a_lower_bound(mechanism, delta, steps):
    """Answers of equal norm, as far apart as allowed, are a Gaussian pair with shift eta/sqrt(gamma)."""
    shift = mechanism.sensitivity.eta / math.sqrt(mechanism.gamma)
    assert mechanism.epsilon(delta, steps) >= gdp.epsilon(shift * math.sqrt(steps), delta) * (1 - 1e-12)


# Gaussians through the grid: the truth is known.


@few
@given(log_uniform(1e-4, 3.0), step_counts, log_uniform(1e-290, 0.1))
@example(0.1, 100, 1e-290)
def test_composed_gaussians_are_never_below_the_truth(mu, steps, delta):
    steps += 1
    total = mu * math.sqrt(steps)
    exact = gdp.epsilon(total, delta)
    found = pld.epsilon([(rg.GaussianDP(mu), steps)], delta)
    assert exact * (1 - 1e-12) <= found <= exact * (1 + 1e-3) + 1e-4 * total


@few
@given(
    log_uniform(1e-3, 1.0),
    log_uniform(1e-3, 1.0),
    st.integers(1, 50),
    st.integers(1, 50),
    log_uniform(1e-100, 0.1),
)
@example(1e-3, 1.0, 1, 1, 1e-6)
def test_unlike_gaussians_are_never_below_the_truth(first, second, times, others, delta):
    total = math.sqrt(times * first**2 + others * second**2)
    exact = gdp.epsilon(total, delta)
    found = pld.epsilon([(rg.GaussianDP(first), times), (rg.GaussianDP(second), others)], delta)
    assert exact * (1 - 1e-12) <= found <= exact * (1 + GRID) + 1e-4 * total


class Shrunk(rg.GaussianDP):
    """A planted error: a profile that is one in a thousand too small."""

    def log_delta(self, epsilon: float) -> float:
        return super().log_delta(epsilon) + math.log(0.999)

    def profile_at(self, epsilon):
        return super().profile_at(epsilon) * 0.999


def test_the_check_sees_a_profile_that_is_too_small():
    exact = gdp.epsilon(1.0, 1e-6)
    assert pld.epsilon([(Shrunk(0.1), 100)], 1e-6) < exact
    assert pld.epsilon([(rg.GaussianDP(0.1), 100)], 1e-6) >= exact
