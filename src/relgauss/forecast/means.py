"""What a table of means would be like, from the sizes of its groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relgauss import validate
from relgauss.budget import Budget
from relgauss.errors import InvalidParameterError
from relgauss.forecast.column_plan import ColumnPlan
from relgauss.forecast.curve import MOST_EPSILON
from relgauss.forecast.form import Form, read_form
from relgauss.forecast.made_up_groups import simulate_groups
from relgauss.forecast.statistic import StatisticForecast, read_sizes
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.value_rule import ValueRule


@dataclass(frozen=True, eq=False, kw_only=True)
class MeansForecast(StatisticForecast):
    """What to expect of the mean of each group, and what would change it.

    Attributes
    ----------
    form
        The form of values that was stated.
    spread
        The spread that is assumed, or None if values are clipped.
    confidence
        The probability that intervals are made for.
    """

    form: Form
    spread: float | None
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain values; None where a group is too small for anything to be said."""
        return super().to_dict() | {
            "confidence": self.confidence,
            "form": self.form.text(),
            "assumed_spread": self.spread,
            "seconds": self.seconds,
            "megabytes": self.megabytes,
        }

    def stated(self) -> str:
        """What was said of the values beforehand."""
        return f"values {self.form.text()}" if self.spread is None else f"a spread of {self.spread:g}"

    def view(self) -> tuple[str, Mapping[str, Sequence[Any]]]:
        """What a notebook shows: the groups, the largest first."""
        words, columns = super().view()
        return f"{self.stated()}; {words}", columns


def forecast_means(
    sizes: Mapping[Any, int] | Sequence[int],
    *,
    epsilon: float,
    delta: float,
    value_range: tuple[float, float] = (1e-6, 1e12),
    spread: float | None = None,
    form: str = "lognormal:0.5",
    zeros: float = 0.0,
    typical: float | tuple[float, float] | None = None,
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
        "exponential"; "lognormal:0.05-0.2" where groups differ in it.
    zeros
        The share of values that are 0.
    typical
        What a typical value is, or in which range groups have theirs, stated like the form: (3e4, 9e4). How
        wide an interval is where little can be said depends on it. Left out, the middle third of the range.
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
    groups, numbers = read_sizes(sizes)
    budget = Budget(epsilon, delta)
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    if spread is not None:
        spread = validate.positive("spread", spread, "Pass 0.10 if values differ by at most 10 %.")
    if not isinstance(value_range, tuple | list) or len(value_range) != 2:
        fix = "Pass what is publicly known, such as (1e3, 1e6)."
        raise InvalidParameterError("value_range", value_range, "a pair (low, high)", fix)
    grid = LogGrid.over(value_range[0], value_range[1])
    stated = read_form(form, zeros, 0.0, typical, (grid.low, grid.high))
    plan = ColumnPlan(SignedGrid(grid), ValueRule(grid.low, grid.high), stated, ("mean",), confidence, spread)
    most = Budget(max(2 * budget.epsilon, MOST_EPSILON), budget.delta).mu
    curves = simulate_groups(plan, budget.mu, numbers, 2 * float(numbers.max()) * max(most, budget.mu))
    return MeansForecast(
        budget=budget,
        groups=groups,
        sizes=numbers,
        curves=curves["mean"],
        form=stated,
        spread=spread,
        confidence=confidence,
    )
