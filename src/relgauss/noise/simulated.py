"""Seeded noise, for simulation only: what it touches is marked (``relgauss.arrays.simulated``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError


def gaussian(std: float, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Normal noise from the caller's generator."""
    check_generator(rng)
    return rng.normal(0.0, std, shape)


def discrete_laplace(epsilon: float, rng: np.random.Generator) -> int:
    """An integer k with probability proportional to exp(-|k| epsilon): the difference of two geometrics."""
    check_generator(rng)
    first, second = rng.geometric(-np.expm1(-epsilon), size=2).tolist()
    return int(first) - int(second)


def seeded(random_state: Any) -> np.random.Generator:
    """A generator of anything that seeds one, as scikit-learn has it; a generator is itself."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**32, dtype=np.uint64)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        fix = "Leave it out for secure noise; pass 0, for example, for simulated noise."
        requirement = "None, a whole number from 0 on, or a generator"
        raise InvalidParameterError("random_state", random_state, requirement, fix) from None


def check_generator(rng: object) -> None:
    """A seed, the global generator or anything else is refused: simulation is asked for by a generator."""
    if not isinstance(rng, np.random.Generator):
        raise InvalidParameterError(
            "rng",
            rng,
            "a numpy.random.Generator",
            "Pass numpy.random.default_rng(seed), or leave it out for secure noise.",
        )
