"""The secure sampler draws the discrete Gaussian that it says, independently each time.

Secure noise has no seed, so these tests may fail by bad luck. Each of the checks below alarms with a
probability of at most ALARM on a correct sampler, by a bound that holds for finite samples; a run makes
fewer than 50 of them, so it alarms with a probability below 50 ALARM = 5e-7. Every check is also run on
planted violations, which are seeded: those tests never depend on luck.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import relgauss as rg
from relgauss.noise.lattice import add_discrete_gaussian, lattice_exponent, round_to_lattice

pytestmark = pytest.mark.statistical

ALARM = 1e-8
COUNT = 120_000
STEPS = 2.0**47  # in a standard deviation of 1, on the lattice of a release

Check = Callable[[np.ndarray], bool]


def draw(std: float, exponent: int, count: int, value: float = 0.0) -> np.ndarray:
    return add_discrete_gaussian(round_to_lattice(np.full(count, value), exponent), std, exponent)


# Checks: each returns whether it alarms


def unlike(counts: np.ndarray, probabilities: np.ndarray) -> bool:
    """Likelihood-ratio chi-square test with a threshold that holds for every sample size.

    With n draws in k bins, P[n KL(observed || p) >= t] <= e^-t (e t/(k-1))^(k-1) for t >= k - 1
    (Agrawal 2020, Finite-Sample Concentration of the Multinomial in Relative Entropy).
    """
    freedom = len(counts) - 1
    seen = counts > 0
    statistic = float(counts[seen] @ np.log(counts[seen] / (counts.sum() * probabilities[seen])))

    def excess(t: float) -> float:
        return t - freedom - freedom * math.log(t / freedom) + math.log(ALARM)

    return statistic > brentq(excess, freedom, freedom + 1e4)


def wrong_counts(multiples: np.ndarray, ratio: float) -> bool:
    """Counts of each lattice point against the discrete Gaussian with std = ratio steps."""
    support = np.arange(-60, 61)
    weights = np.exp(-(support**2) / (2 * ratio**2))
    weights /= weights.sum()
    reach = int(support[weights * len(multiples) > 20].max())
    inner = np.abs(support) <= reach
    clipped = np.clip(multiples, -reach - 1, reach + 1).astype(int)
    counts = np.array([np.count_nonzero(clipped == k) for k in range(-reach - 1, reach + 2)])
    tail = weights[support > reach].sum()
    return unlike(counts, np.array([tail, *weights[inner], tail]))


def wrong_mean(z: np.ndarray) -> bool:
    return bool(abs(z.sum()) / math.sqrt(len(z)) > stats.norm.isf(ALARM / 2))


def wrong_variance(z: np.ndarray) -> bool:
    total = float(z @ z)
    return bool(min(stats.chi2.sf(total, len(z)), stats.chi2.cdf(total, len(z))) < ALARM / 2)


def wrong_tails(z: np.ndarray) -> bool:
    """Beyond 1, 2, 3 and 4 standard deviations on each side; eight tests share the alarm."""
    tests = [(side, edge) for side in (-1, 1) for edge in (1, 2, 3, 4)]
    worst = min(tail_probability(int(np.sum(s * z > e)), len(z), stats.norm.sf(e)) for s, e in tests)
    return worst < ALARM / (2 * len(tests))


def tail_probability(hits: int, count: int, probability: float) -> float:
    return min(stats.binom.sf(hits - 1, count, probability), stats.binom.cdf(hits, count, probability))


def wrong_distribution(z: np.ndarray) -> bool:
    """Kolmogorov's distance, with the constant of Massart (1990): P[D > d] <= 2 exp(-2 n d²)."""
    normal = stats.norm.cdf(np.sort(z))
    steps = np.arange(len(z) + 1) / len(z)
    distance = max(np.max(steps[1:] - normal), np.max(normal - steps[:-1]))
    return bool(distance > math.sqrt(math.log(2 / ALARM) / (2 * len(z))))


def wrong_low_bits(z: np.ndarray) -> bool:
    """The last four bits of the multiples are uniform: the density is flat over 16 steps."""
    inner = z[np.abs(z) < 2]  # larger ones lose bits in the conversion to a double
    return unlike(np.bincount((inner * STEPS).astype(np.int64) & 15, minlength=16), np.full(16, 1 / 16))


def correlated(x: np.ndarray, y: np.ndarray) -> bool:
    """Given x, the product x·y of independent standard normals is exactly N(0, x·x)."""
    return bool(abs(x @ y) / math.sqrt(x @ x) > stats.norm.isf(ALARM / 2))


def related_sizes(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether |x| and |y| exceed their medians together more or less often than by chance."""
    median = stats.norm.ppf(0.75)
    cells = 2 * (np.abs(x) > median) + (np.abs(y) > median)
    return unlike(np.bincount(cells, minlength=4), np.full(4, 0.25))


# Small scales: every lattice point counts

RATIOS = (0.5, 1.5, 4.0)


@pytest.mark.parametrize(("ratio", "exponent"), list(zip(RATIOS, (0, -20, 3), strict=True)))
def test_counts_of_lattice_points(ratio, exponent):
    step = 2.0**exponent
    sample = draw(ratio * step, exponent, COUNT, value=5 * step) / step - 5
    assert not wrong_counts(sample, ratio)


@pytest.mark.parametrize("ratio", RATIOS)
def test_signs_of_two_draws(ratio):
    sample = draw(ratio, 0, COUNT).astype(np.int64)
    first, second = np.split(sample, 2)
    assert not unlike(np.bincount(np.sign(first * second) + 1, minlength=3), signs(ratio))


def signs(ratio: float) -> np.ndarray:
    """How likely the product of two independent draws is negative, zero or positive."""
    support = np.arange(-60, 61)
    weights = np.exp(-(support**2) / (2 * ratio**2))
    zero = weights[support == 0].sum() / weights.sum()
    return np.array([(1 - zero) ** 2 / 2, 1 - (1 - zero) ** 2, (1 - zero) ** 2 / 2])


def discrete_gaussian(ratio: float, seed: int) -> np.ndarray:
    support = np.arange(-60, 61)
    weights = np.exp(-(support**2) / (2 * ratio**2))
    return np.random.default_rng(seed).choice(support, COUNT, p=weights / weights.sum())


def rounded_normal(ratio: float, seed: int) -> np.ndarray:
    return np.rint(np.random.default_rng(seed).normal(0, ratio, COUNT))


def rounded_uniform(ratio: float, seed: int) -> np.ndarray:
    return np.rint(np.random.default_rng(seed).uniform(-1, 1, COUNT) * ratio * math.sqrt(3))


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_check_accepts_the_discrete_gaussian(ratio):
    assert not wrong_counts(discrete_gaussian(ratio, 0), ratio)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ratio", RATIOS)
def test_counts_show_a_wrong_std(ratio, seed):
    assert wrong_counts(discrete_gaussian(1.03 * ratio, seed), ratio)
    assert wrong_counts(discrete_gaussian(0.97 * ratio, seed), ratio)


@pytest.mark.parametrize("seed", range(5))
def test_counts_show_a_wrong_shape(seed):
    assert wrong_counts(rounded_normal(0.5, seed), 0.5)
    assert wrong_counts(rounded_uniform(1.5, seed), 1.5)
    assert wrong_counts(discrete_gaussian(1.5, seed) + (np.arange(COUNT) % 20 == 0), 1.5)


@pytest.mark.parametrize("seed", range(5))
def test_counts_show_a_sampler_that_loses_its_sign(seed):
    """The fair sign of the proposal, left out at zero: the mass there is doubled."""
    sample = discrete_gaussian(1.5, seed)
    extra = np.random.default_rng(seed).random(COUNT) < 0.02
    assert wrong_counts(np.where(extra, 0, sample), 1.5)


# Large scales: the lattice of a release


@pytest.fixture(scope="module")
def sample() -> np.ndarray:
    """Secure draws of standard deviation 1."""
    exponent = lattice_exponent(1.0, 1)
    assert 2.0**-exponent == STEPS
    return draw(1.0, exponent, COUNT)


MOMENTS: dict[str, Check] = {
    "mean": wrong_mean,
    "variance": wrong_variance,
    "tails": wrong_tails,
    "distribution": wrong_distribution,
    "low bits": wrong_low_bits,
}


@pytest.mark.parametrize("check", MOMENTS.values(), ids=MOMENTS.keys())
def test_large_scale(sample, check):
    assert not check(sample)


def on_the_lattice(z: np.ndarray, seed: int = 0) -> np.ndarray:
    """The sample rounded to every 16th lattice point, plus 0 to 15 steps."""
    steps = np.random.default_rng([seed, 1]).integers(16, size=len(z))
    return (16 * np.rint(z * (STEPS / 16)) + steps) / STEPS


def normal(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=COUNT)


@pytest.mark.parametrize("check", MOMENTS.values(), ids=MOMENTS.keys())
def test_the_checks_accept_a_normal_sample(check):
    assert not check(on_the_lattice(normal(0)))


VIOLATIONS: dict[str, tuple[Check, Callable[[np.ndarray], np.ndarray]]] = {
    "mean off by 3 % of the std": (wrong_mean, lambda z: z + 0.03),
    "std 3 % too small": (wrong_variance, lambda z: 0.97 * z),
    "std 3 % too large": (wrong_variance, lambda z: 1.03 * z),
    "cut off at 3 std": (wrong_tails, lambda z: np.clip(z, -3.0, 3.0)),
    "one tail heavier": (wrong_tails, lambda z: np.where(z > 2, 1.2 * z, z)),
    "std 6 % too small, by its distribution": (wrong_distribution, lambda z: 0.94 * z),
    "a mixture of the same variance": (
        wrong_distribution,
        lambda z: z * np.where(np.arange(len(z)) % 2, math.sqrt(0.5), math.sqrt(1.5)),
    ),
    "every second step": (wrong_low_bits, lambda z: 2 * on_the_lattice(z / 2)),
    "noise of single precision": (wrong_low_bits, lambda z: z.astype(np.float32).astype(np.float64)),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("check", "spoil"), VIOLATIONS.values(), ids=VIOLATIONS.keys())
def test_the_checks_see_planted_violations(check, spoil, seed):
    assert check(spoil(normal(seed)))


# Other lattices, among them that of relative noise, and another sampler as the oracle


@pytest.mark.parametrize("exponent", [-12, -60, -115])
def test_other_lattices(exponent):
    z = draw(1.0, exponent, COUNT)
    assert not wrong_variance(z)
    assert not wrong_tails(z)
    assert not wrong_distribution(z)


def opendp(std: float, exponent: int, count: int) -> np.ndarray:
    """OpenDP's sampler of the same law."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    space = vector_domain(atom_domain(T=float, nan=False), size=count), l2_distance(T=float)
    return np.array(make_gaussian(*space, scale=std, k=exponent)([0.0] * count))


def alike(first: np.ndarray, second: np.ndarray) -> bool:
    """Kolmogorov's distance of two samples, each within Massart's distance of one law."""
    both = np.sort(np.concatenate((first, second)))
    shares = [np.searchsorted(np.sort(z), both, "right") / len(z) for z in (first, second)]
    allowed = sum(math.sqrt(math.log(4 / ALARM) / (2 * len(z))) for z in (first, second))
    return bool(np.abs(shares[0] - shares[1]).max() <= allowed)


@pytest.mark.parametrize(("std", "exponent"), [(1.5, 0), (7.3, 0), (1.0, -47)])
def test_the_law_is_that_of_another_sampler(std, exponent):
    oracle = opendp(std, exponent, 20_000)
    assert alike(draw(std, exponent, COUNT), oracle)
    assert not alike(draw(1.2 * std, exponent, COUNT), oracle)


# Independence


def test_halves_of_a_draw_are_independent(sample):
    first, second = np.split(sample, 2)
    assert not correlated(first, second)
    assert not related_sizes(first, second)


def test_next_draws_are_independent(sample):
    first, second = sample.reshape(-1, 2).T
    assert not correlated(first, second)
    assert not related_sizes(first, second)


def test_coordinates_and_calls_are_independent():
    calls = np.array([draw(1.0, -47, 2) for _ in range(8000)])
    for first, second in (calls.T, (calls[0::2, 0], calls[1::2, 0])):
        assert not correlated(first, second)
        assert not related_sizes(first, second)


@pytest.mark.parametrize("seed", range(5))
def test_the_checks_see_planted_dependence(seed):
    x, y = np.random.default_rng(seed).normal(size=(2, 8000))
    assert not correlated(x, y)
    assert not related_sizes(x, y)
    assert correlated(x, math.sqrt(0.98) * y + math.sqrt(0.02) * x)
    scale = np.random.default_rng(seed + 100).choice([math.sqrt(0.5), math.sqrt(1.5)], 8000)
    assert not correlated(scale * x, scale * y)
    assert related_sizes(scale * x, scale * y)


def repeats(z: np.ndarray) -> bool:
    """Two draws are equal with probability 2.1e-15: three or more such pairs occur once in 1e14 runs."""
    return len(z) - len(np.unique(z)) > 2


def test_no_noise_is_drawn_twice(sample):
    assert not repeats(sample)


def test_the_check_sees_a_generator_that_repeats():
    assert repeats(np.tile(np.random.default_rng(0).normal(size=COUNT // 2), 2))


# The whole release


def test_a_release_has_the_noise_that_the_mechanism_states():
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(0.5), 40_000, 6.0)
    z = (mechanism.release(np.full(40_000, 7.25)) - 7.25) / mechanism.noise_std
    assert not wrong_mean(z)
    assert not wrong_variance(z)
    assert wrong_variance(1.05 * z)


def test_a_release_of_relative_noise_has_the_noise_that_the_mechanism_states():
    value = np.full(40_000, 7.25)
    mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(0.1, 1.0), 40_000, 0.01)
    z = (mechanism.release(value) - value) / mechanism.noise_std(float(np.linalg.norm(value)))
    assert not wrong_mean(z)
    assert not wrong_variance(z)
    assert wrong_variance(1.05 * z)
