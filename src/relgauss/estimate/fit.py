"""Which shapes do noisy counts speak for, and which counts does no shape explain?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from relgauss.arrays import FloatArray
from relgauss.estimate.log_counts import NoisyCounts
from relgauss.estimate.shapes import Shapes

_MISFIT = 0.08  # the part of a group by which a bin may differ from the best shape
_CAUTION = 1.0  # noise levels past the largest of as many pure noises, to take a count for real
_NEGLIGIBLE = 1e-6  # a weight that can be left out


@dataclass(frozen=True, eq=False)
class Fit:
    """How likely each shape is, a row for each group, and how many records of a bin no shape explains."""

    weights: FloatArray
    strays: FloatArray

    def likely(self) -> NDArray[np.intp]:
        """The indices of each group's likely shapes: a row for each group, as long as the longest."""
        most = int((self.weights > _NEGLIGIBLE).sum(axis=1).max())
        return np.argpartition(-self.weights, most - 1, axis=1)[:, :most]


def fit_shapes(shapes: Shapes, counts: NoisyCounts) -> Fit:
    """Weigh all shapes for each group; post-processing, which costs nothing.

    The residual y - n p at the mean shape is noise up to about noise_std (1 + sqrt(2 log bins)); what is
    larger is taken for records that no shape explains.
    """
    weights = softmax(shapes.log_prior + log_likelihood(shapes, counts), axis=1)
    sizes = counts.sizes[:, None]
    residual = counts.values - sizes * (weights @ shapes.bin_shares)
    threshold = counts.noise_std[:, None] * (_CAUTION + math.sqrt(2 * math.log(shapes.grid.bins)))
    strays = np.where(np.abs(residual) > threshold, np.clip(residual, -sizes, sizes), 0.0)
    return Fit(weights, strays)


def log_likelihood(shapes: Shapes, counts: NoisyCounts) -> FloatArray:
    """The log-likelihood of every shape, up to a constant, a row for each group.

    A group of n values of a shape with bin shares p has counts y = n p + N(0, v), where v joins the noise
    and the misfit, v = noise_std² + (0.08 n)²:

        n <y, p>/v - n² |p|²/(2 v)
    """
    sizes, shares = counts.sizes[:, None], shapes.bin_shares
    variance = counts.noise_std[:, None] ** 2 + (_MISFIT * sizes) ** 2
    result: FloatArray = sizes / variance * (counts.values @ shares.T)
    result -= sizes**2 / (2 * variance) * np.einsum("ij,ij->i", shares, shares)
    return result
