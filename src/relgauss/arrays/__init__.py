"""The one kind of array used throughout, its norm, and symmetric matrices as vectors of the same norm."""

from __future__ import annotations

import math
from functools import lru_cache
from operator import mul

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def l2_norm(value: FloatArray) -> float:
    """The L2 norm to three roundings at every dimension, since noise is scaled by it; inf on overflow."""
    numbers = value.tolist()
    try:
        return math.sqrt(math.fsum(map(mul, numbers, numbers)))
    except OverflowError:  # of the sum; a square that overflows is infinite already
        return math.inf


def row_norms(rows: FloatArray) -> FloatArray:
    """The L2 norm of each row: at most d/2 + 2 roundings."""
    norms: FloatArray = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return norms


def product(left: FloatArray, right: FloatArray) -> FloatArray:
    """left @ right, by a call that lets other threads work: @ lets them wait where the result is small."""
    result: FloatArray = np.dot(left, right)
    return result


def grid(gap: float, count: int) -> FloatArray:
    """0, gap, ..., count·gap."""
    return gap * np.arange(count + 1, dtype=np.float64)


def upper_triangle(matrix: FloatArray) -> FloatArray:
    """A symmetric matrix as the vector of its upper triangle, off-diagonal entries times sqrt(2).

    The Frobenius norm of the matrix is the L2 norm of the vector, so noise on the vector is what a Frobenius
    sensitivity asks for, and no entry is noised twice.
    """
    places, weights = _triangle(len(matrix))
    return matrix[places] * weights


def symmetric_matrix(triangle: FloatArray, dim: int) -> FloatArray:
    """The symmetric matrix of dim rows whose ``upper_triangle`` this is."""
    places, weights = _triangle(dim)
    matrix = np.empty((dim, dim))
    matrix[places] = matrix[places[::-1]] = triangle / weights
    return matrix


@lru_cache(maxsize=8)
def _triangle(dim: int) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], FloatArray]:
    """The rows and columns of an upper triangle, and what its entries are multiplied by; to be read only."""
    rows, columns = np.triu_indices(dim)
    return (rows, columns), np.where(rows == columns, 1.0, math.sqrt(2))
