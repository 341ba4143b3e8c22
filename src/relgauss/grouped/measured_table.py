"""All that a table release measures, stage by stage: bounds, groups, counts, values, totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.cell_tables import (
    groups_as_found,
    keys_of_groups,
    rows_by_group,
    rows_without_group,
)
from relgauss.grouped.chosen_bounds import choose_bounds
from relgauss.grouped.column_estimates import ColumnEstimates
from relgauss.grouped.gathered import gather, persons_by_group, rows_and_groups_a_person, rows_asked_for
from relgauss.grouped.group_counts import GroupCounts, noisy_rows, total_count, whole_counts
from relgauss.grouped.kept_rows import secret_key
from relgauss.grouped.measured_values import Watch, measure_values, within_counts
from relgauss.grouped.noisy_measurements import NoisySizes
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.person_counts import Fates, noisy_fates
from relgauss.grouped.private_groups import noisy_persons, threshold
from relgauss.grouped.public_keys import check_found_groups
from relgauss.grouped.table_budget import BOUNDS, FATES, PERSONS, ROWS, TableBudget
from relgauss.grouped.table_groups import groups_found_privately, groups_of_list
from relgauss.grouped.table_question import TableQuestion
from relgauss.grouped.table_rows import TableRows
from relgauss.records.tables import Table


class Source(Protocol):
    """Where the exact numbers come from: one table, or partitions on a cluster."""

    def histograms(self) -> NDArray[np.int64]:
        """Persons by the rows of their largest group, and by their groups."""

    def gathered(
        self, bounds: PersonBounds, key: str
    ) -> AbstractContextManager[tuple[TableRows, FloatArray]]:
        """Cells and persons by group, in a connection, and counts of persons by their fates."""


@dataclass(frozen=True, eq=False)
class OneTable:
    """An open table as a source, of a connection in bounded memory."""

    table: Table
    question: TableQuestion

    def histograms(self) -> NDArray[np.int64]:
        """Persons by what they hold."""
        return rows_and_groups_a_person(rows_asked_for(self.table, self.question), self.question)

    @contextmanager
    def gathered(self, bounds: PersonBounds, key: str) -> Iterator[tuple[TableRows, FloatArray]]:
        """All that the table holds, in its own connection."""
        rows = rows_asked_for(self.table, self.question)
        yield rows, gather(rows, self.question, bounds, key)


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """Everything that was released, a row for each group."""

    keys: tuple[list[object], ...]
    counts: GroupCounts
    columns: dict[str, ColumnEstimates]
    totals: dict[str, ColumnEstimates] | None
    rows_without_group: int | None
    fates: Fates | None
    bounds: PersonBounds


def measure_table(
    source: Source,
    question: TableQuestion,
    budget: TableBudget,
    confidence: float,
    simultaneous: bool,
    watch: Watch,
    rng: np.random.Generator | None,
    reserve: Callable[[], None],
) -> MeasuredTable:
    """Release what is asked, each stage at its own mu.

    ``reserve`` counts what it costs. It is called before the first noise, and after the table was read once:
    what cannot be read, or has no such column, costs nothing.
    """
    bounds = PersonBounds()
    if question.chooses_bounds:
        rows, groups = question.rows_per_person, question.groups_per_person
        of_persons = source.histograms()
        reserve()
        bounds = choose_bounds(of_persons, rows, groups, budget.mu[BOUNDS], rng)
    elif question.rows_per_person is not None and question.groups_per_person is not None:
        bounds = PersonBounds(question.rows_per_person, question.groups_per_person)
    with source.gathered(bounds, secret_key(rng)) as (kept, fates):
        found = _public_groups(kept, question) if question.sizes_public else None
        if not question.chooses_bounds:
            reserve()
        return _release(kept, fates, found, bounds, question, budget, confidence, simultaneous, watch, rng)


def _release(
    kept: TableRows,
    exact_fates: FloatArray,
    public_sizes: NoisySizes | None,
    bounds: PersonBounds,
    question: TableQuestion,
    budget: TableBudget,
    confidence: float,
    simultaneous: bool,
    watch: Watch,
    rng: np.random.Generator | None,
) -> MeasuredTable:
    """What comes after the exact numbers are gathered: groups, then counts, then values."""
    mu, public, of_persons = budget.mu, question.sizes_public, question.person is not None
    leaves_out = question.without_person == "left out"
    most = bounds.rows * bounds.groups if of_persons else 0
    fates = None if public else noisy_fates(exact_fates, most, leaves_out, mu[FATES], rng)
    persons = public_sizes or _find_groups(kept, question, budget, bounds, rng)
    groups = len(persons.values)
    statistics = 1 + of_persons + sum(len(asked) for asked in question.values.values())
    intervals = statistics * (groups + question.totals)
    each = 1 - (1 - confidence) / max(intervals, 1) if simultaneous else confidence
    sizes = noisy_rows(rows_by_group(kept, groups), bounds, mu[ROWS], rng) if ROWS in mu else persons
    counts = GroupCounts.public(persons.values) if public else GroupCounts.of_noisy(sizes, each)
    if of_persons:
        shown = threshold(bounds, mu[PERSONS], budget.leak).least if question.groups == "private" else None
        by_group = whole_counts(persons, each, shown)
        in_all = total_count(persons, by_group, each, shown) if bounds.groups == 1 else None
        counts = counts.beside(by_group, bounds.rows, in_all)
    columns, totals = measure_values(kept, question, bounds, sizes.not_negative(), mu, each, watch, rng)
    columns = {name: within_counts(column, counts) for name, column in columns.items()}
    totals = {name: within_counts(column, counts.total or counts) for name, column in totals.items()}
    without = rows_without_group(kept) if public else None
    return MeasuredTable(
        _keys(kept, question), counts, columns, totals if question.totals else None, without, fates, bounds
    )


def _public_groups(kept: TableRows, question: TableQuestion) -> NoisySizes:
    """Number the groups, which are as found; the rows of each."""
    sizes = check_found_groups(kept, question.by, groups_as_found(kept, question.by))
    return NoisySizes(sizes.astype(np.float64), 0.0)


def _find_groups(
    kept: TableRows,
    question: TableQuestion,
    budget: TableBudget,
    bounds: PersonBounds,
    rng: np.random.Generator | None,
) -> NoisySizes:
    """Number the groups, listed or found privately; a noisy count of persons for each."""
    count = rows_by_group if question.person is None else persons_by_group
    mu = budget.mu[PERSONS]
    noise_std = bounds.person_counts / mu
    if not isinstance(question.groups, tuple):
        return NoisySizes(groups_found_privately(kept, count, bounds, mu, budget.leak, rng), noise_std)
    exact = count(kept, groups_of_list(kept, question.groups))
    return NoisySizes(noisy_persons(exact, bounds, mu, rng), noise_std)


def _keys(kept: TableRows, question: TableQuestion) -> tuple[list[object], ...]:
    """The keys of the groups, as the user named them or as they are in the table."""
    if isinstance(question.groups, tuple):
        return tuple(list(column) for column in zip(*question.groups, strict=True))
    return keys_of_groups(kept)
