"""Calibration spends the target and no more, takes the best mechanism, and says what is out of reach."""

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import chdtrc

import relgauss as rg
from relgauss.errors import MostlyNoiseWarning, UnreachableTargetError
from relgauss.mechanisms import Target
from relgauss.mechanisms.calibrate import attempt

pytestmark = pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


epsilons = log_uniform(0.01, 20)
deltas = log_uniform(1e-12, 1e-2)
dims = log_uniform(1, 1e4).map(round)
step_counts = log_uniform(1, 1e4).map(round)
forms = st.sampled_from(["quadratic", "linear"])
floors = st.sampled_from([0.0, 1.0])


def spent(mechanism: rg.Mechanism, epsilon: float, delta: float, steps: int) -> float:
    """The share of the target that the mechanism spends."""
    return mechanism.epsilon(delta, steps) / epsilon


@given(epsilons, deltas, dims, step_counts, log_uniform(1e-9, 1e9))
def test_gaussian_spends_the_target(epsilon, delta, dim, steps, r):
    m = rg.calibrate(rg.AbsoluteSensitivity(r), dim=dim, epsilon=epsilon, delta=delta, steps=steps)
    assert isinstance(m, rg.Gaussian)
    assert 1 - 1e-6 <= spent(m, epsilon, delta, steps) <= 1
    assert m.delta(epsilon, steps) <= delta


@given(epsilons, deltas, dims, step_counts, st.one_of(st.just(0.0), log_uniform(1e-9, 1e-2)), forms)
def test_isometric_spends_the_target(epsilon, delta, dim, steps, share, form):
    """eta is kept so small, against the noise, that the answer is more than noise."""
    eta = share * epsilon / math.sqrt(steps * 30)
    bound = rg.RelativeSensitivity(eta, 1.0, form)
    target = Target(epsilon, delta, steps)
    m = attempt(rg.IsometricGaussian, bound, dim, target)  # calibrate() without its refusal of tiny eta
    assert isinstance(m, rg.IsometricGaussian)
    assert 1 - 1e-6 <= spent(m, epsilon, delta, steps) <= 1
    assert m.delta(epsilon, steps) <= delta


def relative_or_error(
    bound: rg.RelativeSensitivity, dim: int, epsilon: float, delta: float, steps: int
) -> rg.Mechanism | UnreachableTargetError:
    return attempt(rg.RelativeGaussian, bound, dim, Target(epsilon, delta, steps))


def check_relative(bound: rg.RelativeSensitivity, dim: int, epsilon: float, delta: float, steps: int) -> None:
    found = relative_or_error(bound, dim, epsilon, delta, steps)
    if isinstance(found, UnreachableTargetError):
        assert found.least_epsilon > 0.999 * epsilon
    else:
        assert isinstance(found, rg.RelativeGaussian)
        assert 0.999 <= spent(found, epsilon, delta, steps) <= 1


@given(epsilons, deltas, dims, log_uniform(1e-9, 5), floors, forms)
def test_relative_spends_the_target_in_one_release(epsilon, delta, dim, eta, r, form):
    check_relative(rg.RelativeSensitivity(eta, r, form), dim, epsilon, delta, 1)


@given(epsilons, deltas, dims, step_counts, log_uniform(1e-9, 1e-2), floors, forms)
@settings(max_examples=10)
def test_relative_spends_the_target_in_many_releases(epsilon, delta, dim, steps, eta, r, form):
    check_relative(rg.RelativeSensitivity(eta, r, form), dim, epsilon, delta, steps)


@pytest.mark.parametrize("mechanism", ["relative", "isometric"])
@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("steps", [1, 1000])
def test_a_bound_without_a_relative_part_is_the_classical_one(mechanism, form, steps):
    target = {"dim": 3, "epsilon": 0.7, "delta": 1e-7, "steps": steps}
    m = rg.calibrate(rg.RelativeSensitivity(0.0, 2.0, form), mechanism=mechanism, **target)
    classical = rg.calibrate(rg.AbsoluteSensitivity(2.0), **target)
    assert 1 - 1e-6 <= spent(m, 0.7, 1e-7, steps) <= 1
    assert m.rms_error(5.0) == pytest.approx(classical.rms_error(5.0), rel=1e-9)


# At equal privacy the relative mechanism is the better one in the linear form only, at low dimension.
@pytest.mark.parametrize(
    ("eta", "dim", "epsilon", "steps", "norm", "winner"),
    [
        (1e-3, 10, 0.4143, 1, None, "isometric"),
        (1e-3, 10, 0.4143, 1, 50.0, "isometric"),
        (1e-3, 10, 0.4143, 1, 0.0, "isometric"),
        (1e-3, 2, 3.0, 1, None, "isometric"),
        (1e-2, 22, 2.0, 10, None, "isometric"),
        (0.1, 2, 1.0, 1, None, "isometric"),  # out of reach for the other
    ],
)
@pytest.mark.parametrize("form", ["quadratic", "linear"])
def test_auto_takes_the_candidate_of_least_error(eta, dim, epsilon, steps, norm, winner, form):
    bound = rg.RelativeSensitivity(eta, 1.0, form)
    target = {"dim": dim, "epsilon": epsilon, "delta": 1e-6, "steps": steps}
    errors = {}
    for name in ("relative", "isometric"):
        try:
            m = rg.calibrate(bound, mechanism=name, norm=norm, **target)
        except UnreachableTargetError:
            continue
        errors[name] = m.limiting_relative_error if norm is None else m.rms_error(norm)
    chosen = rg.calibrate(bound, norm=norm, **target)
    assert chosen.name == min(errors, key=errors.__getitem__)
    if form == "quadratic":
        assert chosen.name == winner
    elif norm is None and dim <= 10 and eta < 0.1:
        assert chosen.name == "relative"


def floor_of_one_release(eta: float, dim: int, delta: float) -> float:
    """Epsilon of N(0, V I) against N(0, I), V = (1 + eta)²: what is left when the noise grows for ever."""
    V = (1 + eta) ** 2

    def excess(epsilon: float) -> float:
        radius = (2 * epsilon + dim * math.log(V)) / (1 - 1 / V)
        return chdtrc(dim, radius / V) - math.exp(epsilon) * chdtrc(dim, radius) - delta

    return brentq(excess, 0.0, 700.0, xtol=1e-12)


@pytest.mark.parametrize(("eta", "dim"), [(0.1, 1), (0.1, 2), (0.5, 3), (0.05, 100), (1.0, 1)])
@pytest.mark.parametrize(("delta", "r"), [(1e-3, 1.0), (1e-8, 0.0)])
def test_an_unreachable_target_names_the_infimum_and_the_way_out(eta, dim, delta, r):
    floor = floor_of_one_release(eta, dim, delta)
    bound = rg.RelativeSensitivity(eta, r)
    with pytest.raises(UnreachableTargetError, match=r"compare\(\)") as caught:
        rg.calibrate(bound, dim=dim, epsilon=0.99 * floor, delta=delta, mechanism="relative")
    assert caught.value.least_epsilon == pytest.approx(floor, rel=1e-4)
    assert f"eta={eta:g}" in str(caught.value)
    assert f"dim={dim}" in str(caught.value)
    # A little above the infimum, the target is reached; and the isometric mechanism reaches both.
    check_relative(bound, dim, 1.01 * floor, delta, 1)
    m = rg.calibrate(bound, dim=dim, epsilon=1.01 * floor, delta=delta, mechanism="relative")
    assert m.epsilon(delta) > floor
    m = rg.calibrate(bound, dim=dim, epsilon=0.99 * floor, delta=delta)
    assert m.name == "isometric"


def test_the_infimum_of_several_releases_is_approached_and_never_passed():
    bound = rg.RelativeSensitivity(0.02)
    with pytest.raises(UnreachableTargetError) as caught:
        rg.calibrate(bound, dim=5, epsilon=0.1, delta=1e-6, steps=10, mechanism="relative")
    least = caught.value.least_epsilon
    drowned = rg.RelativeGaussian(bound, 5, gamma=1e9)
    assert drowned.epsilon(1e-6, 10) == pytest.approx(least, rel=1e-3)
    assert rg.RelativeGaussian(bound, 5, gamma=1.0).epsilon(1e-6, 10) > least


@pytest.mark.parametrize("above", [1 + 1e-5, 1 + 1e-4, 1 + 1e-3])
def test_no_error_names_a_least_epsilon_that_meets_the_target(above):
    target = above * floor_of_one_release(0.1, 2, 1e-6)
    found = relative_or_error(rg.RelativeSensitivity(0.1), 2, target, 1e-6, 1)
    if isinstance(found, UnreachableTargetError):
        assert found.least_epsilon > target
    else:
        assert found.epsilon(1e-6) <= target


# At equal error, delta 1e-6 and r = 0: (eta, gamma, dim, steps), epsilon of isometric and of relative.
EQUAL_ERROR = [
    (0.1, 0.05, 1, 1, 1.918, 4.273),
    (1e-3, 1e-4, 10, 1, 0.397, 0.414),
    (1e-2, 1e-2, 22, 10, 1.384, 1.860),
    (1e-2, 1e-3, 100, 10, 4.893, 5.666),
    (1e-2, 0.1, 100, 10, 0.419, 2.196),
    (1e-4, 1e-2, 1000, 1000, 0.117, 0.598),
    (1e-3, 1e-2, 10000, 100, 0.399, 7.34),
]


@pytest.mark.parametrize(("eta", "gamma", "dim", "steps", "isometric", "relative"), EQUAL_ERROR)
def test_epsilon_at_equal_error(eta, gamma, dim, steps, isometric, relative):
    bound = rg.RelativeSensitivity(eta)
    target = math.sqrt(gamma * dim)

    def excess(noise_multiplier: float) -> float:
        return rg.IsometricGaussian(bound, dim, noise_multiplier).limiting_relative_error - target

    m = rg.IsometricGaussian(bound, dim, brentq(excess, 1e-3 / eta, 20 / eta, rtol=1e-12))
    # The printed figures have three decimals: the tolerance adds half of the last.
    assert m.epsilon(1e-6, steps) == pytest.approx(isometric, rel=5e-3, abs=5e-4)
    m = rg.RelativeGaussian(bound, dim, gamma)
    assert m.limiting_relative_error == pytest.approx(target)
    assert m.epsilon(1e-6, steps) == pytest.approx(relative, rel=1e-2)


def test_a_choice_that_will_be_mostly_noise_says_so():
    bound = rg.RelativeSensitivity(1.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", MostlyNoiseWarning)
        rg.calibrate(bound, dim=2, epsilon=10.0, delta=1e-6)
    with pytest.warns(MostlyNoiseWarning, match="smaller eta"):
        rg.calibrate(bound, dim=2, epsilon=1.0, delta=1e-6)
