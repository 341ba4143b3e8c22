"""What a table of means would be like, from the sizes of its groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.budget import Budget
from relgauss.errors import InvalidParameterError
from relgauss.forecast.curve import MOST_EPSILON, advised_epsilon
from relgauss.forecast.form import Form, read_form
from relgauss.forecast.made_up_groups import GroupCurves, simulate_groups

USABLE = 0.5
"""A group is called usable if it is so more often than not."""

_MANY = 0.5  # the share of groups that must be usable for a table not to be called degraded
_CELL_BYTES = 600  # counts and exact sums of a group, a cell


@dataclass(frozen=True, eq=False)
class MeansForecast:
    """What to expect of each group, and what would change it.

    Attributes
    ----------
    budget
        Epsilon and delta of the whole table.
    groups, sizes
        The groups and their public sizes.
    form
        The form of values that was stated.
    spread
        The spread that is assumed, or None if values are clipped.
    confidence
        The probability that intervals are made for.
    curves
        What made-up groups showed, over n mu.
    """

    budget: Budget
    groups: tuple[object, ...]
    sizes: NDArray[np.int64]
    form: Form
    spread: float | None
    confidence: float
    curves: GroupCurves

    @cached_property
    def signals(self) -> FloatArray:
        """n mu of each group."""
        return self.sizes.astype(np.float64) * self.budget.mu

    @cached_property
    def error(self) -> FloatArray:
        """The typical error of each group relative to its mean, as a median; infinite if it is too small."""
        return self.curves.error.at(self.signals)

    @cached_property
    def width(self) -> FloatArray:
        """The typical width of each group's interval relative to its mean."""
        return self.curves.width.at(self.signals)

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """Whether each group will be usable, more often than not."""
        return np.asarray(self.curves.usable.share_at(self.signals) >= USABLE)

    @property
    def smallest_usable(self) -> int | None:
        """The size from which groups are usable at this budget; None if none was seen to be."""
        signal = self.curves.usable.least_signal_of_share(USABLE)
        return None if math.isinf(signal) else math.ceil(signal / self.budget.mu * (1 - 1e-9))

    @property
    def degraded(self) -> str | None:
        """Why most groups will be of no use, and what would help; None if most will be."""
        usable = int(self.usable.sum())
        if usable >= _MANY * len(self.groups):
            return None
        least = self.smallest_usable
        needs = "at this range" if least is None else f"with fewer than {least:,} rows"
        epsilon = self._epsilon_to_be_usable(_MANY)
        fix = (
            f"With epsilon {epsilon:g} half of them would be usable."
            if epsilon is not None
            else "Join groups, or state a narrower range."
        )
        few = f"{len(self.groups) - usable:,} of {len(self.groups):,} groups are too small"
        return f"{few}: those {needs}. {fix}"

    def at(self, epsilon: float, delta: float | None = None) -> MeansForecast:
        """The same table at another budget.

        Parameters
        ----------
        epsilon
            The other epsilon.
        delta
            The other delta; None for the same.
        """
        return replace(self, budget=Budget(epsilon, self.budget.delta if delta is None else delta))

    def with_data(self, factor: float) -> MeansForecast:
        """The same table with so many times as many rows in every group.

        Parameters
        ----------
        factor
            2 for twice as many.
        """
        return replace(self, sizes=np.maximum(np.rint(self.sizes * factor), 1).astype(np.int64))

    def epsilon_for(self, target_error: float, share: float = 0.5) -> float | None:
        """The epsilon at which this share of the groups has a typical error of at most the target.

        None if that is above 10, which is not advised, or if no made-up group came so close.

        Parameters
        ----------
        target_error
            The error relative to the mean: 0.05 for 5 %.
        share
            The share of groups, the largest ones, that are to reach it.
        """
        target = validate.positive("target_error", target_error, "Pass for example 0.05 for 5 %.")
        return self._advised(self.curves.error.least_signal(target), share)

    def _epsilon_to_be_usable(self, share: float) -> float | None:
        return self._advised(self.curves.usable.least_signal_of_share(USABLE), share)

    def _advised(self, signal: float, share: float) -> float | None:
        """The epsilon that gives the smallest of this share of the groups this n mu."""
        share = validate.positive("share", share, "Pass for example 0.5.")
        place = min(math.ceil(share * len(self.sizes)), len(self.sizes)) - 1
        size = int(np.sort(self.sizes)[::-1][place])
        return None if math.isinf(signal) else advised_epsilon(signal / size, self.budget.delta)

    @property
    def seconds(self) -> float:
        """About how long the release will take here, beside reading the table."""
        return self.curves.seconds * len(self.groups)

    @property
    def megabytes(self) -> float:
        """About how much memory the totals of all groups need, beside the program."""
        return len(self.groups) * _CELL_BYTES * 2 * 128 / 1e6

    def summary(self) -> dict[str, Any]:
        """The table as a whole, as plain values."""
        known = self.error[np.isfinite(self.error)]
        return {
            "groups": len(self.groups),
            "usable_groups": int(self.usable.sum()),
            "typical_error": float(np.median(self.error)) if len(known) > len(self.error) / 2 else None,
            "smallest_usable_group": self.smallest_usable,
            "degraded": self.degraded,
        }

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain values; None where a group is too small for anything to be said."""
        parts = zip(self.groups, self.sizes, self.error, self.width, self.usable, strict=True)
        return {
            "epsilon": self.budget.epsilon,
            "delta": self.budget.delta,
            "confidence": self.confidence,
            "form": self.form.text(),
            "assumed_spread": self.spread,
            **self.summary(),
            "with_twice_the_data": self.with_data(2).summary(),
            "with_twice_the_epsilon": self.at(2 * self.budget.epsilon).summary(),
            "seconds": self.seconds,
            "megabytes": self.megabytes,
            "by_group": [
                {
                    "group": group if isinstance(group, str | int) else str(group),
                    "n": int(size),
                    "error": _finite(error),
                    "width": _finite(width),
                    "usable": bool(usable),
                }
                for group, size, error, width, usable in parts
            ],
        }


def forecast_means(
    sizes: Mapping[Any, int] | Sequence[int],
    *,
    epsilon: float,
    delta: float,
    value_range: tuple[float, float] = (1e-6, 1e12),
    spread: float | None = None,
    form: str = "lognormal:0.5",
    zeros: float = 0.0,
    confidence: float = 0.95,
) -> MeansForecast:
    """Forecast ``release_means`` from public numbers: it runs on made-up groups, and reads nothing.

    Parameters
    ----------
    sizes
        The numbers of rows of the groups, which are public: by group, or in a list.
    epsilon, delta
        The budget of the whole table.
    value_range
        The public range of the values, as for the release.
    spread
        The spread that the release will assume, if it will.
    form
        How the values of a group are distributed, stated beforehand and not looked up in the records:
        "lognormal:0.5" (standard deviation of the logarithm), "normal:0.2" (relative to the mean) or
        "exponential".
    zeros
        The share of values that are 0.
    confidence
        The probability that intervals are made for.

    Returns
    -------
    MeansForecast
        Errors and widths by group, and what other budgets or more data would bring.

    Examples
    --------
    >>> forecast_means({"nurse": 400, "pilot": 60}, epsilon=1.0, delta=1e-6, value_range=(1e3, 1e6)).width
    """
    groups, numbers = _read_sizes(sizes)
    budget = Budget(epsilon, delta)
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    if spread is not None:
        spread = validate.positive("spread", spread, "Pass 0.10 if values differ by at most 10 %.")
    stated = read_form(form, zeros)
    if not isinstance(value_range, tuple | list) or len(value_range) != 2:
        fix = "Pass what is publicly known, such as (1e3, 1e6)."
        raise InvalidParameterError("value_range", value_range, "a pair (low, high)", fix)
    most = Budget(max(2 * budget.epsilon, MOST_EPSILON), budget.delta).mu
    largest = 2 * float(numbers.max()) * max(most, budget.mu)
    curves = simulate_groups((value_range[0], value_range[1]), stated, spread, budget.mu, confidence, largest)
    return MeansForecast(budget, groups, numbers, stated, spread, confidence, curves)


def _read_sizes(sizes: object) -> tuple[tuple[object, ...], NDArray[np.int64]]:
    fix = "Pass the public size of each group, such as {'nurse': 400} or [400, 60]."
    if isinstance(sizes, Mapping):
        groups, given = tuple(sizes), list(sizes.values())
    elif isinstance(sizes, Sequence | np.ndarray) and not isinstance(sizes, str | bytes):
        given = list(sizes)
        groups = tuple(range(1, len(given) + 1))
    else:
        raise InvalidParameterError("sizes", sizes, "sizes of groups", fix)
    if not given:
        raise InvalidParameterError("sizes", sizes, "sizes of one group or more", fix)
    return groups, np.array([validate.count("size of a group", each, fix) for each in given], dtype=np.int64)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
