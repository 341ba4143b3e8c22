"""The low-order-bit attack: it reads the answer out of textbook floating-point noise, and not out of ours.

An attacker knows the two answers that are possible, sees one release and says which answer it was. Real
noise would let no attack be right with a probability above Phi(mu/2). Noise computed in floating point
takes few of the values that a double can have, and answer + noise shows in its last bits which ones were
possible: Mironov (2012), On Significance of the Least Significant Bits for Differential Privacy; for
Gaussian noise Jin, McMurtry, Rubinstein, Ohrimenko (2022), Are We There Yet?

Two victims, kept here only to be attacked: the Box–Muller method, and numpy's normal numbers. Their tests
are seeded. Secure noise has no seed: each of its tests fails by bad luck with a probability of at most 1e-8.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import relgauss as rg

pytestmark = pytest.mark.statistical

ALARM = 1e-8

Release = Callable[[np.ndarray], np.ndarray]
Attack = Callable[[np.ndarray], bool]


def successes(release: Release, answers: tuple[np.ndarray, np.ndarray], attack: Attack, trials: int) -> int:
    """How often the attack names the answer, each of the two being released equally often."""
    return sum(attack(release(answers[truth])) == bool(truth) for truth in (0, 1) for _ in range(trials // 2))


def best_by_chance(trials: int, probability: float) -> int:
    """The number of successes that is exceeded with a probability of at most ALARM."""
    return int(stats.binom.isf(ALARM, trials, probability))


def secure(distance: float, dim: int, mu: float) -> Release:
    return rg.Gaussian(rg.AbsoluteSensitivity(distance), dim, 1 / mu).release


# Box–Muller: which pairs of outputs can 53-bit uniform numbers make at all?

PAIRS = 24
MU = 0.1
UNIT = 2.0**-53
NEAR = [(i * UNIT, j * UNIT) for i, j in itertools.product(range(-3, 4), repeat=2)]
ZERO, SHIFTED = np.zeros(2 * PAIRS), np.full(2 * PAIRS, 1 / 3)
REACH = float(np.linalg.norm(SHIFTED))
STD = REACH / MU


def box_muller(u: float, v: float, std: float) -> tuple[float, float]:
    radius = math.sqrt(-2 * math.log(u))
    return std * (radius * math.cos(2 * math.pi * v)), std * (radius * math.sin(2 * math.pi * v))


def textbook_release(rng: np.random.Generator) -> Release:
    """VICTIM, not private: answer + Box–Muller noise."""

    def release(answer: np.ndarray) -> np.ndarray:
        uniform = rng.random((len(answer) // 2, 2)).tolist()
        noise = [z for u, v in uniform for z in box_muller(1 - u, v, STD)]
        return answer + np.array(noise)

    return release


def reachable_pairs(output: np.ndarray, answer: np.ndarray) -> int:
    """How many pairs of outputs are answer + noise for some uniform numbers on the grid of 2^-53."""
    count = 0
    for (y, z), (a, b) in zip(output.reshape(-1, 2).tolist(), answer.reshape(-1, 2).tolist(), strict=True):
        first, second = (y - a) / STD, (z - b) / STD
        u = round(math.exp(-(first**2 + second**2) / 2) / UNIT) * UNIT
        v = round(math.atan2(second, first) / (2 * math.pi) % 1 / UNIT) * UNIT
        candidates = (box_muller(u + i, v + j, STD) for i, j in NEAR if 0 < u + i <= 1)
        count += any((a + n, b + m) == (y, z) for n, m in candidates)
    return count


def by_reachable_pairs(rng: np.random.Generator) -> Attack:
    """Name the answer from which more of the output is reachable; toss a coin when equal."""

    def attack(output: np.ndarray) -> bool:
        zero, shifted = reachable_pairs(output, ZERO), reachable_pairs(output, SHIFTED)
        return bool(rng.random() < 0.5) if zero == shifted else shifted > zero

    return attack


def test_box_muller_noise_gives_the_answer_away():
    rng = np.random.default_rng(0)
    assert successes(textbook_release(rng), (ZERO, SHIFTED), by_reachable_pairs(rng), 100) >= 98


def test_secure_noise_does_not_give_the_answer_away_by_its_reachable_values():
    attack = by_reachable_pairs(np.random.default_rng(0))
    found = successes(secure(REACH, len(ZERO), MU), (ZERO, SHIFTED), attack, 400)
    assert found <= best_by_chance(400, stats.norm.cdf(MU / 2))


# numpy's normal numbers: has the sum the digits of small numbers, or of a sum of large ones?

DIM = 2048
ORIGIN, ONES = np.zeros(DIM), np.ones(DIM)
LENGTH = math.sqrt(DIM)


def numpy_release(rng: np.random.Generator) -> Release:
    """VICTIM, not private: answer + numpy's normal noise, at mu = 1."""
    return lambda answer: answer + rng.normal(size=len(answer)) * LENGTH


def by_granularity(output: np.ndarray) -> bool:
    """Whether the answer was 1: then every output below 1/2 is a sum 1 + noise, so a multiple of 2^-53."""
    small = output[np.abs(output) < 0.5]
    return bool(np.all(small * 2.0**53 == np.rint(small * 2.0**53)))


def test_numpy_noise_gives_the_answer_away():
    release = numpy_release(np.random.default_rng(0))
    assert successes(release, (ORIGIN, ONES), by_granularity, 400) >= 396


def test_secure_noise_does_not_give_the_answer_away_by_its_granularity():
    found = successes(secure(LENGTH, DIM, 1.0), (ORIGIN, ONES), by_granularity, 60)
    assert found <= best_by_chance(60, 0.5)


# Any rule on the last bits: they are distributed the same whatever the answer


def last_bits(outputs: np.ndarray, exponent: int) -> np.ndarray:
    """Counts of the last five bits of the multiples of 2^exponent nearest to the outputs."""
    steps = np.rint(np.ldexp(outputs, -exponent))
    return np.bincount(steps[np.abs(steps) < 2.0**53].astype(np.int64) & 31, minlength=32)


def differ(first: np.ndarray, second: np.ndarray) -> bool:
    """Pearson's test of two histograms, at a tenth of the alarm for what the approximation may be off by."""
    total = first + second
    assert total.min() > 100
    share = first.sum() / total.sum()
    statistic = np.sum((first - share * total) ** 2 / (share * (1 - share) * total))
    return bool(stats.chi2.sf(statistic, len(total) - 1) < ALARM / 10)


COUNT = 40_000
GRID = -52  # the last bit of a double between 1 and 2
LATTICE = -47  # the last bit of secure noise of standard deviation 1


def test_the_last_bits_of_secure_noise_are_the_same_for_both_answers():
    release = secure(1.0, COUNT, 1.0)
    assert not differ(
        last_bits(release(np.zeros(COUNT)), LATTICE), last_bits(release(np.full(COUNT, 1 / 3)), LATTICE)
    )


def test_the_last_bits_of_numpy_noise_differ():
    rng = np.random.default_rng(0)
    outputs = rng.normal(size=COUNT), 1 / 3 + rng.normal(size=COUNT)
    assert differ(last_bits(outputs[0], GRID), last_bits(outputs[1], GRID))
