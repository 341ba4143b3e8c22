"""A private covariance, and the coordinates in which it is the identity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.moments import second_moments
from relgauss.bounded.symmetric import to_matrix
from relgauss.records.blocks import Rows
from relgauss.spending import Noisy, Spending

STAGE = "covariance"
_FLOOR = 0.3  # of the noise's spectral norm, added to every eigenvalue


@dataclass(frozen=True, eq=False)
class Whitening:
    """z = x @ matrix has second moments near the identity, as far as the noise lets see.

    With A = V diag(w) Vᵀ the noisy covariance and f a part of the noise's spectral norm,
    matrix = V diag(max(w, 0) + f)^{-1/2}: where f dominates, directions are shortened rather than trusted.
    ``shares`` = max(w, 0)/(max(w, 0) + f), between 0 (all noise) and 1.
    """

    matrix: FloatArray
    shares: FloatArray

    def well_known(self, least_share: float) -> Whitening:
        """The directions that stand out of the noise by this much, and no others."""
        kept = self.shares >= least_share
        return Whitening(self.matrix[:, kept], self.shares[kept])


def whiten_by_release(rows: Rows, radius: float, spending: Spending, share: float) -> Whitening:
    """Release the second moments of rows clipped to ``radius``, and whiten by them."""
    return whitening_of(spending.release(STAGE, second_moments(rows, radius), share), rows.columns)


def whitening_of(covariance: Noisy, dim: int) -> Whitening:
    """The whitening by a noisy covariance (as a vector, see ``records.symmetric``); post-processing.

    Entries off the diagonal have noise of std s/sqrt(2), so the noise has spectral norm about s sqrt(2 d).
    """
    values, vectors = np.linalg.eigh(to_matrix(covariance.value, dim))
    floor = _FLOOR * covariance.noise_std * math.sqrt(2 * dim)
    signal = np.maximum(values, 0.0)
    return Whitening(vectors / np.sqrt(signal + floor), signal / (signal + floor))
