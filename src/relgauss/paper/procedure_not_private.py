"""The paper's literal procedure: its clipping, its count Delta_+ and its test. It is not private.

``Delta_+`` can move by much more than one with one record, and the clipping proposition takes squares where
the order of matrices does not survive them (proofs/certificates.md). Here to be measured, never to be used:
``relgauss.certify`` is what replaces it.
"""

from __future__ import annotations

import math

import numpy as np

from relgauss.arrays import FloatArray


def clip_features_not_private(rows: FloatArray, scale: FloatArray, clip_radius: float) -> FloatArray:
    """Its Proposition 1: clip x so that (||x||² xᵀ C^{-2} x)^{1/4} is at most clip_radius."""
    solved = np.linalg.solve(scale, rows.T).T
    sizes = np.sqrt(np.linalg.norm(rows, axis=1) * np.linalg.norm(solved, axis=1))
    clipped: FloatArray = rows * (clip_radius / np.maximum(clip_radius, sizes))[:, None]
    return clipped


def delta_plus_not_private(rows: FloatArray, rho: float, scale: FloatArray, regulariser: float = 0.0) -> int:
    """Its Proposition 2: how many of the largest x_iᵀ (A - rho C)^{-1} x_i sum to n; 0 unless A > rho C."""
    n, dim = rows.shape
    excess = rows.T @ rows / n + regulariser * np.eye(dim) - rho * scale
    if np.linalg.eigvalsh(excess)[0] <= 0:
        return 0
    leverages = np.sort(np.einsum("ij,ij->i", rows, np.linalg.solve(excess, rows.T).T))[::-1]
    reached = np.flatnonzero(np.cumsum(leverages) >= n)
    return int(reached[0]) + 1 if reached.size else n


def accepts_not_private(delta_plus: int, epsilon: float, delta: float, rng: np.random.Generator) -> bool:
    """Its test: Delta_+ + Lap(1/epsilon) > log(1/delta)/epsilon."""
    return delta_plus + float(rng.laplace(0, 1 / epsilon)) > math.log(1 / delta) / epsilon
