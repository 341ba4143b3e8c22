"""The relative mechanism by its own theorem, as published, to show what exact accounting gains."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from relgauss.accounting import gdp
from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms import RelativeGaussian
from relgauss.report.target import Target
from relgauss.sensitivity import RelativeSensitivity

BY_THEOREM = "relative, paper's theorem"


def relative_gaussian(
    sensitivity: RelativeSensitivity, dim: int, noise_multiplier: float
) -> RelativeGaussian:
    """The mechanism whose noise is this many times the local scale."""
    gamma = (sensitivity.eta * noise_multiplier) ** 2
    return RelativeGaussian(sensitivity, dim, gamma, sensitivity.r * noise_multiplier)


def epsilon_by_theorem(mechanism: RelativeGaussian, target: Target) -> float:
    """What its Theorem 1 proves, with Mironov's conversion."""
    return mechanism.epsilon(target.delta, target.steps, method="theorem")


def calibrate_by_theorem(sensitivity: RelativeSensitivity, target: Target) -> RelativeGaussian:
    """The least noise for which Theorem 1 proves the target.

    Epsilon falls as the noise grows, down to a floor: a target below it is out of reach.
    """

    def mechanism(log_multiplier: float) -> RelativeGaussian:
        return relative_gaussian(sensitivity, target.dim, math.exp(log_multiplier))

    def excess(log_multiplier: float) -> float:
        return epsilon_by_theorem(mechanism(log_multiplier), target) - target.epsilon

    least = math.log(math.sqrt(target.steps) / gdp.mu(target.epsilon, target.delta))
    most = least + math.log(1e6)  # more noise changes epsilon in no digit that matters
    if excess(most) >= 0:
        floor = target.epsilon + excess(most)
        raise UnreachableTargetError(
            f"The paper's Theorem 1 cannot reach epsilon={target.epsilon:g} at delta={target.delta:g}: "
            f"its least epsilon is {floor:.6g}, whatever the noise.",
            "Use exact accounting or the isometric mechanism.",
            floor,
        )
    found = brentq(excess, least, most, xtol=1e-12)
    while excess(found) > 0:
        found += 1e-12
    return mechanism(found)
