"""Relative noise that is as large as the answer: from where it is told, and from where refused.

What counts is the standard deviation of the noise on the answer's logarithm. Past 1 the answers are mostly
noise, and past 25 their size overflows.
"""

from __future__ import annotations

import math

from relgauss.accounting import gdp
from relgauss.errors import InvalidParameterError, UnreachableTargetError
from relgauss.mechanisms.target import Target

MOST_LOG_NOISE = 25.0


def caution_of(log_noise: float) -> str:
    """What a user should know of noise above 1."""
    return (
        f"The noise on the answer's logarithm has a standard deviation of {log_noise:.3g} > 1: "
        "the answers will be mostly noise. Find a smaller eta, or spend more."
    )


def refuse_overflow(log_noise: float, noise_multiplier: float) -> None:
    """Refuse a noise multiplier at which the size of answers overflows."""
    if log_noise > MOST_LOG_NOISE:
        most = noise_multiplier * MOST_LOG_NOISE / log_noise
        raise InvalidParameterError(
            "noise_multiplier",
            noise_multiplier,
            f"at most {most:.6g} at this eta",
            "The answer would be nothing but noise: find a smaller eta, or spend more.",
        )


def unreachable(eta: float, target: Target, most: float) -> UnreachableTargetError:
    """The error for a target that asks for more than the largest noise multiplier."""
    least = gdp.epsilon(math.sqrt(target.steps) / most, target.delta)
    return UnreachableTargetError(
        f"At eta={eta:g}, epsilon={target.epsilon:g} would leave nothing of the answer "
        f"but noise; below epsilon={least:.6g} its size overflows.",
        "Find a smaller eta, or spend more.",
        least,
    )
