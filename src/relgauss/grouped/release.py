"""Release the mean of every group of a table.

What is public is decided first, then the cost is stated, then the table is read once, then noise is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np

from relgauss import validate
from relgauss.budget import Budget, Condition, PrivacyStatement
from relgauss.budget.grouping_words import within_groups
from relgauss.errors import InvalidParameterError
from relgauss.grouped.assumed_spread import Spread, check_spread, estimate_assumed, spreads_of
from relgauss.grouped.cautions import may_hide_negatives
from relgauss.grouped.cell_tables import CountedColumn, ValueColumn, count_column
from relgauss.grouped.column_estimates import FLAGS, SIGNS_UNSAID, joined_estimates
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.public_keys import check_found_groups, check_sizes
from relgauss.grouped.result import Estimates, GroupedRelease
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Signs
from relgauss.grouped.totals import total_by_group
from relgauss.grouped.value_rule import Missing, ValueRule, check_missing
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged
from relgauss.noise.simulated import check_generator
from relgauss.records.duckdb_connection import bounded_memory
from relgauss.records.number_style import percent_rules, styled_columns
from relgauss.records.tables import open_table

_ONE_GROUP = "every row is in one group; rows without a group are left out"
_CLIPPED = "each value is clipped to its group's window, which is found from noisy counts"


@np.errstate(all="ignore")  # an error after the noise is drawn would lose what was spent
def release_means(
    data: object,
    *,
    by: str,
    value: str,
    epsilon: float,
    delta: float,
    spread: Spread | None = None,
    value_range: tuple[float, float] = (1e-6, 1e12),
    signs: Signs | None = None,
    missing: Missing = "leave out",
    confidence: float = 0.95,
    table: str | None = None,
    query: str | None = None,
    numbers: str | Mapping[str, str] | None = None,
    rng: np.random.Generator | None = None,
    ledger: Ledger | None = None,
) -> GroupedRelease:
    """Release the mean of ``value`` in every group of ``by``; groups and their sizes are public.

    Without ``spread`` the guarantee is *enforced*: values are clipped to a window that is found privately.
    With it, it is *assumed* that the values of a group lie close together. Proof: proofs/grouped-means.md.

    Parameters
    ----------
    data
        A CSV or Parquet file, a folder or pattern of such files, an Excel workbook, a DuckDB or SQLite
        database, or a data frame.
    by
        The column of groups.
    value
        The column of numbers whose means are released.
    epsilon, delta
        The budget of the whole table: its number of groups costs nothing.
    spread
        What is assumed: the values of a group, now and after any replacement, lie within a factor of
        1 + spread of each other. A mapping gives each group its own.
    value_range
        The public range (low, high) of magnitudes; others are clipped to it, and 0 stays 0. The narrower it
        is, the smaller the groups that can be found.
    signs
        "positive" if no value is negative (one that is counts as 0), or "both". None takes them as positive,
        and flags all means if so many count as 0 that negative ones may be among them.
    missing
        What a missing value, or text that is no number, counts as: "leave out" (it is counted with noise), or
        a number. With ``spread`` no value may be missing or 0.
    confidence
        The probability that intervals are made for; see ``GroupedRelease`` for where it is exact.
    table
        The table of a database, or the sheet of a workbook.
    query
        SQL that makes the table; a file or a frame is called ``data`` in it. The statement then assumes that
        it neither repeats records nor chooses them by private values.
    numbers
        How text writes numbers: 1234.5 as the table would write it, such as "$1,234.50", "1.234,50 €" or
        "1234.5 %" (5 % then is 0.05), for all columns of text or a mapping by column. Other text is none.
    rng
        A generator for simulated noise, which is not private, and marked so; without it noise is secure.
    ledger
        Where the release is reserved before noise is drawn, and refused if the budget there does not hold it.

    Returns
    -------
    GroupedRelease
        A row for each group, and the statement of what they cost.

    Examples
    --------
    >>> release_means("pay.csv", by="job", value="salary", epsilon=1.0, delta=1e-6).to_pandas()
    """
    if by == value:
        raise InvalidParameterError(
            "by", by, "another column than value", "Groups are public, values are not."
        )
    confidence = validate.probability("confidence", confidence, "Pass for example 0.95.")
    if rng is not None:
        check_generator(rng)
    spread = None if spread is None else check_spread(spread)
    magnitudes = LogGrid.over(*_ends(value_range))
    taken: Signs = "positive" if signs is None else signs
    validate.choice("signs", taken, ("positive", "both"))
    rule = ValueRule(magnitudes.low, magnitudes.high, taken, check_missing(missing))
    grid = SignedGrid(magnitudes, taken, rule.missing == "leave out")
    if spread is not None and (taken != "positive" or missing != "leave out"):
        fix = "Leave out spread, signs or missing."
        raise InvalidParameterError("spread", spread, "left out where values may be negative or missing", fix)
    rules = (rule.text(), _CLIPPED) if spread is None else (rule.text_if_all_positive(),)
    enforced = (*percent_rules(numbers, [value]), *rules)
    assumed = () if spread is None else (_alike(spread),)
    with open_table(data, table=table, query=query, numbers=numbers) as opened:
        budget = Budget(epsilon, delta)
        privacy = PrivacyStatement.of_whole_budget(
            budget,
            "the mean of every group",
            "proofs/grouped-means.md",
            _conditions((*assumed, *opened.assumed, _ONE_GROUP), enforced),
            simulated=rng is not None,
            neighbours=within_groups([by]),
        )
        reserved: AbstractContextManager[object]
        reserved = nullcontext() if ledger is None else charged(ledger, privacy, f"mean {value} by {by}")
        if spread is None:
            with bounded_memory(opened.connection):
                counted = count_column(opened, by, value, ValueColumn(rule, grid))
                check_found_groups(counted.rows, [by], len(counted.keys))
                with reserved:
                    estimates = _estimate(counted, budget.mu, confidence, rng)
                    if signs is None:
                        estimates = _flagged_signs(estimates)
        else:
            totals = total_by_group(opened, by, value, rule)
            check_sizes([by], totals.sizes)
            spreads = spreads_of(totals.groups, spread)
            with reserved:
                estimates = estimate_assumed(totals, spreads, budget.mu, confidence, rng)
    return GroupedRelease(
        by=by,
        value=value,
        estimates=estimates,
        way="enforced" if spread is None else "assumed",
        is_prepared=bool(opened.assumed),
        styled=styled_columns(numbers, [value]),
        confidence=confidence,
        privacy=privacy,
    )


def _estimate(
    counted: CountedColumn, mu: float, confidence: float, rng: np.random.Generator | None
) -> Estimates:
    """Measure the groups some at a time: each is in one batch, so that all together spend mu."""
    found = [measure_column(cells, ONE_ROW, mu, ["mean"], confidence, rng) for cells in counted.batches()]
    column = found[0] if len(found) == 1 else joined_estimates(found, ("mean",))
    mean, sizes = column.statistics["mean"], column.sizes.astype(np.int64)
    flags = tuple(FLAGS[code] for code in mean.flags)
    ends = mean.estimate, mean.lower, mean.upper
    return Estimates(counted.keys, sizes, *ends, mean.usable, flags, column.window, column.edges)


def _flagged_signs(estimates: Estimates) -> Estimates:
    """The same, none of it usable if negative values may hide among those that count as 0."""
    if estimates.edges is None or not may_hide_negatives(estimates.edges):
        return estimates
    pairs = zip(estimates.flags, estimates.usable.tolist(), strict=True)
    flags = tuple(SIGNS_UNSAID if usable else flag for flag, usable in pairs)
    return replace(estimates, usable=np.zeros(len(flags), dtype=np.bool_), flags=flags)


def _conditions(assumed: tuple[str, ...], enforced: tuple[str, ...]) -> tuple[Condition, ...]:
    return (
        *(Condition(text, "assumed") for text in assumed),
        *(Condition(text, "enforced") for text in enforced),
    )


def _alike(spread: Spread) -> str:
    """The assumption of a spread, in words."""
    factor = "its own public factor" if isinstance(spread, Mapping) else f"a factor of {1 + spread:.12g}"
    return (
        "in each group all values after the rule, and any that could replace one, "
        f"lie within {factor} of each other"
    )


def _ends(value_range: object) -> tuple[float, float]:
    if isinstance(value_range, tuple | list) and len(value_range) == 2:
        return value_range[0], value_range[1]
    raise InvalidParameterError(
        "value_range", value_range, "a pair (low, high)", "Pass what is publicly known, such as (1e3, 1e6)."
    )
