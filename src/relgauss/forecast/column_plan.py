"""How a column of values will be released: what made-up groups are released by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.forecast.form import Form
from relgauss.grouped.column_budget import divide_budget
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.private_groups import Threshold
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.value_rule import ValueRule

_REPEATS, _REPEATS_OF_UNLIKE = 12, 48  # made-up groups of each size; where groups differ in their spread


@dataclass(frozen=True, eq=False)
class ColumnPlan:
    """How a column of values will be released.

    Attributes
    ----------
    grid, rule
        The public cells of values, and what each value counts as.
    form
        How the values of a group are thought to be distributed.
    statistics
        What is released.
    confidence
        The probability that intervals are made for.
    spread
        The spread that is assumed, or None if values are clipped.
    contribution
        How far one protected unit moves what is measured.
    size_noise
        The level of the noise on sizes of groups that are not public.
    shown
        The threshold that groups must pass to be shown, if they are found privately.
    """

    grid: SignedGrid
    rule: ValueRule
    form: Form
    statistics: tuple[str, ...]
    confidence: float
    spread: float | None = None
    contribution: Contribution = ONE_ROW
    size_noise: float = 0.0
    shown: Threshold | None = None

    @property
    def repeats(self) -> int:
        """How many groups of each size are made up."""
        return _REPEATS if self.form.most == self.form.spread else _REPEATS_OF_UNLIKE

    def is_released(self, sizes: NDArray[np.int64], mu: float) -> NDArray[np.bool_]:
        """Whether anything is released of groups of these sizes, by public numbers."""
        if self.spread is not None:
            return np.ones(len(sizes), dtype=np.bool_)
        return divide_budget(sizes.astype(np.float64), mu, self.grid.bins, self.contribution).released
