"""Numbers that never fail open: at the ends of every range no NaN, no negative, no warning, no crash.

The neighbours of equal variance, which the Relative Gaussian Mechanism always has, give a floor that is known
exactly: N(0, 1) against N(c·sqrt(steps), 1) with c = eta/sqrt(gamma). No answer may lie below it.
"""

import contextlib
import itertools
import math
import random
import warnings
from collections.abc import Iterator

import pytest
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import GaussianPairDP, gdp
from relgauss.accounting.gaussian_pair import GaussianPair
from relgauss.errors import InvalidParameterError

DELTAS = [1e-300, 1e-100, 1e-12, 1e-6, 0.5]
EPSILONS = [1e-6, 1e-3, 1.0, 1e2, 1e4]
DIMS = [1, 10, 10**4, 10**7]
STEPS = [1, 10, 10**4, 10**7]
ETAS = [1e-9, 1e-6, 1e-3, 0.1, 1.0, 5.0]
SHIFTS = [1e-9, 1e-6, 1e-3, 0.1, 3.0, 100.0]  # c = eta/sqrt(gamma): gamma runs from 1e-22 to 1e19
FLOORS = [0.0, 1.0]
FORMS = ["quadratic", "linear"]

Case = tuple[float, float, int, float, str]


@pytest.fixture(autouse=True)
def _warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def mechanism(eta: float, shift: float, dim: int, r: float, form: str) -> rg.RelativeGaussian:
    return rg.RelativeGaussian(rg.RelativeSensitivity(eta, r, form), dim, (eta / shift) ** 2)


def sample(count: int, seed: int, steps: list[int]) -> list[tuple]:
    """(eta, shift, dim, r, form, steps, delta, epsilon), drawn from all combinations."""
    combinations = list(itertools.product(ETAS, SHIFTS, DIMS, FLOORS, FORMS, steps, DELTAS, EPSILONS))
    return random.Random(seed).sample(combinations, count)


def assert_sound(m: rg.RelativeGaussian, steps: int, delta: float, epsilon: float) -> None:
    """Epsilon at delta and delta at epsilon are numbers, and not below those of equal variances."""
    mu = m.sensitivity.eta / math.sqrt(m.gamma) * math.sqrt(steps) * (1 - 1e-14)
    found = m.epsilon(delta, steps)
    assert found >= gdp.epsilon(mu, delta) * (1 - 1e-12)  # False for NaN too
    found = m.delta(epsilon, steps)
    assert math.exp(gdp.log_delta(mu, epsilon)) * (1 - 1e-11) <= found <= 1
    assert found > 0


@pytest.mark.parametrize("count", [50, pytest.param(400, marks=pytest.mark.slow)])
def test_one_release(count):
    for *parameters, steps, delta, epsilon in sample(count, 1, [1]):
        assert_sound(mechanism(*parameters), steps, delta, epsilon)


@pytest.mark.parametrize("seed", [0, 1])
def test_many_releases(seed):
    for *parameters, steps, delta, epsilon in sample(6, 100 + seed, STEPS[1:]):
        assert_sound(mechanism(*parameters), steps, delta, epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_more_releases(seed):
    for *parameters, steps, delta, epsilon in sample(25, 1000 + seed, STEPS[1:]):
        assert_sound(mechanism(*parameters), steps, delta, epsilon)


@pytest.mark.parametrize(
    ("eta", "shift", "dim", "steps", "delta", "epsilon"),
    [
        (1e-6, 6.2185726500767e-4, 10**7, 10, 0.5, 100.0),  # no mass above epsilon at all
        (1e-6, 0.02278057728836112, 10**4, 10**4, 1e-12, 1e4),  # a tilt that puts all mass on one atom
        (5.0, 1e-3, 10**7, 10**4, 1e-300, 1.0),  # a loss range whose grid is wider than e^709
        (5.0, 0.1, 10**7, 10**7, 0.5, 1e-3),
        (1e-9, 1e-6, 10, 10**7, 1e-300, 1.0),  # nothing left of delta after the tails
        (1e-6, 233.0, 10**4, 10**4, 1e-12, 1e4),  # an epsilon of 3e8
        (5.0, 3e-4, 10, 10**7, 1e-100, 1.0),
        (0.1, 2.2e-3, 10**4, 10**7, 1e-300, 1.0),
    ],
)
def test_releases_that_once_failed(eta, shift, dim, steps, delta, epsilon):
    assert_sound(mechanism(eta, shift, dim, 0.0, "quadratic"), steps, delta, epsilon)


@pytest.mark.parametrize("eta", ETAS)
def test_renyi_divergence(eta):
    for shift, dim, r, excess in itertools.product(
        SHIFTS, DIMS, FLOORS, [1e-12, 1e-6, 1e-2, 1.0, 1e3, 1e6, 1e300]
    ):
        value = mechanism(eta, shift, dim, r, "quadratic").rdp(1 + excess)
        if excess > 1e-10:
            assert value >= (1 + excess) * shift**2 / 2 * (1 - 1e-12)  # that of equal variances
        assert value >= 0


@pytest.mark.parametrize("count", [15, pytest.param(40, marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", ["theorem", "rdp", "pld"])
def test_every_method(method, count):
    for *parameters, steps, delta, _ in sample(count, 7, STEPS):
        m = mechanism(*parameters)
        mu = m.sensitivity.eta / math.sqrt(m.gamma) * math.sqrt(steps)
        assert m.epsilon(delta, steps, method) >= gdp.epsilon(mu, delta) * (1 - 1e-12)


# Beyond the ranges above, where a square overflows or vanishes. What cannot be computed may be refused by
# name, but not answered wrongly.

may_be_refused = contextlib.suppress(InvalidParameterError)


@pytest.mark.parametrize(
    ("shift", "excess", "dim"), [(1e6, 0.1, 1), (1e9, 1.0, 1), (1e15, 1.0, 3), (1e50, 1.0, 1000)]
)
def test_hardly_any_privacy(shift, excess, dim):
    guarantee = GaussianPairDP(shift, excess, dim)
    for times in (1, 2):
        composed = rg.compose((guarantee, times))
        assert composed.delta(1.0) == 1.0
        assert composed.epsilon(1e-6) >= times * shift**2 / 2
    for order in ("forward", "reverse"):
        assert GaussianPair(shift, excess, dim).hockey_stick(1.0, order) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("dim", [10**8, 10**9, 10**10, 10**12])
@pytest.mark.parametrize("eta", [0.1, 1.0, 5.0])
def test_a_huge_dimension_gives_no_privacy(eta, dim):
    """The noise's norm alone tells neighbours apart: the loss is close to d/2·(w - log(1+w))."""
    m = mechanism(eta, 1e-3, dim, 0.0, "quadratic")
    excess = eta * (2 + eta)
    loss = dim / 2 * (excess - math.log1p(excess))
    assert m.delta(1.0) >= 0.999
    for steps in (1, 10):
        assert m.epsilon(1e-6, steps) >= 0.99 * steps * loss


@pytest.mark.parametrize("dim", DIMS)
def test_hardly_any_shift(dim):
    """What remains is the variance alone: the smaller shift costs no more."""
    for excess, delta in itertools.product((1e-12, 1e-3, 1.0, 35.0), (1e-100, 1e-6)):
        most, *found = (
            rg.compose(GaussianPairDP(shift, excess, dim)).epsilon(delta)
            for shift in (1e-6, 1e-12, 1e-30, 1e-50)
        )
        assert all(0 <= epsilon <= most * (1 + 1e-6) for epsilon in found)


@pytest.mark.parametrize("mu", [1e-170, 1e-150, 1e-100, 1e-60, 1e-30])
def test_a_tiny_mu_is_not_lost(mu):
    """delta(0) = 2 Phi(mu/2) - 1, which is mu/sqrt(2 pi)."""
    least = mu / math.sqrt(2 * math.pi) * (1 - 1e-12)
    with may_be_refused:
        assert rg.compose(rg.GaussianDP(mu)).delta(0.0) >= least
        assert rg.compose((rg.GaussianDP(mu), 4)).delta(0.0) >= 2 * least
        assert rg.compose(rg.GaussianDP(mu)).epsilon(least / 2) > 0


def test_a_delta_of_few_digits_is_rounded_up():
    """Below 2.2e-308 doubles are spaced 5e-324 apart: the nearest one may be too small."""
    mu = 8.541727339190635e-05
    for epsilon in (0.00456, 0.0045609199756258345, 0.004561, 0.0045615):
        with mp.workdps(50):
            x, total = mpf(epsilon), mp.sqrt(2) * mpf(mu)
            a, b = x / total - total / 2, x / total + total / 2
            true = (mp.erfc(a / mp.sqrt(2)) - mp.exp(x) * mp.erfc(b / mp.sqrt(2))) / 2
            assert mpf(rg.compose((rg.GaussianDP(mu), 2)).delta(epsilon)) >= true


@pytest.mark.parametrize("mu", [1e3, 1e10, 1e12, 1e15, 1e100, 1e200])
def test_a_huge_mu_gives_no_privacy(mu):
    with may_be_refused:
        assert rg.compose(rg.GaussianDP(mu)).delta(1.0) == 1.0
        assert rg.compose(rg.GaussianDP(mu)).epsilon(1e-6) >= min(mu * mu / 2, 1e308)


@pytest.mark.parametrize("mu", [1e-160, 1e-60, 1e-9, 1e-3, 1.0, 1e3, 1e5, 1e50])
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 100.0])
def test_a_gaussian_beside_a_pure_guarantee(mu, epsilon):
    with may_be_refused:
        composed = rg.compose(rg.GaussianDP(mu), rg.PureDP(epsilon))
        for delta in (1e-300, 1e-6, 0.5):
            least = max(gdp.epsilon(mu, delta), rg.compose(rg.PureDP(epsilon)).epsilon(delta))
            most = gdp.epsilon(mu, delta) + epsilon
            assert least * (1 - 1e-12) <= composed.epsilon(delta) <= most * (1 + 1e-2) + 1e-9
        for x in (0.0, 1.0, 1e4):
            assert 0 <= composed.delta(x) <= 1


@pytest.mark.parametrize("times", [1, 2, 10**7])
@pytest.mark.parametrize(
    "epsilon",
    [
        1e-200,
        1e-45,
        1e-9,
        1.0,
        1e3,
        1e155,
        *(pytest.param(x, marks=pytest.mark.slow) for x in (1e2, 1e4, 1e6)),
    ],
)
def test_pure_guarantees_of_every_size(epsilon, times):
    with may_be_refused:
        composed = rg.compose((rg.PureDP(epsilon), times))
        for delta in (1e-300, 1e-6, 0.5):
            assert 0 <= composed.epsilon(delta) <= times * epsilon * (1 + 1e-2)
        for x in (0.0, 1.0, 1e4, times * epsilon):
            assert 0 <= composed.delta(x) <= 1
        # One use has tanh(epsilon/2) at zero, and more uses have no less.
        assert composed.delta(0.0) >= math.tanh(epsilon / 2) * (1 - 1e-12)


def test_a_certain_leak_leaves_no_epsilon():
    composed = rg.compose((rg.ApproximateDP(1.0, 0.999), 10**7))
    assert composed.epsilon(0.5) == math.inf
    assert composed.delta(1e4) == 1.0


def test_the_check_sees_a_number_below_the_floor():
    class Halved(rg.RelativeGaussian):
        def epsilon(self, *arguments, **keywords):
            return super().epsilon(*arguments, **keywords) / 2

    with pytest.raises(AssertionError):
        assert_sound(Halved(rg.RelativeSensitivity(1e-3), 1, 1e-6), 1, 1e-6, 1.0)
