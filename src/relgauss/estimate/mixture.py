"""Mixtures of normal laws, and their quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize.elementwise import find_root
from scipy.special import ndtr

from relgauss.arrays import FloatArray

_TOLERANCE = 1e-9  # of a quantile's logarithm


@dataclass(frozen=True, eq=False)
class Mixture:
    """sum_k weight_k N(mean_k, std_k²), a row for each mixture; weights of a row sum to one."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    def quantiles(self, levels: Sequence[float], low: float, high: float) -> FloatArray:
        """The quantiles of all mixtures, each moved into the positive range [low, high]; a row a level."""
        shape = len(levels), len(self.weights)
        level = np.repeat(np.asarray(levels, dtype=np.float64), shape[1])
        row = np.tile(np.arange(shape[1], dtype=np.float64), shape[0])

        def excess(log_x: FloatArray, level: FloatArray, row: FloatArray) -> FloatArray:
            """How far the mass below exp(log_x) exceeds the level."""
            return self._mass_below(np.exp(log_x), row.astype(np.intp)) - level

        ends = np.log(low), np.log(high)
        at_low, at_high = (excess(np.full(row.size, end), level, row) for end in ends)
        result = np.where(at_low >= 0, low, high)
        inside = (at_low < 0) & (at_high > 0)
        if inside.any():
            arguments = level[inside], row[inside]
            found = find_root(excess, ends, args=arguments, tolerances={"xatol": _TOLERANCE})
            result[inside] = np.exp(found.x)
        return result.reshape(shape)

    def _mass_below(self, x: FloatArray, rows: NDArray[np.intp]) -> FloatArray:
        z = (x[:, None] - self.means[rows]) / self.stds[rows]
        mass: FloatArray = np.einsum("ij,ij->i", self.weights[rows], ndtr(z))
        return mass
