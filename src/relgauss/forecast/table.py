"""What a whole table would be like: several statistics of several columns, from the sizes of its groups."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from relgauss import validate
from relgauss.budget import Budget
from relgauss.errors import InvalidParameterError
from relgauss.forecast.column_plan import ColumnPlan
from relgauss.forecast.curve import MOST_EPSILON
from relgauss.forecast.form import Form, read_form
from relgauss.forecast.made_up_groups import simulate_groups
from relgauss.forecast.statistic import BudgetPart, StatisticForecast, read_sizes
from relgauss.forecast.table_forecast import TableForecast, bounds_of, threshold_of
from relgauss.grouped.measured_values import contributions
from relgauss.grouped.table_budget import PERSONS, ROWS, VALUES, TableBudget, divide_table_budget
from relgauss.grouped.table_question import TableQuestion, by_column, checked_question

_Typical = float | tuple[float, float] | None
_GROUP, _PERSON = "the group", "the person"  # stand for columns whose names do not matter


def forecast_table(
    sizes: Mapping[Any, int] | Sequence[int],
    *,
    values: Mapping[str, str | Sequence[str]],
    epsilon: float,
    delta: float,
    groups: str = "public",
    rows_per_person: int | None = None,
    groups_per_person: int | None = None,
    value_range: tuple[float, float] | Mapping[str, tuple[float, float]] = (1e-6, 1e12),
    signs: str | Mapping[str, str] = "both",
    missing: str | float | Mapping[str, str | float] = "leave out",
    weights: Mapping[str, float] | None = None,
    totals: bool = True,
    confidence: float = 0.95,
    simultaneous: bool = False,
    form: str | Mapping[str, str] = "lognormal:0.5",
    zeros: float | Mapping[str, float] = 0.0,
    missing_share: float | Mapping[str, float] = 0.0,
    typical: _Typical | Mapping[str, _Typical] = None,
) -> TableForecast:
    """Forecast ``release_table`` from public numbers: it runs on made-up groups, and reads nothing.

    Made-up values are 0 or positive. Sizes are numbers of rows, also where a person has several: then every
    row is taken for another person's when it comes to which groups show.

    Parameters
    ----------
    sizes
        The numbers of rows of the groups: by group, or in a list. Where groups are not public, numbers that
        you state, not those of the records.
    values
        For each column of numbers the statistics, as for the release.
    epsilon, delta
        The budget of the whole table.
    groups
        "public", "private", or "listed" for groups of a list that does not come from the data.
    rows_per_person, groups_per_person
        The bounds of persons with several rows; both, or neither if every row is a person.
    value_range, signs, missing, weights, totals, confidence, simultaneous
        As for the release.
    form
        How the values of a group are distributed, as for ``forecast_means``; for all columns, or by column.
    zeros
        The share of values that are 0; for all columns, or by column.
    missing_share
        The share of rows without a value; for all columns, or by column.
    typical
        A typical value, or a range of them, as for ``forecast_means``; for all columns, or by column.

    Returns
    -------
    TableForecast
        Errors and widths of each statistic by group, and what other budgets or more data would bring.

    Examples
    --------
    >>> found = forecast_table([400, 60], values={"pay": ["mean", "q90"]}, epsilon=1.0, delta=1e-6)
    >>> found["pay", "q90"].width
    """
    names, numbers = read_sizes(sizes)
    validate.choice("groups", groups, ("public", "private", "listed"))
    if (rows_per_person is None) != (groups_per_person is None):
        raise InvalidParameterError(
            "rows_per_person", rows_per_person, "stated with groups_per_person", "Pass both, or neither."
        )
    question = checked_question(
        by=_GROUP,
        values=values,
        person=None if rows_per_person is None else _PERSON,
        groups=list(names) if groups == "listed" else groups,
        rows_per_person=rows_per_person,
        groups_per_person=groups_per_person,
        without_person="left out",
        value_range=value_range,
        signs=signs,
        missing=missing,
        weights=weights,
        totals=totals,
    )
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    budget = divide_table_budget(question, epsilon, delta)
    forms = _forms(
        question, {"form": form, "zeros": zeros, "missing_share": missing_share, "typical": typical}
    )
    each = confidence
    if simultaneous:
        statistics = 1 + sum(map(len, question.values.values()))
        each = 1 - (1 - confidence) / (statistics * (len(names) + question.totals))
    found: dict[tuple[str, str], StatisticForecast] = {}
    for place, (column, asked) in enumerate(question.values.items()):
        part = _part(budget, question.weights[place])
        plan = ColumnPlan(
            question.columns[place].grid,
            question.columns[place].rule,
            forms[column],
            asked,
            each,
            contribution=contributions(question, bounds_of(question))[0],
            size_noise=_size_noise(budget, question),
            shown=threshold_of(budget, question),
        )
        mu, most = part.mu(budget.budget), part.mu(Budget(max(2 * epsilon, MOST_EPSILON), delta))
        curves = simulate_groups(plan, mu, numbers, 2 * float(numbers.max()) * max(most, mu))
        for name in asked:
            found[column, name] = StatisticForecast(
                budget=budget.budget, groups=names, sizes=numbers, curves=curves[name], part=part
            )
    return TableForecast(
        budget=budget.budget, statistics=found, forms=forms, confidence=confidence, question=question
    )


def _forms(question: TableQuestion, stated: Mapping[str, object]) -> dict[str, Form]:
    """What was said of each column of values."""
    asked = question.values
    form, zeros, missing, typical = (
        by_column(name, each, asked, lambda same: same) for name, each in stated.items()
    )
    found: dict[str, Form] = {}
    for column, kind in zip(asked, question.columns, strict=True):
        ends = kind.grid.magnitudes.low, kind.grid.magnitudes.high
        found[column] = read_form(form[column], zeros[column], missing[column], typical[column], ends)
        if found[column].missing and not kind.grid.leaves_out_missing:
            raise InvalidParameterError(
                "missing_share",
                found[column].missing,
                "0 where missing values count as a number",
                "Leave it out, and state zeros= if they count as 0.",
            )
    return found


def _part(budget: TableBudget, weight: float) -> BudgetPart:
    """What a column gets of the budget, at every epsilon."""
    share = budget.mu[VALUES] * math.sqrt(weight)
    leak = budget.leak / budget.budget.delta
    rest = budget.budget.after_failure(budget.leak) if leak else budget.budget
    return BudgetPart(share / rest.mu, leak)


def _size_noise(budget: TableBudget, question: TableQuestion) -> float:
    """The level of the noise on the released numbers of rows by group."""
    if question.sizes_public:
        return 0.0
    bounds = bounds_of(question)
    return (
        bounds.row_counts / budget.mu[ROWS]
        if ROWS in budget.mu
        else bounds.person_counts / budget.mu[PERSONS]
    )
