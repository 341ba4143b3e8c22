"""The classical mechanism, for an absolute bound.

Here too is what all mechanisms share that add Gaussian noise where neighbours have a known distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from relgauss import validate
from relgauss.accounting.gdp import GaussianDP
from relgauss.arrays import FloatArray
from relgauss.mechanisms import dp_events as events
from relgauss.mechanisms.base import (
    Mechanism,
    bound_of_kind,
    noise_multiplier,
    relative_rounding,
    validated_norm,
)
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.mechanisms.target import Target
from relgauss.noise import lattice, simulated
from relgauss.noise.lattice import lattice_exponent, refuse_unproved, round_to_lattice, rounding_distance


class GaussianNoise(Mechanism):
    """Noise of ``noise_multiplier`` times the distance of neighbours: mu-GDP with mu = 1/noise_multiplier."""

    noise_multiplier: float

    @property
    def mu(self) -> float:
        """The GDP parameter of one release."""
        return 1 / self.noise_multiplier

    @property
    def guarantee(self) -> GaussianDP:
        """mu-GDP; what rounding to the lattice costs is added to the noise."""
        return GaussianDP(self.mu, self.sensitivity.neighbours)

    def event(self) -> Any:
        """GaussianDpEvent(noise_multiplier); read it as replace-one with sensitivity one."""
        return events.gaussian(self.noise_multiplier)


@dataclass(frozen=True)
class Gaussian(GaussianNoise):
    """q + N(0, (noise_multiplier r)² I_d) for ||q(x) - q(y)|| <= r.

    Exactly mu-GDP with mu = 1/noise_multiplier. Proof: proofs/conversions.md.

    Parameters
    ----------
    sensitivity
        How far one record can move the answer: r.
    dim
        The number of coordinates of the answer.
    noise_multiplier
        The standard deviation of the noise, in units of r.
    """

    sensitivity: AbsoluteSensitivity
    dim: int
    noise_multiplier: float

    name = "gaussian"
    title = "Gaussian, absolute bound"
    theorem = "proofs/conversions.md"
    bound_kind = AbsoluteSensitivity

    def __post_init__(self) -> None:
        bound_of_kind(AbsoluteSensitivity, self.sensitivity)
        object.__setattr__(self, "dim", validate.count("dim", self.dim))
        object.__setattr__(self, "noise_multiplier", noise_multiplier(self.noise_multiplier))

    @classmethod
    def with_noise(cls, sensitivity: AbsoluteSensitivity, dim: int, multiplier: float) -> Self:
        """Noise of this many times r."""
        return cls(sensitivity, dim, multiplier)

    @classmethod
    def calibrated(cls, sensitivity: AbsoluteSensitivity, dim: int, target: Target) -> Self:
        """The noise multiplier is the inverse of mu, exactly, where nothing else is paid for."""
        if not target.is_plain:
            return super().calibrated(sensitivity, dim, target)
        return cls(sensitivity, dim, 1 / target.mu_per_step)

    @property
    def parameters(self) -> dict[str, float]:
        """The noise multiplier, the noise and mu."""
        return {"noise_multiplier": self.noise_multiplier, "noise_std": self.noise_std, "mu": self.mu}

    @property
    def noise_std(self) -> float:
        """The standard deviation of the noise on each coordinate."""
        return self.noise_multiplier * self.sensitivity.r

    def rms_error(self, norm: float = 0.0) -> float:
        """sqrt(d) noise_std, whatever the norm."""
        validated_norm(norm)
        return math.sqrt(self.dim) * self.noise_std

    @property
    def limiting_relative_error(self) -> float:
        """The error does not grow with the answer."""
        return 0.0

    def check_releasable(self) -> None:
        """Noise and dimension must be in the range that the proof of the lattice covers."""
        refuse_unproved(self.noise_std, self.dim)

    def _release_secure(self, value: FloatArray) -> FloatArray:
        exponent = lattice_exponent(self.noise_std, self.dim)
        growth = rounding_distance(exponent, self.dim) / self.sensitivity.r
        points = round_to_lattice(value, exponent)
        return lattice.add_discrete_gaussian(points, self.noise_std * relative_rounding(growth), exponent)

    def _release_simulated(self, value: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        return value + simulated.gaussian(self.noise_std, (count, self.dim), rng)
