"""Seeded noise, for simulation only: what it touches is marked and stays marked."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError


class SimulatedArray(np.ndarray[Any, np.dtype[np.float64]]):
    """An array that came out of seeded noise. The mark survives arithmetic and shows when printed."""

    def __repr__(self) -> str:
        return f"Simulated, not private: {np.array2string(np.asarray(self), separator=', ')}"

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        plain = np.asarray(self)
        return f"Simulated, not private: {format(plain.item(), spec)}" if plain.ndim == 0 else repr(self)


def gaussian(std: float, shape: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    """Normal noise from the caller's generator."""
    _check(rng)
    return rng.normal(0.0, std, shape)


def discrete_laplace(epsilon: float, rng: np.random.Generator) -> int:
    """An integer k with probability proportional to exp(-|k| epsilon): the difference of two geometrics."""
    _check(rng)
    first, second = rng.geometric(-np.expm1(-epsilon), size=2).tolist()
    return int(first) - int(second)


def _check(rng: object) -> None:
    """A seed, the global generator or anything else is refused: simulation is asked for by a generator."""
    if not isinstance(rng, np.random.Generator):
        raise InvalidParameterError(
            "rng",
            rng,
            "a numpy.random.Generator",
            "Pass numpy.random.default_rng(seed), or leave it out for secure noise.",
        )


def mark(value: FloatArray) -> SimulatedArray:
    """Mark a result of simulated noise."""
    return value.view(SimulatedArray)
