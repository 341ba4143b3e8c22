"""What quantiles ask of some groups beyond counts and sums: ramps, where the budget has a part for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.column_budget import ColumnBudget
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.noisy_measurements import Present, measure_ramps
from relgauss.grouped.posterior_mean import Located
from relgauss.grouped.quantile_places import Levels, choose_ramps
from relgauss.grouped.quantile_ramps import RampReading, estimate_quantiles
from relgauss.grouped.sides import Side
from relgauss.grouped.totals import CellTotals


@dataclass(frozen=True, eq=False)
class MeasuredQuantiles:
    """The look at some groups.

    Attributes
    ----------
    asked
        The levels that are asked for, rising.
    places
        In which part of each group they lie.
    reading
        What ramps about them say; None where a person may be in several groups, and there are no ramps.
    sides
        The values of each sign, their shapes weighed by the ramps as well.
    """

    asked: tuple[float, ...]
    places: Levels
    reading: RampReading | None
    sides: tuple[Side, ...]

    def estimates(self, located: tuple[Located, ...]) -> dict[float, FloatArray]:
        """The estimate for each level, given the shapes after all that was measured."""
        found = estimate_quantiles(self.places, located, self.reading)
        return dict(zip(self.asked, found.T, strict=True))


def measure_quantiles(
    asked: tuple[float, ...],
    totals: CellTotals,
    groups: NDArray[np.intp],
    contribution: Contribution,
    budget: ColumnBudget,
    sides: tuple[Side, ...],
    zero: FloatArray,
    present: Present,
    rng: np.random.Generator | None,
) -> MeasuredQuantiles:
    """Release ramps of ``groups`` (indices) about the places where their sides put the quantiles.

    ``zero`` are the shares of zeros, ``present`` the numbers of values.
    """
    places = Levels.of(asked, sides, zero)
    if not budget.has_ramps:
        return MeasuredQuantiles(asked, places, None, sides)
    single = budget.is_weak(present.values)
    nearest_to_median = int(np.abs(np.array(asked) - 0.5).argmin())
    ramps = choose_ramps(totals.grid, sides, places, single, nearest_to_median)
    noisy = measure_ramps(totals, groups, ramps, contribution, budget.mu_ramps[groups], rng)
    reading = RampReading(noisy, totals.grid, places, zero, present, single)
    return MeasuredQuantiles(asked, places, reading, reading.refined(sides))
