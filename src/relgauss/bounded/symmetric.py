"""Symmetric matrices as vectors: the upper triangle, off-diagonal entries times sqrt(2).

The Frobenius norm of the matrix is the L2 norm of the vector, so noise on the vector is what a Frobenius
sensitivity asks for, and no entry is noised twice.
"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray


def to_vector(matrix: FloatArray) -> FloatArray:
    """The vector of a symmetric matrix, of d (d + 1)/2 numbers."""
    rows, columns = np.triu_indices(len(matrix))
    return matrix[rows, columns] * np.where(rows == columns, 1.0, math.sqrt(2))


def to_matrix(vector: FloatArray, dim: int) -> FloatArray:
    """The symmetric matrix of a vector."""
    rows, columns = np.triu_indices(dim)
    matrix = np.empty((dim, dim))
    matrix[rows, columns] = matrix[columns, rows] = vector / np.where(rows == columns, 1.0, math.sqrt(2))
    return matrix
