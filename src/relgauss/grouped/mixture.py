"""Mixtures of normal laws, and their quantiles by bracketing and root finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize.elementwise import find_root
from scipy.special import ndtr, ndtri

from relgauss.arrays import FloatArray

_TOLERANCE = 1e-9  # of a quantile's logarithm
_NEAR = 2.0  # standard deviations


@dataclass(frozen=True, eq=False)
class Mixture:
    """sum_k weight_k N(mean_k, std_k²), a row for each mixture; weights of a row sum to one."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    def quantiles(self, levels: Sequence[float], low: float, high: float) -> FloatArray:
        """The quantiles of all mixtures, a row for each level, clipped to the positive range [low, high]."""
        shape = len(levels), len(self.weights)
        level = np.repeat(np.asarray(levels, dtype=np.float64), shape[1])
        row = np.tile(np.arange(shape[1], dtype=np.float64), shape[0])

        def excess(log_x: FloatArray, level: FloatArray, row: FloatArray) -> FloatArray:
            """How far the mass below exp(log_x) exceeds the level."""
            return self._mass_below(np.exp(log_x), row.astype(np.intp)) - level

        first, last = (np.full(row.size, np.log(end)) for end in (low, high))
        at_first, at_last = excess(first, level, row), excess(last, level, row)
        result = np.where(at_first >= 0, low, high)
        inside = (at_first < 0) & (at_last > 0)
        if inside.any():
            lower, upper = (np.log(np.clip(end, low, high)).ravel() for end in self._around(levels))
            first = np.where(excess(lower, level, row) < 0, lower, first)
            last = np.where(excess(upper, level, row) > 0, upper, last)
            between, arguments = (first[inside], last[inside]), (level[inside], row[inside])
            found = find_root(excess, between, args=arguments, tolerances={"xatol": _TOLERANCE})
            result[inside] = np.exp(found.x)
        return result.reshape(shape)

    def _around(self, levels: Sequence[float]) -> tuple[FloatArray, FloatArray]:
        """Where the quantiles would be, were the mixtures normal: between these, a row for each level."""
        mean = (self.weights * self.means).sum(axis=1)
        variance = (self.weights * (self.stds**2 + (self.means - mean[:, None]) ** 2)).sum(axis=1)
        deviates, spread = ndtri(np.asarray(levels))[:, None], np.sqrt(variance)
        return mean + (deviates - _NEAR) * spread, mean + (deviates + _NEAR) * spread

    def _mass_below(self, x: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        z = (x[:, None] - self.means[rows]) / self.stds[rows]
        mass: FloatArray = np.einsum("ij,ij->i", self.weights[rows], ndtr(z))
        return mass
