"""Certificates as random outcomes: how often they pass, how often they are wrong, and what an audit sees."""

import math

import numpy as np
import pytest
from scipy import stats

import relgauss as rg
from relgauss.audit import audit_samplers
from relgauss.certify import Certified, RowBounds, certify_by_release
from relgauss.certify.by_test import distance_to_failure, threshold
from relgauss.noise import discrete_laplace, simulated

pytestmark = pytest.mark.statistical

ALARM = 1e-9
EPSILON, DELTA = 1.5, 1e-3
ROWS = RowBounds(1_000, 3, 2.0, 1.0)


def too_often(hits: int, count: int, probability: float) -> bool:
    return bool(stats.binom.sf(hits - 1, count, probability) < ALARM)


def too_seldom(hits: int, count: int, probability: float) -> bool:
    return bool(stats.binom.cdf(hits, count, probability) < ALARM)


def laplace_cells(sample: np.ndarray, epsilon: float) -> bool:
    """Whether some count of -4..4, or of a tail, is off for the discrete Laplace law."""
    p = math.exp(-epsilon)
    for k in range(-4, 5):
        probability = (1 - p) / (1 + p) * p ** abs(k)
        hits = int(np.sum(sample == k))
        if too_often(hits, len(sample), probability) or too_seldom(hits, len(sample), probability):
            return True
    tail = p**5 / (1 + p)
    return too_often(int(np.sum(sample >= 5)), len(sample), tail) or too_often(
        int(np.sum(sample <= -5)), len(sample), tail
    )


def simulated_sample(epsilon: float, count: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array([simulated.discrete_laplace(epsilon, rng) for _ in range(count)])


def test_secure_and_simulated_laplace_noise_have_the_same_law():
    drawn = np.array([discrete_laplace.draw(EPSILON) for _ in range(20_000)])
    assert not laplace_cells(drawn, EPSILON)
    assert not laplace_cells(simulated_sample(EPSILON, 20_000, 0), EPSILON)


@pytest.mark.parametrize("wrong", [1.35, 1.65])
def test_the_check_sees_laplace_noise_of_another_scale(wrong):
    assert laplace_cells(simulated_sample(wrong, 20_000, 1), EPSILON)


def passes(distance: int, needed: int, count: int, seed: int) -> int:
    """How many of so many tests pass; many at once, by the law of the noise."""
    rng = np.random.default_rng(seed)
    p = -math.expm1(-EPSILON)
    noise = rng.geometric(p, count) - rng.geometric(p, count)
    return int(np.sum(distance + noise >= needed))


def test_a_data_set_that_fails_passes_with_probability_at_most_delta():
    count = 1_000_000
    needed = threshold(EPSILON, DELTA)
    assert not too_often(passes(0, needed, count, 0), count, DELTA)
    assert too_often(passes(0, needed - 1, count, 0), count, DELTA)  # a threshold one lower is caught


def test_the_paper_s_threshold_passes_too_often():
    """Continuous noise at distance one, where a neighbour already fails, with e^epsilon > 2."""
    count = 1_000_000
    noise = np.random.default_rng(0).laplace(0, 1 / EPSILON, count)
    paper = -math.log(DELTA) / EPSILON
    right = 1 + math.log(1 / (2 * DELTA)) / EPSILON
    assert too_often(int(np.sum(1 + noise > paper)), count, DELTA)
    assert not too_often(int(np.sum(1 + noise > right)), count, DELTA)


def audit_of_test(sensitivity_used: float, seed: int) -> str:
    """Outcomes of the test on neighbours at the threshold, where one record flips the most outcomes."""
    needed = threshold(EPSILON, DELTA)
    rng = np.random.default_rng(seed)
    rho, step = 0.1, ROWS.eigenvalue_sensitivity
    value = rho + needed * step * (1 + 1e-9)  # exactly the threshold away
    distances = [distance_to_failure(rho, v, ROWS) for v in (value, value - step)]
    assert distances == [needed, needed - 1]
    p = -math.expm1(-EPSILON / sensitivity_used)

    def sampler(distance: int):
        def run(count: int) -> np.ndarray:
            noise = rng.geometric(p, count) - rng.geometric(p, count)
            return (distance + noise >= needed).astype(float)[:, None]

        return run

    report = audit_samplers(
        *map(sampler, distances),
        lambda rows: rows[:, 0],
        claim=rg.ApproximateDP(EPSILON, DELTA),
        samples=200_000,
        confidence=1 - 1e-8,
        delta=DELTA,
    )
    return report.verdict


def test_an_audit_finds_the_test_within_its_claim_and_convicts_half_the_noise():
    assert audit_of_test(1.0, 0) == "consistent"
    assert audit_of_test(0.5, 1) == "convicted"


def wrong_certificates(failure: float, count: int, seed: int, forgotten: float = 0.0) -> int:
    """How often rho exceeds what the worst neighbour has left, lambda_min - radius²/n.

    ``forgotten`` plants a fault: so many steps of radius²/n that rho was not lowered by.
    """
    rng = np.random.default_rng(seed)
    truth, step = 0.5, ROWS.eigenvalue_sensitivity
    found = [certify_by_release(truth, ROWS, mu=0.5, failure=failure, rng=rng) for _ in range(count)]
    return sum(isinstance(each, Certified) and each.rho + forgotten * step > truth - step for each in found)


def test_a_release_is_wrong_as_seldom_as_it_says_and_nearly_as_often():
    count, failure = 20_000, 0.02
    wrong = wrong_certificates(failure, count, 0)
    assert not too_often(wrong, count, failure)
    assert not too_seldom(wrong, count, failure)


def test_a_rho_for_the_data_but_not_for_its_neighbours_is_seen():
    assert too_often(wrong_certificates(0.02, 5_000, 1, forgotten=1.0), 5_000, 0.02)


def test_secure_releases_are_wrong_as_seldom():
    count, failure, step = 3_000, 0.05, ROWS.eigenvalue_sensitivity
    found = [certify_by_release(0.5, ROWS, mu=0.5, failure=failure) for _ in range(count)]
    wrong = sum(isinstance(each, Certified) and each.rho + step > 0.5 for each in found)
    assert not too_often(wrong, count, failure)
    assert not too_seldom(wrong, count, failure)
