"""The rows and persons of each group: exact where they are public, else with noise and an interval."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.consistent_counts import consistent_counts
from relgauss.grouped.noisy_measurements import NoisySizes
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.usefulness import is_useful_count
from relgauss.mechanisms import Gaussian

_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class WholeCounts:
    """Counts as a table prints them, whole and not negative, with intervals that hold them."""

    values: NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Whether an interval is narrow enough to be of use."""
        return is_useful_count(self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Kept rows by group, with intervals; noisy ones are whole, not negative and add up to their total.

    ``persons``, those with a kept row in the group, are there only where a person may have several rows.
    ``total`` are the same of all groups together.
    """

    rows: NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray
    is_noisy: bool
    persons: WholeCounts | None = None
    total: GroupCounts | None = None

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Whether an interval is narrow enough to be of use; public counts are."""
        return is_useful_count(self.lower, self.upper)

    @classmethod
    def public(cls, sizes: FloatArray) -> GroupCounts:
        """Sizes that everybody knows."""
        every = sizes.sum(keepdims=True)
        total = cls(every.astype(np.int64), every, every, is_noisy=False)
        return cls(sizes.astype(np.int64), sizes, sizes, is_noisy=False, total=total)

    @classmethod
    def of_noisy(cls, sizes: NoisySizes, confidence: float) -> GroupCounts:
        """Released counts of rows."""
        rows = whole_counts(sizes, confidence)
        every = total_count(sizes, rows, confidence)
        total = cls(every.values, every.lower, every.upper, is_noisy=True)
        return cls(rows.values, rows.lower, rows.upper, is_noisy=True, total=total)

    def beside(
        self, persons: WholeCounts, rows_per_person: int, all_persons: WholeCounts | None
    ) -> GroupCounts:
        """The same beside counts of persons: each has a row in the group, and at most so many.

        Persons are better known than rows, so the rows that are printed follow them. ``all_persons`` is the
        number in all groups together; None where a person may be in several.
        """
        rows = np.clip(self.rows, persons.values, rows_per_person * persons.values)
        return replace(self._of(rows), persons=persons, total=self._total_of(rows, all_persons))

    def _of(self, rows: NDArray[np.int64]) -> GroupCounts:
        """The same with these counts, which the intervals are widened to hold."""
        return replace(
            self, rows=rows, lower=np.minimum(self.lower, rows), upper=np.maximum(self.upper, rows)
        )

    def _total_of(self, rows: NDArray[np.int64], persons: WholeCounts | None) -> GroupCounts | None:
        if self.total is None:
            return None
        return replace(self.total._of(rows.sum(keepdims=True)), persons=persons)


def noisy_rows(
    rows: NDArray[np.int64], bounds: PersonBounds, mu: float, rng: np.random.Generator | None
) -> NoisySizes:
    """Counts of kept rows with noise at mu-GDP."""
    if not len(rows):
        return NoisySizes(np.zeros(0), 0.0)
    answer = BoundedAnswer.enforced(rows.astype(np.float64), bounds.row_counts)
    mechanism = Gaussian(answer.sensitivity, len(rows), 1 / mu)
    return NoisySizes(mechanism.release(answer.value, rng=rng), mechanism.noise_std)


def whole_counts(noisy: NoisySizes, confidence: float, shown_above: float | None = None) -> WholeCounts:
    """Released counts and their intervals, widened where need be to hold the count that is printed.

    Groups that show only because their noisy count is above ``shown_above`` have the lower end that holds
    given that they show, and at least one person.
    """
    whole = consistent_counts(noisy.values)
    deviates = float(ndtri((1 + confidence) / 2))
    lower, least = noisy.values - deviates * noisy.noise_std, 0.0
    if shown_above is not None:
        lower, least = _lower_if_shown(noisy, shown_above, deviates), 1.0
    upper = np.ceil(noisy.values + deviates * noisy.noise_std)
    lower, upper = np.maximum(np.floor(lower), least), np.maximum(upper, least)
    return WholeCounts(whole, np.minimum(lower, whole), np.maximum(upper, whole))


def total_count(
    noisy: NoisySizes, printed: WholeCounts, confidence: float, shown_above: float | None = None
) -> WholeCounts:
    """The count of all groups together: the noise of G groups is independent, and adds up to sqrt(G) times.

    Noise that took a group above ``shown_above`` is too high by std φ(t)/Φ(-t) on average, t being how many
    standard deviations the true count is below: the lower end takes off as much as the lowest true count
    allows. The interval is never wider than those of the groups added up.
    """
    deviates = float(ndtri((1 + confidence) / 2))
    centre, reach = noisy.values.sum(), deviates * noisy.noise_std * np.sqrt(len(noisy.values))
    too_high = 0.0
    if shown_above is not None:
        below = (shown_above - printed.lower) / noisy.noise_std
        too_high = noisy.noise_std * np.exp(-(below**2) / 2 - log_ndtr(-below)).sum() / np.sqrt(2 * np.pi)
    value = printed.values.sum(keepdims=True)
    lower = np.maximum(np.floor(centre - too_high - reach), printed.lower.sum(keepdims=True))
    upper = np.minimum(np.ceil(centre + reach), printed.upper.sum(keepdims=True))
    return WholeCounts(value, np.minimum(lower, value), np.maximum(upper, value))


def _lower_if_shown(noisy: NoisySizes, shown_above: float, deviates: float) -> FloatArray:
    """The least m with P(noisy count >= the one seen, given that it is above the threshold) = P(N > deviates)

    for a true count m: the probability rises with m, so halving finds it.
    """
    std = noisy.noise_std
    last = noisy.values - deviates * std
    first = np.minimum(last, -10.0 * deviates * std)
    for _ in range(_HALVINGS):
        middle = (first + last) / 2
        seen, shows = (log_ndtr((middle - above) / std) for above in (noisy.values, shown_above))
        likely = seen - shows > log_ndtr(-deviates)
        first, last = np.where(likely, first, middle), np.where(likely, middle, last)
    return first
