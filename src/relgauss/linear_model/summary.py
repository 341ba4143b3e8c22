"""A fitted regression as a table: coefficients with their intervals, and the ranges they hold in."""

from __future__ import annotations

import html
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import MissingExtraError
from relgauss.linear_model.outcome import (
    Degraded,
    Fitted,
    IgnoredFeaturesWarning,
    UnseenClassWarning,
    WrongBoundsWarning,
)

if TYPE_CHECKING:
    import pandas

INTERCEPT = "intercept"
_HEADERS = ("", "coefficient", "std. error", "95 % from", "to", "clipped from", "to")
_COLUMNS = ("name", "coefficient", "standard_error", "low", "high", "clipped_low", "clipped_high")
_NOT_SEEN = "no spread seen"
_SHOWN = 10  # names in a message
_HIDDEN = "Too alike, or too seldom different, for this budget, so without an interval and not to be read:"


@dataclass(frozen=True)
class Line:
    """One coefficient; NaN for an error or an interval that is not known, infinite for no clipping."""

    name: str
    coefficient: float
    standard_error: float
    interval: tuple[float, float]
    clipped: tuple[float, float]
    is_ignored: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as it is shown; a name cannot move a terminal's cursor."""
        name = self.name if self.name.isprintable() else ascii(self.name)
        if self.is_ignored:
            return name, "0", _NOT_SEEN, *[""] * 4
        numbers = self.coefficient, self.standard_error, *self.interval, *self.clipped
        return name, *(f"{each:.5g}" if math.isfinite(each) else "" for each in numbers)


@dataclass(frozen=True, repr=False)
class Summary:
    """The table behind ``summary()``: print it, let a notebook show it, or take its numbers."""

    title: str
    lines: tuple[Line, ...]
    note: str

    def __str__(self) -> str:
        rows = [_HEADERS, *(line.cells for line in self.lines)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADERS))]
        shown = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
        return "\n".join([self.title, *("  ".join(row).rstrip() for row in shown), self.note])

    def __repr__(self) -> str:
        return str(self)  # what a prompt shows of model.summary()

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, a row for each coefficient; what is not known is NaN."""
        try:
            import pandas
        except ImportError:
            raise MissingExtraError("A pandas data frame", "pandas") from None
        rows = [
            (line.name, line.coefficient, line.standard_error, *line.interval, *line.clipped)
            for line in self.lines
        ]
        return pandas.DataFrame(rows, columns=[*_COLUMNS])

    def _repr_html_(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        body = "".join(row(line.cells, "td") for line in self.lines)
        table = f"<table><thead>{row(_HEADERS, 'th')}</thead><tbody>{body}</tbody></table>"
        return f"<p>{html.escape(self.title)}</p>{table}<p>{html.escape(self.note)}</p>"


def summarise(
    names: Sequence[str],
    values: FloatArray,
    standard_errors: FloatArray,
    intervals: FloatArray,
    feature_range: tuple[FloatArray, FloatArray],
    predictions: str,
    outcome: Fitted | Degraded,
    title: str,
    classes: Sequence[str] = (),
    cautions: Sequence[str] = (),
    first_class: object = None,
) -> Summary:
    """The table of a model; ``values``, errors and intervals have the intercept last, the table first.

    They have a row for each class, if there are ``classes`` to name. ``predictions`` says what those are
    clipped to, if they are, ``cautions`` what its budget does not protect from, and as ``first_class`` counts
    a label that is of none.
    """
    order = [len(names), *range(len(names))]
    if isinstance(outcome, Degraded):
        order, away = order[:1], outcome.give_or_take
        if away is not None and first_class is None:
            intervals = np.stack([values - away, values + away])
    clipped = [*zip(*(end.tolist() for end in feature_range), strict=True), (-math.inf, math.inf)]
    ignored = outcome.ignored if isinstance(outcome, Fitted) else ()
    lines = tuple(
        Line(
            f"{classes[row]}: {[*names, INTERCEPT][j]}" if classes else [*names, INTERCEPT][j],
            float(values[row, j]),
            float(standard_errors[row, j]),
            (float(intervals[0, row, j]), float(intervals[1, row, j])),
            clipped[j],
            j in ignored,
        )
        for row in range(len(values))
        for j in order
    )
    if isinstance(outcome, Degraded):
        note = f"Degraded to a constant: {outcome.in_words}"
        note += f" {outside_bounds(names, outcome)}" if outcome.outside else ""
    else:
        without = set(np.flatnonzero(np.isnan(standard_errors).any(axis=0)).tolist()) - set(ignored)
        hidden = [name for j, name in enumerate(names) if j in without]
        has_intervals = bool(np.isfinite(standard_errors).any())
        note = _note(names, predictions, outcome, has_intervals, hidden, first_class)
    return Summary(title, lines, "\n".join([note, *(f"Caution: {each}" for each in cautions)]))


def _note(
    names: Sequence[str],
    predictions: str,
    outcome: Fitted,
    has_intervals: bool,
    hidden: Sequence[str],
    first_class: object,
) -> str:
    parts = []
    if predictions:
        parts.append(f"Features are clipped as shown, and {predictions}.")
    if has_intervals:
        clipped = "clipped features and labels" if predictions else "clipped labels"
        parts.append(f"Intervals are for {clipped}, with privacy and sampling noise.")
        if outcome.about_line:
            parts.append(outcome.about_line)
        if hidden:
            parts.append(f"{_HIDDEN} {_listed(hidden)}.")
    elif outcome.no_intervals:
        parts.append(f"No intervals: {outcome.no_intervals}")
    if outcome.unseen_classes or outcome.no_class_share:
        parts.append(misspelt_classes(outcome, first_class))
    if outcome.outside:
        parts.append(outside_bounds(names, outcome))
    return " ".join(parts) or "A plain linear model without intervals."


def warn_of_bounds(outcome: Fitted | Degraded, names: Sequence[str]) -> None:
    """Warn of stated bounds that were seen to cut off many records."""
    if outcome.outside:
        warnings.warn(outside_bounds(names, outcome), WrongBoundsWarning, stacklevel=4)


def warn_of_fit(
    outcome: Fitted, names: Sequence[str], within: NDArray[np.bool_], first_class: object
) -> None:
    """Warn of what releases have shown of a fit; ``within`` are the features that have stated bounds."""
    if outcome.ignored:
        bounded = [names[j] for j in outcome.ignored if within[j]]
        message = ignored_features(outcome.ignored_names, bounded)
        warnings.warn(message, IgnoredFeaturesWarning, stacklevel=4)
    if outcome.unseen_classes or outcome.no_class_share:
        warnings.warn(misspelt_classes(outcome, first_class), UnseenClassWarning, stacklevel=4)


def ignored_features(names: Sequence[str], bounded: Sequence[str]) -> str:
    """Which features have no say, and what would give them one; ``bounded`` are those with stated bounds."""
    others = [name for name in names if name not in bounded]
    parts = []
    if others:
        parts.append(
            f"No spread was seen of {_listed(others)}: coefficients there are zero. Pass feature_bounds, "
            "more records or a larger epsilon, or leave out what is constant."
        )
    if bounded:
        parts.append(f"{within_bounds(bounded)} Coefficients there are zero.")
    return " ".join(parts)


def within_bounds(names: Sequence[str]) -> str:
    """What to do about features of which their stated bounds hold nothing."""
    return (
        f"Check feature_bounds of {_listed(names)}: no spread was seen within them. Without bounds a range "
        "is found; a constant column may be left out."
    )


def outside_bounds(names: Sequence[str], outcome: Fitted | Degraded) -> str:
    """Of which columns many records lie outside of the stated bounds."""
    parts = zip([*names, "the label"], outcome.outside, strict=True)
    told = _listed([f"{name} ({part:.0%})" for name, part in parts if part > 0])
    return f"Many records lie outside of the stated bounds, and count as their ends: of {told}. Check them."


def misspelt_classes(outcome: Fitted, first_class: object) -> str:
    """Which classes may be misspelt: those that were hardly seen, or another if many labels are of none."""
    seen = []
    if outcome.unseen_classes:
        seen.append(f"Hardly any record was seen of {_listed([*map(repr, outcome.unseen_classes)])}.")
    if outcome.no_class_share:
        seen.append(f"About {outcome.no_class_share:.0%} of the labels are none of the classes.")
    advice = f"Check how classes are spelt: a label that is none of them counts as {first_class!r}."
    return " ".join([*seen, advice])


def _listed(names: Sequence[str]) -> str:
    shown = [name if name.isprintable() else ascii(name) for name in names[:_SHOWN]]
    return ", ".join(shown) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
