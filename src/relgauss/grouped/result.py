"""The released table: an estimate and an interval for each group, and the statement of what they cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.budget import PrivacyStatement
from relgauss.errors import MissingExtraError
from relgauss.grouped import cautions
from relgauss.grouped.cautions import unseen
from relgauss.grouped.column_estimates import (
    SIGNS_UNSAID,
    UNKNOWN,
    EdgeCounts,
    Flag,
    StatisticEstimates,
    WindowFacts,
)
from relgauss.grouped.html import plain_page, plain_table
from relgauss.grouped.table_columns import with_arrow_keys
from relgauss.grouped.text import lines_about, metadata, plain_text
from relgauss.grouped.usefulness import rule_of_signs

if TYPE_CHECKING:
    import pandas
    import pyarrow

Way = Literal["enforced", "assumed"]

TAIL_ASSUMPTION = (
    "beyond each end of a window no more records lie than assumed_outside says, and they fall off at least "
    "as fast as a Pareto tail of index 2; the interval of the mean of clipped values assumes nothing"
)
_SHOWN = 30  # groups in a notebook
_FACTS = {
    "clipped_lower": "clipped_lower",
    "clipped_upper": "clipped_upper",
    "window_low": "low",
    "window_high": "high",
    "outside": "outside",
    "assumed_outside": "assumed_outside",
}


@dataclass(frozen=True, eq=False)
class Estimates:
    """An entry for each group; numbers are NaN where a group is too small for anything to be said."""

    groups: tuple[object, ...]
    sizes: NDArray[np.int64]
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    usable: NDArray[np.bool_]
    flags: tuple[Flag | None, ...]
    window: WindowFacts | None = None
    edges: EdgeCounts | None = None


@dataclass(frozen=True, eq=False)
class GroupedRelease:
    """A row for each group: its estimated mean, and an interval that is made to hold the true one.

    Means are of values after the rule in the statement. A group is ``usable`` if its interval is narrower
    than a factor of two (or than two thirds of the typical magnitude, where values of both signs occur) and
    no flag speaks against it; the smallest groups, by a public rule in their size and the budget, have no
    estimate at all.

    Attributes
    ----------
    by, value
        The columns of groups and of values.
    estimates
        What is said about each group.
    way
        "enforced" if values were clipped, "assumed" if a spread was assumed.
    confidence
        The probability that intervals are made for. With an assumed spread it is exact; with clipped values
        it rests on ``tail_assumption``, and no privacy does (proofs/grouped-intervals.md).
    privacy
        What the whole table cost, and what that rests on.
    styled
        The columns of values of which the user said how text writes numbers.
    is_prepared
        Whether a query or a view made the table, which is assumed to repeat no record and to choose none by
        private values.
    """

    by: str
    value: str
    estimates: Estimates
    way: Way
    confidence: float
    privacy: PrivacyStatement
    is_prepared: bool = False
    styled: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[object, ...]:
        """The groups, in order."""
        return self.estimates.groups

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows of each group."""
        return self.estimates.sizes

    @property
    def estimate(self) -> FloatArray:
        """The estimated means; NaN where there is none."""
        return self.estimates.estimate

    @property
    def shown(self) -> FloatArray:
        """The estimates that tables and pictures show: NaN also where the mean may lie anywhere."""
        return np.where([flag is UNKNOWN for flag in self.flags], np.nan, self.estimate)

    @property
    def lower(self) -> FloatArray:
        """The lower ends of the intervals."""
        return self.estimates.lower

    @property
    def upper(self) -> FloatArray:
        """The upper ends of the intervals."""
        return self.estimates.upper

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Whether an interval is narrow enough to be of use, and no flag speaks against it."""
        return self.estimates.usable

    @property
    def flags(self) -> tuple[Flag | None, ...]:
        """For each group, what speaks against its interval, or None."""
        return self.estimates.flags

    @property
    def signs_unsaid(self) -> NDArray[np.bool_]:
        """Groups that would be usable, if it were said that no value is negative."""
        return np.array([flag is SIGNS_UNSAID for flag in self.flags], dtype=np.bool_)

    @property
    def window(self) -> WindowFacts | None:
        """What the intervals rest on, where values were clipped."""
        return self.estimates.window

    @property
    def tail_assumption(self) -> str | None:
        """What the intervals of means assume of the values outside of windows, where values were clipped."""
        return None if self.window is None else TAIL_ASSUMPTION

    @property
    def basis(self) -> str:
        """What the guarantee rests on, in a few words, as titles have it."""
        return self._basis("") or "no bound assumed"

    @property
    def mechanism(self) -> str:
        """The same in the words of statements, as it stands in every row, and whether noise was simulated."""
        words = self._basis("enforced")
        return f"{words}, SIMULATED" if self.privacy.simulated else words

    def _basis(self, of_clipping: str) -> str:
        spread = of_clipping if self.way == "enforced" else "assumed spread"
        return ", ".join(filter(None, (spread, "assumed query" if self.is_prepared else "")))

    def columns(self) -> dict[str, list[Any]]:
        """The table as plain values; None where there is no estimate."""
        numbers = {"estimate": self.shown, "lower": self.lower, "upper": self.upper}
        nothing = np.full(len(self.groups), np.nan)
        facts = {
            name: nothing if self.window is None else getattr(self.window, field)
            for name, field in _FACTS.items()
        }
        return {
            "group": list(self.groups),
            **{name: _plain_numbers(column) for name, column in numbers.items()},
            "n": self.sizes.tolist(),
            "usable": self.usable.tolist(),
            "mechanism": [self.mechanism] * len(self.groups),
            **{name: _plain_numbers(column) for name, column in facts.items()},
            "flag": [None if flag is None else flag.name for flag in self.flags],
        }

    def published(self) -> dict[str, list[Any]]:
        """The table as files hold it: groups under the user's name for them, unless another column has it."""
        columns = self.columns()
        name = "group" if self.by in columns else self.by
        return {name if column == "group" else column: cells for column, cells in columns.items()}

    def total(self) -> dict[str, Any] | None:
        """Means by group have no totals row."""
        return None

    def cautions(self) -> list[str]:
        """What looks like a mistake, by public and released numbers alone: a sentence each, mostly none."""
        edges = {} if self.estimates.edges is None else {self.value: self.estimates.edges}
        return [
            *cautions.of_budget(self.privacy, int(self.sizes.sum())),
            *cautions.of_groups([self.by], self.sizes, [self.flags]),
            *cautions.of_alike_groups([self.by], [self.groups]),
            *cautions.of_columns(edges, self.styled),
        ]

    def notes(self) -> list[str]:
        """What intervals are made for, what they rest on, and what flags mean: a sentence each."""
        found = [f"Intervals are made to hold with {100 * self.confidence:g} % each."]
        if self.tail_assumption is not None:
            found.append(f"Intervals assume that {self.tail_assumption}.")
        reasons = {flag.name: f"{flag.name}: {flag.reason}." for flag in self.flags if flag is not None}
        return found + self.beyond() + list(reasons.values()) + self.rule_of_signs()

    def beyond(self) -> list[str]:
        """How many records intervals may not cover, if that is known: a sentence."""
        if self.window is None:
            return []
        said = unseen(self.window, self.sizes, self.usable | self.signs_unsaid)
        return [] if said is None else [said]

    def rule_of_signs(self) -> list[str]:
        """When a mean is of use whose interval includes 0, if there is one: a sentence."""
        flags = np.zeros(len(self.groups), dtype=np.int8)
        mean = StatisticEstimates(self.estimate, self.lower, self.upper, self.usable, flags)
        return rule_of_signs([("mean", mean)])

    def about(self) -> dict[str, Any]:
        """What a reader of the numbers should know, as it stands beside them in every file."""
        return {"confidence": self.confidence, "notes": self.notes(), "cautions": self.cautions()}

    def to_html(self) -> str:
        """The table and its statement as a page."""
        title = f"mean {self.value} by {self.by}"
        return plain_page(title, self.published(), self.privacy, lines_about(self))

    def __str__(self) -> str:
        return plain_text(self.published(), self.privacy)

    def _repr_html_(self) -> str:
        """The table as a notebook shows it: its first groups, and what it cost."""
        privacy = f"<pre>{escape(self.privacy.text())}</pre>"
        return plain_table(self.published(), most_rows=_SHOWN) + privacy

    def to_arrow(self) -> pyarrow.Table:
        """The table, with the privacy statement in its metadata."""
        try:
            import pyarrow
        except ImportError:
            raise MissingExtraError("An Arrow table", "files") from None
        table = pyarrow.table(with_arrow_keys(self.columns(), ["group"]))
        doubles = dict.fromkeys(("estimate", "lower", "upper", *_FACTS), pyarrow.float64())
        for name, kind in (doubles | {"flag": pyarrow.string()}).items():  # even where everything is missing
            column = table.schema.get_field_index(name)
            table = table.set_column(column, name, table[name].cast(kind))
        return table.replace_schema_metadata(metadata(self))

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("A pandas data frame", "pandas") from None
        return pandas.DataFrame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """The table, a mapping for each group, and the statement, as plain values."""
        columns = self.columns() | {"group": [plain(group) for group in self.groups]}
        rows = zip(*columns.values(), strict=True)
        return {
            "by": self.by,
            "value": self.value,
            **self.about(),
            "tail_assumption": self.tail_assumption,
            "flags": {flag.name: flag.reason for flag in self.flags if flag is not None},
            "privacy": self.privacy.to_dict(),
            "groups": [dict(zip(columns, row, strict=True)) for row in rows],
        }


def _plain_numbers(column: FloatArray) -> list[float | None]:
    return [None if x != x else x for x in column.tolist()]


def plain(group: object) -> str | int | float:
    """A group as JSON can hold it: a date, a decimal or a NaN as its text."""
    if isinstance(group, str | int) or (isinstance(group, float) and math.isfinite(group)):
        return group
    return str(group)
