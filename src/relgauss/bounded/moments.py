"""Moments of rows that are clipped to a norm: each answer comes with the bound that clipping enforced."""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray, upper_triangle
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.records.blocks import Block, Rows


def clip_weights(norms: FloatArray, clip_radius: float) -> FloatArray:
    """min(1, clip_radius/norm): the weight that clips a row to this norm, 1 for a row of zeros."""
    return clip_radius / np.maximum(norms, clip_radius)


def mean_row(rows: Rows, clip_radius: float, label_bound: float) -> BoundedAnswer:
    """The mean of (x w, clip(y, ±Y)) with w = min(1, R/||x||), R = clip_radius, Y = label_bound.

    Two such contributions differ by at most 2 sqrt(R² + Y²).
    """

    def block_sum(block: Block) -> FloatArray:
        features = clip_weights(block.norms, clip_radius) @ block.features
        return np.append(features, np.clip(block.labels, -label_bound, label_bound).sum())

    largest = math.hypot(clip_radius, label_bound)
    return bounded_mean(rows, block_sum, largest=largest, apart=2 * largest)


def second_moments(rows: Rows, clip_radius: float) -> BoundedAnswer:
    """The mean of x xᵀ w² with w = min(1, R/||x||), R = clip_radius, as the vector of its ``upper_triangle``.

    ||x xᵀ||_F <= R², and two of them differ by at most sqrt(2) R² in Frobenius norm: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        weights = clip_weights(block.norms, clip_radius)[:, None]
        clipped = np.multiply(block.features, weights, out=block.room.like(block.features))
        return upper_triangle(clipped.T @ clipped)

    return bounded_mean(rows, block_sum, largest=clip_radius**2, apart=math.sqrt(2) * clip_radius**2)
