"""Composed privacy losses against exact compositions, dp_accounting and tabulated figures."""

import math

import numpy as np
import pytest
from dp_accounting.pld import common, pld_pmf, privacy_loss_distribution
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import GaussianPairDP, pld

from . import reference

# Epsilon at delta = 1e-6 after T releases: by the paper's theorem, by the exact Rényi divergence, by the
# exact hockey-stick divergence. Computed independently and rounded to the digits printed.
AFTER_STEPS = [
    # eta, gamma, dim, steps, theorem, rdp, pld
    (1e-3, 1e-2, 22, 1000, 2.405, 1.814, 1.773),
    (1e-2, 1e-2, 22, 10, 2.691, 2.014, 1.860),
    (1e-2, 0.1, 100, 10, 3.938, 2.371, 2.196),
    (1e-4, 1e-2, 1000, 1000, 1.088, 0.640, 0.598),
]


@pytest.mark.parametrize(("eta", "gamma", "dim", "steps", "theorem", "rdp", "by_loss"), AFTER_STEPS)
def test_epsilon_after_many_steps(eta, gamma, dim, steps, theorem, rdp, by_loss):
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma)
    found = [mechanism.epsilon(1e-6, steps, method) for method in ("theorem", "rdp", "pld")]
    assert found == pytest.approx([theorem, rdp, by_loss], abs=5.1e-4)
    assert mechanism.epsilon(1e-6, steps) == min(found)


# Gaussians, whose composition is known exactly.


@pytest.mark.parametrize(("mu", "steps"), [(0.5, 2), (0.1, 100), (0.01, 1000), (2.0, 7), (1e-4, 10**6)])
def test_composed_gaussians_are_just_above_the_exact_value(mu, steps):
    total = mu * math.sqrt(steps)
    for delta in (1e-3, 1e-6, 1e-20, 1e-100, 1e-290):
        epsilon = pld.epsilon([(rg.GaussianDP(mu), steps)], delta)
        assert reference.gaussian_delta(total, epsilon) <= delta
        assert reference.gaussian_delta(total, epsilon * (1 - 1e-3)) > delta


@pytest.mark.parametrize(("mu", "steps"), [(0.5, 2), (0.1, 100), (2.0, 7)])
def test_delta_of_composed_gaussians_is_never_below_the_exact_value(mu, steps):
    total = mu * math.sqrt(steps)
    for z in (-2.0, 0.0, 3.0, 10.0, 30.0):
        epsilon = max(0.0, total * (total / 2 + z))
        true = reference.gaussian_delta(total, epsilon)
        log_delta = mpf(pld.log_delta([(rg.GaussianDP(mu), steps)], epsilon, float(true)))
        assert mp.log(true) <= log_delta <= mp.log(true) + 0.05


@pytest.mark.parametrize(("mu", "steps"), [(0.3, 10), (0.05, 500)])
def test_composed_gaussians_against_dp_accounting(mu, steps):
    theirs = privacy_loss_distribution.from_gaussian_mechanism(1 / mu, value_discretization_interval=1e-3)
    expected = theirs.self_compose(steps).get_epsilon_for_delta(1e-6)
    assert pld.epsilon([(rg.GaussianDP(mu), steps)], 1e-6) == pytest.approx(expected, rel=2e-3)


# Randomised response, whose composition is a finite sum.


def responses_delta(parts: list[tuple[float, int]], epsilon: float):
    """Delta of randomised responses together: the sum over how many of each kind answered truthfully."""
    with mp.workdps(50):
        losses = [(mpf(0), mpf(1))]
        for epsilon0, times in parts:
            p = 1 / (1 + mp.exp(-mpf(epsilon0)))
            losses = [
                (
                    loss + (2 * k - times) * mpf(epsilon0),
                    mass * mp.binomial(times, k) * p**k * (1 - p) ** (times - k),
                )
                for loss, mass in losses
                for k in range(times + 1)
            ]
        return sum(mass * -mp.expm1(mpf(epsilon) - loss) for loss, mass in losses if loss > epsilon)


@pytest.mark.parametrize(
    "parts",
    [
        [(1.0, 2)],
        [(0.1353, 2)],
        [(0.1, 30)],
        [(1.0, 3), (0.3, 4)],
        [(0.05, 20), (2.0, 2)],
        [(1e-3, 50), (1.0, 1)],
        [(100.0, 2)],
        [(30.0, 3), (1.0, 1)],
    ],
)
def test_randomised_responses_are_just_above_the_exact_value(parts):
    composed = rg.compose(*((rg.PureDP(epsilon0), times) for epsilon0, times in parts))
    most = sum(epsilon0 * times for epsilon0, times in parts)
    for share in (0.0, 0.3, 0.6, 0.9, 0.99):
        true = responses_delta(parts, share * most)
        assert true <= composed.delta(share * most) <= true * 1.2 + 1e-9, share
    for delta in (0.3, 0.05, 1e-3, 1e-9, 1e-60):
        epsilon = composed.epsilon(delta)
        assert responses_delta(parts, epsilon) <= delta
        assert responses_delta(parts, epsilon - 2e-2 * most) > delta or epsilon <= 2e-2 * most


def test_basic_composition_is_the_most_that_pure_guarantees_cost():
    assert rg.compose((rg.PureDP(0.5), 3)).epsilon(1e-290) <= 1.5 * (1 + 1e-3)


# A Gaussian or a Gaussian pair next to one randomised response: exact by conditioning on the response.


def beside_a_response(profile, epsilon0: float, epsilon: float):
    """Delta of a symmetric profile composed with randomised response at epsilon0."""
    p = 1 / (1 + mp.exp(-mpf(epsilon0)))
    return p * profile(epsilon - epsilon0) + (1 - p) * profile(epsilon + epsilon0)


@pytest.mark.parametrize("epsilon0", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 1.0])
def test_gaussian_beside_a_response(mu, epsilon0):
    composed = rg.compose(rg.GaussianDP(mu), rg.PureDP(epsilon0))

    def exact(epsilon: float):
        return beside_a_response(lambda x: reference.gaussian_delta(mu, x), epsilon0, epsilon)

    for z in (-3.0, -1.0, 0.0, 1.0, 3.0, 6.0):
        epsilon = max(0.0, epsilon0 + z * mu)
        assert composed.delta(epsilon) >= exact(epsilon), z
    for delta in (0.01, 1e-6, 1e-30):
        epsilon = composed.epsilon(delta)
        assert exact(epsilon) <= delta


@pytest.mark.parametrize(
    ("c", "w", "dim"),
    [
        (1e-8, 1e-3, 1),
        (1e-3, 1e-3, 22),
        (1e-8, 1e-6, 10**6),
        (1e-8, 1e-7, 10**6),
        (1e-9, 1e-5, 10**4),
        (0.3, 0.21, 1),
    ],
)
def test_gaussian_pair_beside_a_response(c, w, dim):
    """A loss far narrower than the grid that the other part asks for must not fall between its points.

    With probability p = 1/(1+e^-epsilon0) the response adds the loss epsilon0: delta is at least p times the
    pair's own at what is left of epsilon.
    """
    guarantee = GaussianPairDP(c, w, dim)
    for z in (0.0, 3.0):
        own = reference.hockey_stick(c, w, dim, z * guarantee.loss_std, "forward")
        for epsilon0 in (0.5, 4.0):
            least = own / (1 + mp.exp(-epsilon0)) * (1 - mpf("1e-6"))
            composed = rg.compose(guarantee, rg.PureDP(epsilon0))
            assert composed.delta(epsilon0 + z * guarantee.loss_std) >= least, (z, epsilon0)


# Gaussian pairs.


@pytest.mark.parametrize(
    ("eta", "gamma", "dim", "steps", "gap"), [(1e-2, 1e-2, 22, 10, 5e-4), (0.1, 0.05, 1, 5, 1e-2)]
)
def test_relative_gaussian_against_dp_accounting(eta, gamma, dim, steps, gap):
    """Our maximum profile on both signs of epsilon, discretised and composed by dp_accounting."""
    guarantee = rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma).guarantee
    count = math.ceil((5 * guarantee.loss_std + guarantee.excess * 40) / gap)
    above = np.exp([guarantee.log_delta(gap * i) for i in range(count + 1)])
    epsilon = gap * np.arange(count, 0, -1)
    below = -np.expm1(-epsilon) + np.exp(-epsilon) * above[:0:-1]
    deltas = np.concatenate([below, above])
    pmf = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(gap, -count, count, deltas)
    theirs = privacy_loss_distribution.PrivacyLossDistribution(pmf).self_compose(steps)
    ours = pld.epsilon([(guarantee, steps)], 1e-6)
    assert ours == pytest.approx(theirs.get_epsilon_for_delta(1e-6), rel=2e-3)


class ForwardOnly(GaussianPairDP):
    """A planted error: one order of the neighbours alone."""

    def log_delta(self, epsilon: float) -> float:
        return self.pair.log_hockey_stick(epsilon, "forward")

    def profile_at(self, epsilon):
        return self.pair.profile(epsilon, "forward")


def test_the_maximum_profile_covers_what_one_order_does_not():
    """Two steps at eta = 0.1, shift 2, one dimension, epsilon = 3.

    Neighbours with equal variances twice are 2·sqrt(2)-GDP: 0.5043. An analyst who picks the second query
    after seeing the first answer reaches 0.5089.
    """
    forward_only = math.exp(pld.log_delta([(ForwardOnly(2.0, 0.21, 1), 2)], 3.0, 0.5))
    assert forward_only < reference.gaussian_delta(2 * math.sqrt(2), 3.0)  # convicted
    covered = rg.compose((GaussianPairDP(2.0, 0.21, 1), 2)).delta(3.0)
    assert covered >= 0.5089
    assert covered == pytest.approx(0.5134, abs=1e-3)


# Everything together.


@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_mixture_against_dp_accounting(delta):
    failure, interval = 1e-8, 1e-3
    ours = rg.compose(
        (rg.GaussianDP(0.2), 9), rg.PureDP(0.5), (rg.ApproximateDP(0.3, 1e-8), 2), rg.Failure(failure)
    )

    def response(epsilon: float, leak: float):
        parameters = common.DifferentialPrivacyParameters(epsilon, leak)
        return privacy_loss_distribution.from_privacy_parameters(parameters, interval)

    theirs = privacy_loss_distribution.from_gaussian_mechanism(5.0, value_discretization_interval=interval)
    theirs = theirs.self_compose(9).compose(response(0.5, 0.0)).compose(response(0.3, 1e-8).self_compose(2))
    expected = theirs.get_epsilon_for_delta(delta - failure)
    assert ours.epsilon(delta) == pytest.approx(expected, rel=2e-3)
    assert ours.delta(expected) == pytest.approx(delta, rel=2e-2)


@pytest.mark.parametrize(
    ("epsilon", "times", "at"),
    [(0.5, 10, 4.0), (0.5, 10, 3.3), (0.1, 100, 3.0), (0.3, 37, 5.1), (0.02, 1000, 1.5), (2.0, 3, 2.0)],
)
def test_pure_parts_are_exact_where_their_losses_lie_as_well(epsilon: float, times: int, at: float):
    """Losses are (times - 2 i) epsilon: at such an epsilon a mass that is moved by a cell would show."""
    exact = responses_delta([(epsilon, times)], at)
    assert exact <= rg.compose((rg.PureDP(epsilon), times)).delta(at) <= exact * (1 + 1e-7)
