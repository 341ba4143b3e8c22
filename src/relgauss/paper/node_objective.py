"""A node's ridge regression, with everything that the experiment reads from it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray

REGULARISER = 0.03
_BLOCK = 2**16

Single = NDArray[np.float32]


class NodeObjective:
    """f(theta) = (1/n) Σ ½ (x_iᵀφ - y_i)² + (reg/2) ||φ||²,   φ = theta - shift.

    gradient = A φ - b,   A = (1/n) Σ x xᵀ + reg I,   b = (1/n) Σ x y;
    one record's gradient = x (xᵀφ - y) + reg φ.
    """

    def __init__(self, features: Single, labels: FloatArray, shift: FloatArray) -> None:
        with np.errstate(over="ignore"):  # a warning would tell of a record
            self.features, self.labels, self.shift = features, labels.astype(np.float32), shift
        self.rows, self.dim = features.shape

    @cached_property
    def matrix(self) -> FloatArray:
        """A, summed in double precision."""
        total = np.zeros((self.dim, self.dim))
        for start in range(0, self.rows, _BLOCK):
            block = self.features[start : start + _BLOCK].astype(np.float64)
            total += block.T @ block
        matrix: FloatArray = total / self.rows + np.diag(np.full(self.dim, REGULARISER))
        return matrix

    @cached_property
    def vector(self) -> FloatArray:
        """b, summed in double precision."""
        total = np.zeros(self.dim)
        for start in range(0, self.rows, _BLOCK):
            block = slice(start, start + _BLOCK)
            total += self.features[block].astype(np.float64).T @ self.labels[block].astype(np.float64)
        vector: FloatArray = total / self.rows
        return vector

    @cached_property
    def squared_norms(self) -> Single:
        """||x_i||² of every record."""
        norms: Single = np.einsum("ij,ij->i", self.features, self.features)
        return norms

    @cached_property
    def minimiser(self) -> FloatArray:
        """The φ at which the node's own gradient vanishes."""
        return np.asarray(np.linalg.solve(self.matrix, self.vector), dtype=np.float64)

    def value(self, theta: FloatArray) -> float:
        """The value of the objective at theta."""
        phi = theta - self.shift
        square = float(self.labels @ self.labels) / self.rows
        return float(phi @ self.matrix @ phi / 2 - self.vector @ phi + square / 2)

    def gradient(self, theta: FloatArray) -> FloatArray:
        """The mean of the records' gradients."""
        return self.matrix @ (theta - self.shift) - self.vector

    def record_gradient_norms(self, phi: FloatArray) -> tuple[Single, Single]:
        """Every record's residual and the norm of its gradient, at theta = φ + shift."""
        predicted: Single = self.features @ phi.astype(np.float32)
        residual: Single = predicted - self.labels
        square = self.squared_norms * residual**2 + 2 * REGULARISER * residual * predicted
        norms: Single = np.sqrt(np.maximum(square + REGULARISER**2 * float(phi @ phi), 0))
        return residual, norms

    def clipped_gradient(self, theta: FloatArray, threshold: float) -> FloatArray:
        """The mean of the records' gradients, each clipped to the threshold; no loop over records."""
        phi = theta - self.shift
        residual, norms = self.record_gradient_norms(phi)
        weights = threshold / np.maximum(norms, threshold)
        data = self.features.T @ (weights * residual)
        clipped: FloatArray = data.astype(np.float64) / self.rows + REGULARISER * phi * float(weights.mean())
        return clipped


def total_minimum(objectives: list[NodeObjective]) -> float:
    """min over theta of Σ f_i(theta)."""
    matrix = sum(each.matrix for each in objectives)
    vector = sum(each.vector + each.matrix @ each.shift for each in objectives)
    best = np.linalg.solve(np.asarray(matrix), np.asarray(vector))
    return sum(each.value(best) for each in objectives)
