"""The loss of several classes, in coordinates in which their shares are white.

Proof: proofs/regression.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Objective, likely_shares

_RAREST = 0.02  # coordinates are not made for a class that is rarer than this


@dataclass(frozen=True, eq=False)
class Softmax(Objective):
    """log Σ_k e^{s_k} - s_y, for K classes y = 0, ..., K - 1: a label is 2 y/(K - 1) - 1.

    Scores that all move together change nothing, so they have K - 1 coordinates u: s = M u, where the columns
    of M sum to zero. M is made so that MᵀA M = I, A = diag(q) - q qᵀ for the shares q of the classes, none
    below 2 %: where features have no say, the loss then has the same curvature, one, in all coordinates, and
    less in those of rarer classes.
    """

    shares: FloatArray
    noise_std: float | None = None  # of the shares, if they were released
    name = "softmax"
    follows_label = False

    @classmethod
    def of(cls, classes: int) -> Softmax:
        """For so many classes, alike in size as far as is known."""
        return cls(np.full(classes, 1 / classes))

    def informed(self, shares: FloatArray, noise_std: float) -> Softmax:
        """With shares that were released with this noise, which may have made them negative."""
        kept = likely_shares(shares, noise_std)
        return replace(self, shares=kept / kept.sum(), noise_std=noise_std)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.shares)

    @property
    def outputs(self) -> int:  # type: ignore[override]
        """One coordinate less than there are classes."""
        return self.classes - 1

    @cached_property
    def mixing(self) -> FloatArray:  # type: ignore[override]
        """M, a row for each class."""
        centring = np.eye(self.classes) - 1 / self.classes
        contrasts = np.linalg.eigh(centring)[1][:, 1:]  # orthonormal, each of sum zero
        kept = np.maximum(self.shares, _RAREST)
        kept = kept / kept.sum()
        spread = np.diag(kept) - np.outer(kept, kept)
        values, vectors = np.linalg.eigh(contrasts.T @ spread @ contrasts)
        mixing: FloatArray = contrasts @ (vectors / np.sqrt(values))
        return mixing

    def hardest_pull(self, mean_label: float) -> float:
        """The pull of the rarest class where features have no say: what ``size`` is there."""
        return float(np.linalg.norm(self.mixing - self.shares @ self.mixing, axis=1).max())

    @cached_property
    def constant(self) -> FloatArray:
        """The scores of these shares: their logarithms, of sum zero."""
        logarithms: FloatArray = np.log(self.shares)
        return np.asarray(logarithms - logarithms.mean())

    def numbered(self, labels: FloatArray) -> NDArray[np.intp]:
        """Labels that are numbers from 0 to K - 1, as such."""
        return np.clip(np.rint(labels), 0, self.classes - 1).astype(np.intp)

    def classes_of(self, labels: FloatArray) -> NDArray[np.intp]:
        """The class of each label that is scaled to [-1, 1]."""
        return self.numbered((labels + 1) / 2 * (self.classes - 1))

    def chances(self, scores: FloatArray) -> FloatArray:
        """The probability of each class, a row for each of them."""
        chances: FloatArray = softmax(self.mixing @ scores, axis=0)
        return chances

    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """Mᵀ (e_y - p)."""
        missing = -self.chances(scores)
        missing[self.classes_of(labels), np.arange(len(labels))] += 1
        pull: FloatArray = self.mixing.T @ missing
        return pull

    def size(self, scores: FloatArray, pull: FloatArray) -> FloatArray:
        """The largest ||Mᵀ (e_k - p)|| over classes k: a record weighs the same whatever its class."""
        centre = self.mixing.T @ self.chances(scores)
        largest: FloatArray = np.sqrt(np.square(pull).sum(axis=0))
        for row in self.mixing:
            largest = np.maximum(largest, np.sqrt(np.square(row[:, None] - centre).sum(axis=0)))
        return largest

    def bend(self, scores: FloatArray) -> FloatArray:
        """Mᵀ (diag(p) - p pᵀ) M, a matrix for each record, which is the last axis."""
        chances = self.chances(scores)
        centre = self.mixing.T @ chances
        bend: FloatArray = np.einsum("ka,kb,kn->abn", self.mixing, self.mixing, chances, optimize=True)
        bend -= centre[:, None] * centre[None, :]
        return bend

    def best_constant(self, mean_label: float, noise_std: float) -> FloatArray:
        """The coordinates of the constant's scores; the mean label says nothing here."""
        return np.asarray(np.linalg.lstsq(self.mixing, self.constant, rcond=None)[0], dtype=np.float64)

    def curvature(self, mean_label: float) -> float:
        """One, by the choice of M."""
        return 1.0

    def growth(self, mean_label: float) -> float:
        """As for two classes: 1 if all are alike in size, nearly 2 if one is rare."""
        rarest, even = max(float(self.shares.min()), _RAREST), 1 / self.classes
        return 2 - rarest * (1 - rarest) / (even * (1 - even))
