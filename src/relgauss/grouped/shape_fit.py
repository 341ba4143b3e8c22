"""What placed shapes explain of each group's noisy counts, and what none of them does."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.likely_shapes import ShapeWeights
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedShapes
from relgauss.grouped.shape_weights import shape_weights

_CAUTION = 2.5  # noise levels past the largest of as many pure noises; alone they pass once in 10^6 groups


@dataclass(frozen=True, eq=False)
class ShapeFit:
    """The weights of the shapes, a row for each group.

    ``expected`` are the records that they put in each bin, ``unexplained`` those that no shape explains.
    """

    weights: ShapeWeights
    expected: FloatArray
    unexplained: FloatArray


def fit_shapes(
    shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts, there: NDArray[np.bool_] | None = None
) -> ShapeFit:
    """Weigh all placed shapes for each group; post-processing, which costs nothing.

    Groups that are not ``there`` have one shape, the narrowest at the lowest position.
    """
    if there is None or there.all():
        weights = shape_weights(shapes, log_prior, counts)
    else:
        weights = _weights_where(there, shapes, log_prior, counts)
    return fit_of(shapes, weights, counts)


def fit_of(shapes: PlacedShapes, weights: ShapeWeights, counts: NoisyCounts) -> ShapeFit:
    """What shapes of these weights leave unexplained.

    The residual y - n p at the mean shape is noise up to about noise_std (2.5 + sqrt(2 log bins)); what is
    larger is taken for records that no shape explains.
    """
    sizes = counts.sizes[:, None]
    expected = sizes * weights.average(shapes.bin_shares)
    residual = counts.values - expected
    threshold = counts.noise_std[:, None] * (_CAUTION + math.sqrt(2 * math.log(shapes.grid.bins)))
    unexplained = np.where(np.abs(residual) > threshold, np.clip(residual, -sizes, sizes), 0.0)
    return ShapeFit(weights, expected, unexplained)


def _weights_where(
    there: NDArray[np.bool_], shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts
) -> ShapeWeights:
    if there.any():
        return shape_weights(shapes, log_prior, counts.rows(there)).among(there)
    nothing = np.zeros(0, np.intp), np.zeros(0, np.int32), np.zeros(0, np.float32)
    return ShapeWeights(*nothing, len(log_prior)).among(there)
