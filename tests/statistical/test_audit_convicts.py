"""The auditor convicts what is broken, at one false alarm in a million, and clears what only looks alike."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import AuditReport, audit, audit_samplers

from . import victims
from .victims import VICTIMS, Victim

pytestmark = pytest.mark.statistical

CONFIDENCE = 1 - 1e-6


def try_victim(victim: Victim, samples: int = 100_000) -> AuditReport:
    return audit_samplers(
        victim.run_p, victim.run_q, victim.score, claim=victim.claim, samples=samples, confidence=CONFIDENCE
    )


@pytest.mark.parametrize("make_victim", VICTIMS)
def test_every_victim_is_convicted(make_victim: Callable[[int], Victim]):
    report = try_victim(make_victim(1))
    assert report.verdict == "convicted"
    assert report.epsilon_lower > 1.5 * report.epsilon_claimed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("make_victim", VICTIMS)
def test_every_victim_is_convicted_whatever_the_seed(make_victim: Callable[[int], Victim], seed: int):
    assert try_victim(make_victim(seed), samples=50_000).verdict == "convicted"


def test_half_gamma_is_honest_if_claimed():
    """The victim with half gamma, tried for what it does: the fault was in the claim."""
    victim = victims.relative_with_half_gamma(2)
    honest = rg.RelativeGaussian(rg.RelativeSensitivity(eta=0.1), 5, gamma=0.005)
    report = try_victim(Victim(victim.run_p, victim.run_q, victim.score, honest.guarantee))
    assert report.verdict == "consistent"
    assert report.share > 0.8


def test_linear_constants_are_honest_as_linear():
    """The pair that breaks the quadratic claim, released by the mechanism of the linear form."""
    bound = rg.RelativeSensitivity(eta=0.1, r=1.0, form="linear")
    mechanism = rg.RelativeGaussian(bound, 2, gamma=0.01)
    u = bound.r / bound.eta
    v = u + bound.local_scale(u)
    stds = (mechanism.noise_std(u), mechanism.noise_std(v))
    victim = victims.gaussian_victim(victims.on_axis(u, v, 2), stds, mechanism.guarantee, seed=3)
    report = try_victim(victim)
    assert report.verdict == "consistent"
    assert report.share > 0.8


def test_delta_plus_moves_by_67_between_neighbours():
    first, second = victims.delta_plus_pair()
    assert np.count_nonzero((first != second).any(axis=1)) == 1
    eigenvalues = np.linalg.eigvalsh(first.T @ first / 200 - 0.5 * np.eye(2))
    assert eigenvalues == pytest.approx([9.016, 9.085])
    assert [victims.delta_plus(each, 0.5) for each in (first, second)] == [14, 81]


def test_a_lipschitz_count_with_the_same_noise_is_cleared():
    rng = np.random.default_rng(4)
    report = audit_samplers(
        lambda count: 14 + rng.laplace(0.0, 10.0, count),
        lambda count: 15 + rng.laplace(0.0, 10.0, count),
        lambda outputs: outputs,
        claim=rg.PureDP(0.1),
        confidence=CONFIDENCE,
    )
    assert report.verdict == "consistent"


class HalfNoise(rg.IsometricGaussian):
    """Claims one noise multiplier and uses half of it: a fault inside the library would look like this."""

    def _release_simulated(self, value: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
        honest = rg.IsometricGaussian(self.sensitivity, self.dim, self.noise_multiplier / 2)
        return np.asarray(honest.simulate(value, count, rng))


def test_a_fault_inside_a_mechanism_is_convicted_by_the_plain_audit():
    mechanism = HalfNoise(rg.RelativeSensitivity(eta=0.1, r=1.0), 3, 2.0)
    report = audit(mechanism, samples=100_000, confidence=CONFIDENCE, rng=np.random.default_rng(5))
    assert report.verdict == "convicted"


def test_a_fault_at_another_delta_than_asked_for_is_convicted_by_the_curve():
    """A mechanism that discloses with probability 0.003 passes at delta 0.1, not on the whole curve."""
    rng = np.random.default_rng(6)

    def leaking(shift: float) -> Callable[[int], np.ndarray]:
        return lambda count: (
            rng.normal(shift, 1.0, count) + 100 * np.sign(shift) * (rng.random(count) < 0.003)
        )

    report = audit_samplers(
        leaking(-0.5),
        leaking(0.5),
        lambda outputs: outputs,
        claim=rg.GaussianDP(1.0),
        delta=0.1,
        confidence=CONFIDENCE,
    )
    assert report.epsilon_lower < report.epsilon_claimed
    assert report.curve.convicts
    assert "worst       delta at least" in report.text()
    assert report.verdict == "convicted"


def test_text_and_dict_of_a_conviction():
    report = try_victim(victims.isometric_with_half_noise(7), samples=20_000)
    text = report.text()
    assert text.startswith("SIMULATED")
    assert "convicted" in text
    plain = report.to_dict()
    assert plain["verdict"] == "convicted"
    assert plain["simulated"] is True
    assert all(math.isfinite(value) for values in plain["curve"].values() for value in values)
