"""How a column's budget is divided, group by group: by public sizes, and by what was released before.

With mu the GDP parameter of the whole budget, a peak of n records stands n mu_1/sqrt(2) noise levels high in
counts released at mu_1, and the highest of B pure noises about sqrt(2 log B). A group needs

    n mu >= need = 3.25 sqrt(log B)

to be found in nine cases of ten, and half as much again to be missed only once in thirty. From the need on,
its share of mu² for the counts falls as need/(n mu), to 0.3; smaller groups spend 0.9 on being found, and
those below need/4, which would not be, spend nothing.

If counts show that more than half of a group is zero or missing, the others are a small group within it, and
counts are released once more, up to twice what a group of that size would spend on them. That is decided by
released numbers, and comes out of what is left: no group spends more than mu². Proof: proofs/grouped-means.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.contribution import Contribution

_NEED = 3.25
_LEAST_SHARE, _LARGEST_SHARE, _LEAST_FOR_QUANTILES = 0.3, 0.9, 0.4
_LARGEST_OF_FEW, _NEEDS_OF_FEW, _FEW = 0.6, 2.0, 0.5
_STEP = 1 / 16  # of mu²: groups of one share are released together
_SHARE_OF_SIZES, _SHARE_OF_COUNTS = 0.1, 0.5
_RAMPS, _RAMPS_OF_STRONG, _ALONE = 0.4, 0.5, 0.25  # of what counts leave; more where no mean is asked for
_HOPELESS = 0.25  # of the need
_SEVERAL = 6.0  # needs from which on a shape's quantiles are further off than the noise of their own ramps


@dataclass(frozen=True, eq=False)
class ColumnBudget:
    """For each group, mu_counts² + mu_more² + mu_ramps² + mu_sums² <= mu².

    Attributes
    ----------
    kept
        mu, less what rounding may add.
    shares
        The share of each group's counts in kept².
    more
        The share of counts that are released a second time.
    ramps
        The part of the rest that quantiles take, if any are asked for.
    needs
        How much of each group's need a single record is, at this budget.
    sizes_public
        Whether groups may differ in how they divide the budget.
    released
        Whether anything is: the smallest groups spend nothing.
    """

    kept: float
    shares: FloatArray
    more: FloatArray
    ramps: FloatArray
    needs: float
    sizes_public: bool
    released: NDArray[np.bool_]

    @property
    def has_ramps(self) -> bool:
        """Whether quantiles take a part."""
        return bool(self.ramps.any())

    @property
    def mu_counts(self) -> FloatArray:
        """What the counts of a group's bins are released at."""
        return self.kept * np.sqrt(self.shares)

    @property
    def mu_more(self) -> FloatArray:
        """What they are released at a second time; 0 if they are not."""
        return self.kept * np.sqrt(self.more)

    @property
    def mu_ramps(self) -> FloatArray:
        """What the numbers about its quantiles are released at."""
        return self.kept * np.sqrt((1 - self.shares - self.more) * self.ramps)

    @property
    def mu_sums(self) -> FloatArray:
        """What its sum, clipped to the window, is released at."""
        return self.kept * np.sqrt((1 - self.shares - self.more) * (1 - self.ramps))

    def is_weak(self, numbers: FloatArray) -> NDArray[np.bool_]:
        """Groups of these numbers of values for which one ramp says more than one for each quantile."""
        return np.asarray(numbers * self.needs < _SEVERAL)

    def after_counts(self, groups: NDArray[np.intp], sizes: FloatArray, others: FloatArray) -> ColumnBudget:
        """The same, with counts of groups of few values that are neither zero nor missing released again.

        ``groups`` are indices; of their ``sizes`` records, ``others`` are such values, by released counts.
        """
        if not self.sizes_public:
            return self
        strength = np.maximum(others * self.needs, 1e-9)
        wanted = np.minimum(_NEEDS_OF_FEW / strength, _LARGEST_OF_FEW) - self.shares[groups]
        is_few = (others < _FEW * sizes) & (strength >= _HOPELESS)
        more = self.more.copy()
        more[groups] = np.where(is_few, np.maximum(np.ceil(wanted / _STEP), 0.0) * _STEP, 0.0)
        return replace(self, more=more)


def split_off_sizes(mu: float) -> tuple[float, float]:
    """What sizes that are not public are released at, out of a budget, and what is left of it."""
    kept = mu * (1 - 1e-14)
    return kept * math.sqrt(_SHARE_OF_SIZES), kept * math.sqrt(1 - _SHARE_OF_SIZES)


def divide_budget(
    sizes: FloatArray,
    mu: float,
    bins: int,
    contribution: Contribution,
    *,
    quantiles: bool = False,
    means: bool = True,
) -> ColumnBudget:
    """What groups of these sizes spend out of ``mu``, on a grid of this many bins.

    If sizes are public a unit stays in its group, and each group divides the budget by its own size. If they
    are not, a unit may be in several groups, and all groups divide it alike: half of mu² for counts. Requests
    for ``quantiles`` give counts at least 0.4 where sizes are public, and take two fifths of what they leave,
    or a half in large groups; and a quarter more where no ``means``, sums or standard deviations are asked.
    """
    kept = mu * (1 - 1e-14)  # for the roundings of roots
    needs = mu * math.sqrt(2) / contribution.count_sensitivity / (_NEED * math.sqrt(math.log(max(bins, 2))))
    strength = sizes * needs
    least = _LEAST_FOR_QUANTILES if quantiles else _LEAST_SHARE
    share = np.clip(1 / np.maximum(strength, 1e-9), least, _LARGEST_SHARE)
    if not contribution.sizes_public:
        share = np.full(len(sizes), _SHARE_OF_COUNTS)
    ramps = np.zeros(len(sizes))
    if quantiles and contribution.sizes_public:
        ramps = np.where(strength < _SEVERAL, _RAMPS, _RAMPS_OF_STRONG) + (0.0 if means else _ALONE)
    return ColumnBudget(
        kept=kept,
        shares=share,
        more=np.zeros(len(sizes)),
        ramps=ramps,
        needs=needs,
        sizes_public=contribution.sizes_public,
        released=strength >= _HOPELESS,
    )
