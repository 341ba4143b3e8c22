"""The rows of each group: exact where they are public, else with noise and an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.consistent_counts import consistent_counts
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.mechanisms import Gaussian


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Rows by group, with intervals; noisy ones are whole, not negative and add up to their total.

    ``persons`` are there only where a person may have several rows.
    """

    rows: NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray
    is_noisy: bool
    persons: NDArray[np.int64] | None = None

    @classmethod
    def public(cls, sizes: FloatArray) -> GroupCounts:
        """Sizes that everybody knows."""
        return cls(sizes.astype(np.int64), sizes, sizes, is_noisy=False)


def noisy_rows(
    rows: NDArray[np.int64],
    persons: NDArray[np.int64],
    bounds: PersonBounds,
    mu: float,
    confidence: float,
    rng: np.random.Generator | None,
) -> GroupCounts:
    """Counts of kept rows with noise at mu-GDP, beside noisy counts of persons."""
    if not len(rows):
        return GroupCounts(rows, np.zeros(0), np.zeros(0), is_noisy=True, persons=persons)
    answer = BoundedAnswer.enforced(rows.astype(np.float64), bounds.row_counts)
    noisy = Gaussian(answer.sensitivity, len(rows), 1 / mu).release(answer.value, rng=rng)
    return of_noisy(noisy, bounds.row_counts, mu, confidence, persons)


def of_noisy(
    noisy: FloatArray, moved: float, mu: float, confidence: float, persons: NDArray[np.int64] | None = None
) -> GroupCounts:
    """Released counts and their intervals, widened where need be to hold the count that is printed."""
    whole = consistent_counts(noisy)
    reach = moved / mu * float(ndtri((1 + confidence) / 2))
    lower, upper = np.maximum(np.floor(noisy - reach), 0.0), np.maximum(np.ceil(noisy + reach), 0.0)
    return GroupCounts(whole, np.minimum(lower, whole), np.maximum(upper, whole), True, persons)
