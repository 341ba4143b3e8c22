"""The map of the classical case eta = 0: the answer in units of r."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.arrays import FloatArray
from relgauss.mechanisms.maps.base import UnitMap


@dataclass(frozen=True)
class ScalingMap(UnitMap):
    """eta = 0: z = q/r, estimate = r Z: without bias, E||estimate - q||² = d s² r²."""

    r: float
    dim: int

    @property
    def coordinates(self) -> int:  # type: ignore[override]
        """As many as the answer has."""
        return self.dim

    def encode(self, answer: FloatArray) -> FloatArray:
        return answer / self.r

    def decode(self, z: FloatArray) -> FloatArray:
        return self.r * z

    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        return self.r * z

    def mean_squared_error(self, norm: float, s: float) -> float:
        return self.dim * (s * self.r) * (s * self.r)

    def limiting_relative_error(self, s: float) -> float:
        return 0.0

    def log_noise(self, s: float) -> float:
        return 0.0

    def float_error(self) -> float:
        """No public bound: q/r may be of any size, so secure release rounds q itself."""
        return float("inf")
