"""Moments of rows that are shortened to a radius: each answer comes with the bound that clipping enforced."""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.block_mean import bounded_mean
from relgauss.bounded.symmetric import to_vector
from relgauss.records.blocks import Block, Rows


def shortening(norms: FloatArray, radius: float) -> FloatArray:
    """min(1, radius/norm): the weight that brings a row into the ball, 1 for a row of zeros."""
    return radius / np.maximum(norms, radius)


def mean_row(rows: Rows, radius: float, label_bound: float) -> BoundedAnswer:
    """The mean of (x w, clip(y, ±Y)) with w = min(1, R/||x||).

    Two such contributions differ by at most 2 sqrt(R² + Y²).
    """

    def block_sum(block: Block) -> FloatArray:
        features = shortening(block.norms, radius) @ block.features
        return np.append(features, np.clip(block.labels, -label_bound, label_bound).sum())

    largest = math.hypot(radius, label_bound)
    return bounded_mean(rows, block_sum, largest=largest, apart=2 * largest)


def second_moments(rows: Rows, radius: float) -> BoundedAnswer:
    """The mean of x xᵀ w², as the vector of its upper triangle (``symmetric``).

    ||x xᵀ||_F <= R², and two of them differ by at most sqrt(2) R² in Frobenius norm: proofs/regression.md.
    """

    def block_sum(block: Block) -> FloatArray:
        weights = shortening(block.norms, radius)[:, None]
        shortened = np.multiply(block.features, weights, out=block.room.like(block.features))
        return to_vector(shortened.T @ shortened)

    return bounded_mean(rows, block_sum, largest=radius**2, apart=math.sqrt(2) * radius**2)
