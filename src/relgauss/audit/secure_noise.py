"""A quick look at this machine's secure noise: enough to see that it is broken, no proof that it is right.

For n standard normal numbers x, these are nearly standard normal if the noise is right:

    sqrt(n) mean(x)      sqrt(n/2) (mean(x²) - 1)      sqrt(n) mean(x_i x_{i+1})
    (the share with |x| > 2, minus its expectation) / its standard deviation

A right sampler is called faulty with a probability below 1e-10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.mechanisms import Gaussian
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity

_COUNT = 2**14
_MOST = 7.0  # standard deviations
_BEYOND_TWO = math.erfc(math.sqrt(2.0))


@dataclass(frozen=True)
class NoiseCheck:
    """What a quick check of secure noise found.

    Parameters
    ----------
    faults
        What is wrong, in words; empty if nothing was seen.
    count
        How many numbers were drawn.
    """

    faults: tuple[str, ...]
    count: int


def check_secure_noise() -> NoiseCheck:
    """Draw noise as a release does, twice, and look at its size, its tails and its independence."""
    mechanism = Gaussian(AbsoluteSensitivity(1.0), dim=_COUNT, noise_multiplier=1.0)
    first, second = (np.asarray(mechanism.release(np.zeros(_COUNT))) / mechanism.noise_std for _ in range(2))
    faults = [] if (first != second).any() else ["two releases drew the same noise"]
    for name, score in _scores(first, second).items():
        if not abs(score) <= _MOST:  # NaN is a fault
            faults.append(f"{name} by {score:.3g} standard deviations")
    return NoiseCheck(tuple(faults), 2 * _COUNT)


def _scores(first: FloatArray, second: FloatArray) -> dict[str, float]:
    """Standard normal numbers, if the noise is right, by what they would show."""
    both = np.concatenate((first, second))
    count = len(both)
    beyond = np.mean(np.abs(both) > 2) - _BEYOND_TWO
    return {
        "its mean is off": math.sqrt(count) * float(both.mean()),
        "its size is off": math.sqrt(count / 2) * float(np.mean(both**2) - 1),
        "its tails are off": float(beyond) * math.sqrt(count / (_BEYOND_TWO * (1 - _BEYOND_TWO))),
        "neighbouring numbers depend": math.sqrt(count - 1) * float(np.mean(both[1:] * both[:-1])),
        "releases depend": math.sqrt(len(first)) * float(np.mean(first * second)),
    }
