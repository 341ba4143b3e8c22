"""Release a whole table: several statistics of several columns by group, with one budget.

What is public is decided first, then the cost is stated, then the table is read, then the cost is reserved in
the ledger, then noise is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np

from relgauss import validate
from relgauss.budget import Condition, PrivacyStatement
from relgauss.errors import InvalidParameterError
from relgauss.grouped.dask_table import ASSUMED, DaskTable
from relgauss.grouped.measured_table import OneTable, Source, measure_table
from relgauss.grouped.measured_values import Watch
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_budget import divide_table_budget
from relgauss.grouped.table_question import TableQuestion, checked_question
from relgauss.grouped.table_result import TableRelease
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged
from relgauss.noise.simulated import check_generator
from relgauss.records.dask_records import is_dask
from relgauss.records.duckdb_connection import bounded_memory
from relgauss.records.number_style import percent_rules, styled_columns
from relgauss.records.tables import open_table

_ONE_GROUP = "every row is in one group; rows without a group are left out"
_CLIPPED = "each value is clipped to its group's window, which is found from noisy counts"


@np.errstate(all="ignore")  # an error after the noise is drawn would lose what was spent
def release_table(
    data: object,
    *,
    by: str | Sequence[str],
    values: Mapping[str, str | Sequence[str]],
    epsilon: float,
    delta: float,
    person: str | None = None,
    groups: str | Sequence[object] = "public",
    rows_per_person: int | None = None,
    groups_per_person: int | None = None,
    without_person: str = "left out",
    value_range: tuple[float, float] | Mapping[str, tuple[float, float]] = (1e-6, 1e12),
    signs: str | Mapping[str, str] = "both",
    missing: str | float | Mapping[str, str | float] = "leave out",
    weights: Mapping[str, float] | None = None,
    totals: bool = True,
    confidence: float = 0.95,
    simultaneous: bool = False,
    table: str | None = None,
    query: str | None = None,
    numbers: str | Mapping[str, str] | None = None,
    watch: Callable[[int, int], None] | None = None,
    ledger: Ledger | None = None,
    rng: np.random.Generator | None = None,
) -> TableRelease:
    """Release statistics of every group of a table, with intervals, for one budget.

    Without ``person`` a row is a person. With ``groups="public"`` the groups are as found, and their sizes
    public; else a person may move between groups, and counts are noisy. Proofs: proofs/grouped-means.md,
    proofs/person-contributions.md, proofs/private-groups.md.

    Parameters
    ----------
    data
        A CSV or Parquet file, a folder or pattern of such files, an Excel workbook, a DuckDB or SQLite
        database, a data frame or a Dask data frame.
    by
        The columns of groups.
    values
        For each column of numbers the statistics to release: "count" (of values), "sum", "mean", "median",
        "q90" and other quantiles, "std", "zeros" (its share of the values) and "missing" (of the rows).
    epsilon, delta
        The budget of the whole table: its number of groups costs nothing.
    person
        The column that tells whose row it is. The promise then is for a whole person.
    groups
        "public": as found, which a row cannot leave. "private": those that pass a noisy threshold. Or a list
        of groups (tuples of keys, if ``by`` has several columns) that does not come from the data.
    rows_per_person, groups_per_person
        How many rows of a person are kept in a group, and in how many groups; what is left out here is
        chosen privately.
    without_person
        Rows without a person are "left out", or "a person each".
    value_range
        The public range (low, high) of magnitudes, for all columns or by column; others are clipped to it.
    signs
        "both", or "positive" where values are never negative: that leaves half of the cells to search.
    missing
        "leave out", or the number that a missing value counts as; text that is no number is missing.
    weights
        How the columns share the budget; equally, if left out.
    totals
        Whether a row for all groups together is released.
    confidence
        The probability that each interval is made for, or all together.
    simultaneous
        Whether intervals are to hold all at once, so that each is wider.
    table
        The table of a database, or the sheet of a workbook.
    query
        SQL that makes the table; a file or a frame is called ``data`` in it. The statement then assumes that
        it neither repeats records nor chooses them by private values.
    numbers
        How text writes numbers: 1234.5 as the table would write it, such as "$1,234.50", "1.234,50 €" or
        "1234.5 %" (5 % then is 0.05), for all columns of text or a mapping by column. Other text is none.
    watch
        Is told how many parts of the work are done, and of how many.
    ledger
        Where the cost is reserved before noise is drawn, and recorded. A table that cannot be read, or lacks
        a column, costs nothing.
    rng
        A generator for simulated noise, which is not private, and marked so; without it noise is secure.

    Returns
    -------
    TableRelease
        A row for each group, and the statement of what they cost.

    Examples
    --------
    >>> release_table("pay.csv", by=["job"], values={"pay": ["mean", "median"]}, epsilon=1.0, delta=1e-6)
    """
    question = checked_question(
        by=by,
        values=values,
        person=person,
        groups=groups,
        rows_per_person=rows_per_person,
        groups_per_person=groups_per_person,
        without_person=without_person,
        value_range=value_range,
        signs=signs,
        missing=missing,
        weights=weights,
        totals=totals,
    )
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    if rng is not None:
        check_generator(rng)
    budget = divide_table_budget(question, epsilon, delta)
    told: Watch = watch or (lambda done, total: None)
    stages = question, budget, confidence, simultaneous, told, rng
    read = tuple(percent_rules(numbers, list(question.values)))
    with _source(data, question, table, query, numbers) as (source, assumed):
        planned = budget.statement(question, _conditions(question, assumed, read), simulated=rng is not None)
        with ExitStack() as until_recorded:
            spent: list[PrivacyStatement] = []

            def reserve() -> None:
                nonlocal spent
                spent = until_recorded.enter_context(charged(ledger, planned, _in_words(question)))

            measured = measure_table(source, *stages, reserve)
            conditions = _conditions(question, assumed, read, measured.bounds)
            privacy = budget.statement(question, conditions, simulated=rng is not None)
            spent.append(privacy)
    return TableRelease(
        by=question.by,
        values=question.values,
        keys=measured.keys,
        counts=measured.counts,
        columns=measured.columns,
        totals=measured.totals,
        rows_without_group=measured.rows_without_group,
        fates=measured.fates,
        bounds=None if person is None else measured.bounds,
        confidence=confidence,
        simultaneous=simultaneous,
        is_prepared=bool(assumed),
        privacy=privacy,
        styled=styled_columns(numbers, list(question.values)),
    )


def _in_words(question: TableQuestion) -> str:
    """The table as a reader of a ledger knows it again."""
    columns = (f"{name} ({', '.join(asked)})" for name, asked in question.values.items())
    return f"{', '.join(columns) or 'counts'} by {', '.join(question.by)}"


@contextmanager
def _source(
    data: object,
    question: TableQuestion,
    table: str | None,
    query: str | None,
    numbers: str | Mapping[str, str] | None,
) -> Iterator[tuple[Source, tuple[str, ...]]]:
    """Where the numbers come from, and what is assumed of how that was made."""
    if not is_dask(data):
        with (
            open_table(data, table=table, query=query, numbers=numbers) as opened,
            bounded_memory(opened.connection),
        ):
            yield OneTable(opened, question), opened.assumed
        return
    for name, given in (("table", table), ("query", query)):
        if given is not None:
            raise InvalidParameterError(name, given, "left out for Dask", "Prepare the data frame first.")
    yield DaskTable(data, question, numbers), ASSUMED


def _conditions(
    question: TableQuestion,
    assumed: tuple[str, ...],
    read: tuple[str, ...],
    bounds: PersonBounds | None = None,
) -> tuple[Condition, ...]:
    """What the guarantee rests on."""
    rules = dict.fromkeys(column.rule.text() for column in question.columns)
    taken = [*assumed]
    if question.person is None:
        taken.append(_ONE_GROUP if question.sizes_public else "every row is one person")
    elif question.without_person == "left out":
        taken.append(f"{question.person!r} tells whose row it is; rows of nobody are left out")
    else:
        taken.append(f"{question.person!r} tells whose row it is; a row of nobody is one person's only row")
    if isinstance(question.groups, tuple):
        taken.append("the list of groups does not come from the data")
    enforced = [*read, *rules, _CLIPPED]
    if question.person is not None and bounds is not None:
        enforced.append(bounds.text())
    return (
        *(Condition(text, "assumed") for text in taken),
        *(Condition(text, "enforced") for text in enforced),
    )
