"""Mixtures of normal laws, and their quantiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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

    def quantile(self, level: float, low: float, high: float) -> FloatArray:
        """The quantiles of all rows, each moved into the positive range [low, high]."""
        rows = np.arange(len(self.weights), dtype=np.float64)

        def excess(log_x: FloatArray, row: FloatArray) -> FloatArray:
            """How far the mass below exp(log_x) exceeds the level."""
            return self._mass_below(np.exp(log_x), row.astype(np.intp)) - level

        ends = np.log(low), np.log(high)
        at_low, at_high = (excess(np.full(len(rows), end), rows) for end in ends)
        result = np.where(at_low >= 0, low, high)
        inside = (at_low < 0) & (at_high > 0)
        if inside.any():
            found = find_root(excess, ends, args=(rows[inside],), tolerances={"xatol": _TOLERANCE})
            result[inside] = np.exp(found.x)
        return result

    def _mass_below(self, x: FloatArray, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> FloatArray:
        z = (x[:, None] - self.means[rows]) / self.stds[rows]
        mass: FloatArray = np.einsum("ij,ij->i", self.weights[rows], ndtr(z))
        return mass
