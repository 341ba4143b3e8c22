"""What each stage of a fit makes of the rows before it, block by block, each row by itself."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.estimate.whitening import Centre
from relgauss.linear_model.units import FeatureUnits, LabelUnits
from relgauss.records.blocks import Block, Change


def to_scaled(units: FeatureUnits, label: LabelUnits) -> Change:
    """Clipped and scaled to these units."""
    return lambda block: (
        units.scaled(block.features, block.room.columnwise(len(block.labels), units.count)),
        label.scaled(block.labels),
    )


def to_centred(centre: Centre) -> Change:
    """As distances from a centre."""
    return lambda block: (
        np.subtract(block.features, centre.features, out=block.room.like(block.features)),
        block.labels - centre.label,
    )


def to_whitened(matrix: FloatArray, ones: int, label_shift: float) -> Change:
    """Whitened features, with a column of ones for the intercept."""
    slopes = matrix.shape[1]

    def change(block: Block) -> tuple[FloatArray, FloatArray]:
        features = block.room.columnwise(len(block.labels), slopes + ones)
        np.matmul(block.features, matrix, out=features[:, :slopes])
        features[:, slopes:] = 1.0
        return features, block.labels + label_shift

    return change
