"""The released table: statistics with intervals for each group, and the statement of what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relgauss.budget import PrivacyStatement
from relgauss.budget.plain_words import promise_in_words
from relgauss.errors import MissingExtraError
from relgauss.grouped import cautions
from relgauss.grouped.column_estimates import FLAGS, ColumnEstimates
from relgauss.grouped.group_counts import GroupCounts
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.person_counts import Fates
from relgauss.grouped.result import plain
from relgauss.grouped.table_columns import IS_TOTAL, count_columns, value_columns, with_arrow_keys
from relgauss.grouped.table_notes import finds_groups, notes
from relgauss.grouped.text import metadata, plain_text

if TYPE_CHECKING:
    import pandas
    import pyarrow


@dataclass(frozen=True, eq=False)
class TableRelease:
    """A row for each group: its keys, its count, and for each statistic an estimate, an interval and a flag.

    Attributes
    ----------
    by
        The columns of groups.
    values
        The columns of values, and the statistics of each.
    keys
        For each column of groups, the keys of all groups.
    counts
        The kept rows of each group; with ``person`` also the persons who have any.
    columns
        What was measured of each column of values.
    totals
        The same for all groups together, if a totals row was asked for.
    rows_without_group
        Rows that lack a key, where keys are public; else None.
    fates
        Noisy counts of persons who are in the table with all, some or none of their rows; None where sizes
        of groups are public.
    bounds
        How many rows of a person are kept, which every number here is of; None where a row is a person.
    confidence, simultaneous
        The probability that intervals are made for: each, or all at once.
    styled
        The columns of values of which the user said how text writes numbers.
    is_prepared
        Whether a query or a view made the table, which is assumed to repeat no record and to choose none by
        private values.
    privacy
        What the whole table cost, and what that rests on.
    """

    by: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    keys: tuple[list[object], ...]
    counts: GroupCounts
    columns: Mapping[str, ColumnEstimates]
    totals: Mapping[str, ColumnEstimates] | None
    rows_without_group: int | None
    fates: Fates | None
    bounds: PersonBounds | None
    confidence: float
    simultaneous: bool
    is_prepared: bool
    privacy: PrivacyStatement
    styled: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.keys[0])

    def data(self) -> dict[str, list[Any]]:
        """The table as plain values, a list for each column; None where nothing is said.

        Columns: the keys, "count", then for a statistic "mean" of "pay": pay_mean, pay_mean_lower,
        pay_mean_upper, pay_mean_flag; beside a mean also what its interval rests on.
        """
        found = dict(zip(self.by, (list(column) for column in self.keys), strict=True))
        found |= count_columns(self.counts)
        for value, estimates in self.columns.items():
            found |= value_columns(value, self.values[value], estimates)
        return found

    def published(self) -> dict[str, list[Any]]:
        """The table as files hold it: with the totals row last, without keys, marked by ``is_total``."""
        columns, total = self.data(), self.total()
        if total is None:
            return columns
        marks: list[Any] = [False] * len(self) + [True]
        return {name: [*column, total.get(name)] for name, column in columns.items()} | {IS_TOTAL: marks}

    def total(self) -> dict[str, Any] | None:
        """The totals row as plain values: the count of all groups, and the statistics of all together."""
        if self.totals is None or not len(self):
            return None
        found = {name: column[0] for name, column in count_columns(self.counts.total or self.counts).items()}
        for value, estimates in self.totals.items():
            found |= {
                name: column[0]
                for name, column in value_columns(value, self.values[value], estimates).items()
            }
        return found

    def notes(self) -> list[str]:
        """What numbers and intervals are of, what was left out, and what flags mean: a sentence each."""
        return notes(self)

    def cautions(self) -> list[str]:
        """What looks like a mistake, by released numbers alone: a sentence each, mostly none."""
        counted = self.counts.rows if self.counts.persons is None else self.counts.persons.values
        flags = [
            [FLAGS[code] for code in one.flags.tolist()]
            for column in self.columns.values()
            for one in column.statistics.values()
        ]
        return [
            *cautions.of_budget(self.privacy, int(counted.sum())),
            *cautions.of_groups(self.by, self.counts.rows, flags),
            *cautions.of_alike_groups(self.by, self.keys),
            *(cautions.of_persons(self.fates) or self._of_list()),
            *cautions.of_columns(
                {value: column.edges for value, column in self.columns.items()}, self.styled
            ),
        ]

    def _of_list(self) -> list[str]:
        if finds_groups(self):
            return []
        return cautions.of_empty_groups(self.by, self.keys, self.counts.lower, self.fates)

    def about(self) -> dict[str, Any]:
        """What a reader of the numbers should know, as it stands beside them in every file."""
        return {
            "confidence": self.confidence,
            "simultaneous": self.simultaneous,
            "summary": self.summary(),
            "notes": self.notes(),
            "cautions": self.cautions(),
        }

    def summary(self) -> str:
        """One line for a reader who knows no epsilon: e^epsilon as a factor, 1/delta as a chance.

        It says "hardly" only where the factor is small, and where sizes are public that the group stays.
        """
        mark = "SIMULATED, not private. " if self.privacy.simulated else ""
        return mark + promise_in_words(self.privacy)

    def to_arrow(self) -> pyarrow.Table:
        """The groups, with the privacy statement in the table's metadata."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError("An Arrow table", "files") from None
        arrays = {}
        for name, column in with_arrow_keys(self.data(), self.by).items():
            numbers = name not in self.by and not any(isinstance(each, str | bool | int) for each in column)
            is_flag = name.endswith("_flag") and name not in self.by
            kind = pyarrow.string() if is_flag else pyarrow.float64() if numbers else None
            arrays[name] = column if name in self.by else pyarrow.array(column, kind)
        return pyarrow.table(arrays).replace_schema_metadata(metadata(self))

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, a row for each group; ``total()`` is of all of them."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("A pandas data frame", "pandas") from None
        return pandas.DataFrame(self.data())

    def to_dict(self) -> dict[str, Any]:
        """The table, a mapping for each group, its totals and the statement, as plain values."""
        columns = self.data()
        for name in self.by:
            columns[name] = [plain(key) for key in columns[name]]
        rows = zip(*columns.values(), strict=True)
        return {
            "by": list(self.by),
            "values": {value: list(asked) for value, asked in self.values.items()},
            **self.about(),
            "rows_without_group": self.rows_without_group,
            "persons": None if self.fates is None else vars(self.fates),
            "privacy": self.privacy.to_dict(),
            "total": self.total(),
            "groups": [dict(zip(columns, row, strict=True)) for row in rows],
        }

    def to_html(self) -> str:
        """The table and its statement as a page."""
        from relgauss.grouped.table_html import html_page

        return html_page(self)

    def __str__(self) -> str:
        return plain_text(self.published(), self.privacy)

    def _repr_html_(self) -> str:
        """The table as a notebook shows it: its first groups, the totals, and one line on privacy."""
        from relgauss.grouped.table_html import html_table

        return html_table(self, most_rows=30)
