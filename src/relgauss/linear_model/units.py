"""Units in which columns are about 1 in size, from public bounds or released ranges; and back to the user's.

Values are clipped before they are scaled, to ranges in the user's units that the model keeps: what a fit did
not see is moved to the edge, in the fit and in predictions alike. Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.estimate.column_ranges import ColumnRanges, Columns, find_ranges
from relgauss.estimate.range_search import StatedBounds
from relgauss.spending import Spending

if TYPE_CHECKING:
    from relgauss.linear_model.problem import Problem
    from relgauss.linear_model.public_knowledge import PublicKnowledge
    from relgauss.linear_model.public_plan import SearchPlan

UNCLIPPED = 2.0**20  # half-widths beyond which even a plain model's values are clipped: nothing overflows
_LABEL_REACH = 2.0  # half-widths that labels may lie from the middle in a fit: tighter would bend slopes
ANYWHERE = -math.inf, math.inf
_NOTHING = ColumnRanges(
    np.empty(0), np.empty(0), np.empty(0, dtype=bool), np.empty(0, dtype=bool), np.empty(0)
)

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class FeatureUnits:
    """s = (x clipped to [low, high] - middle) @ matrix, of the columns that are ``seen``.

    ``matrix`` is a diagonal, given as a vector, or a whole matrix (a preconditioner). The other columns show
    no spread and are left out. ``outside`` of stated bounds such parts of the records were seen.
    """

    middle: FloatArray
    matrix: FloatArray
    seen: NDArray[np.bool_]
    low: FloatArray
    high: FloatArray
    outside: FloatArray | None = None

    @property
    def are_whitened(self) -> bool:
        """Whether a preconditioner has whitened the rows already."""
        return self.matrix.ndim == 2

    @property
    def count(self) -> int:
        """The number of columns that are left."""
        return int(self.seen.sum())

    def scaled(self, features: FloatArray, room: FloatArray | None = None) -> FloatArray:
        """Some rows, scaled; in this room, if there is one."""
        low, high, middle, scale = self._of_seen
        values = features if low.size == self.seen.size else features[:, self.seen]
        result = np.clip(values, low, high, out=room)
        with np.errstate(over="ignore", invalid="ignore"):
            result -= middle
            if not self.are_whitened:
                result *= scale
                return result
            result = np.nan_to_num(result @ self.matrix, copy=False)  # an overflow can leave NaN
        return np.clip(result, -UNCLIPPED, UNCLIPPED, out=result)

    @cached_property
    def _of_seen(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Ends, middle and scale of the columns that are seen; a preconditioner has no scale."""
        kept = self.seen
        scale = np.ones(self.count) if self.are_whitened else self.matrix[kept]
        return self.low[kept], self.high[kept], self.middle[kept], scale

    @property
    def half_widths(self) -> FloatArray:
        """How far each feature is from its middle: where s is ±1, or one deviation of a preconditioner."""
        if self.are_whitened:
            return np.sqrt(np.diag(np.linalg.inv(self.matrix @ self.matrix.T)))
        return np.where(self.seen, 1 / self.matrix, 0.0)

    def coefficients(self, scaled: FloatArray) -> FloatArray:
        """Coefficients of x that predict what ``scaled`` predicts from s, zero for columns left out."""
        if self.are_whitened:
            return self.matrix @ scaled
        result = np.zeros((self.seen.size, *scaled.shape[1:]))
        result[self.seen] = (scaled.T * self.matrix[self.seen]).T
        return result


@dataclass(frozen=True)
class LabelUnits:
    """t = (y clipped to ``fitted`` - middle)/half; predictions of y are clipped to ``predicted``.

    half = 0 for labels without a visible spread, which lie between the ends of ``fitted``; ``outside`` of
    stated bounds was seen such a part of them.
    """

    middle: float
    half: float
    fitted: Interval
    predicted: Interval
    outside: float = 0.0

    @property
    def is_constant(self) -> bool:
        """Whether no spread was visible: all that is known is where labels lie."""
        return self.half == 0

    @property
    def largest(self) -> float:
        """The largest size of a scaled label."""
        return max(abs(end - self.middle) for end in self.fitted) / self.half

    def scaled(self, labels: FloatArray) -> FloatArray:
        """Labels in these units, clipped to the range that the fit keeps."""
        return (np.clip(labels, *self.fitted) - self.middle) / self.half

    def predicted_around(self, centre: float) -> Interval:
        """The range of predictions in these units, as distances from a centre."""
        low, high = ((end - self.middle) / self.half - centre for end in self.predicted)
        return low, high

    def to_user(self, prediction: float) -> float:
        """A prediction of t, as one of y."""
        return self.middle + self.half * prediction


def feature_units(
    low: FloatArray,
    high: FloatArray,
    seen: NDArray[np.bool_],
    *,
    centred: bool,
    reach: FloatArray | float,
    within: tuple[FloatArray, FloatArray] | None = None,
) -> FeatureUnits:
    """Units in which [low, high] is [-1, 1]; if not centred, those in which its farther end is ±1.

    Values are clipped to ``reach`` half-widths from the middle of the range, and to ``within``; those of a
    column without a spread count as the middle.
    """
    middle, half = (low + high) / 2, (high - low) / 2
    usable = seen & (half > 0)
    reached = np.where(usable, reach * half, 0.0)
    ends = middle - reached, middle + reached
    if within is not None:
        ends = np.maximum(ends[0], within[0]), np.minimum(ends[1], within[1])
    size = half if centred else np.maximum(np.abs(low), np.abs(high))
    origin = middle if centred else np.zeros_like(low)
    return FeatureUnits(origin, 1 / np.where(usable, size, 1.0), usable, *ends)


def label_units(low: float, high: float, *, centred: bool, reach: float, within: Interval) -> LabelUnits:
    """Units in which [low, high] is [-1, 1], as for features; predictions reach as far as features do."""
    middle, half = (low + high) / 2, (high - low) / 2
    return LabelUnits(
        middle if centred else 0.0,
        half if centred else max(abs(low), abs(high)),
        _reaching(middle, _LABEL_REACH * half, within),
        _reaching(middle, reach * half, within),
    )


def found_label_units(
    ranges: ColumnRanges, *, centred: bool, reach: float, within: Interval = ANYWHERE
) -> LabelUnits:
    """Units from a released range, the last of these; constant, somewhere in it, if no spread was visible."""
    low, high = float(ranges.low[-1]), float(ranges.high[-1])
    if ranges.seen[-1]:
        return label_units(low, high, centred=centred, reach=reach, within=within)
    if not ranges.located[-1]:
        low = high = 0.0
    return LabelUnits((low + high) / 2, 0.0, (low, high), (low, high))


def _reaching(middle: float, far: float, within: Interval) -> Interval:
    return max(middle - far, within[0]), min(middle + far, within[1])


def find_units(
    problem: Problem, plan: SearchPlan, spending: Spending, share: float
) -> tuple[FeatureUnits, LabelUnits]:
    """Search as planned, for this share or less, and make units of what is known then."""
    known, found = problem.known, None
    if plan.features or plan.label:
        places = np.flatnonzero(~known.zero_or_one) if plan.features else np.array([], dtype=np.intp)
        columns = Columns(places.size, plan.label, tuple(places.tolist()))
        found = _NOTHING
        if columns.count:
            stated = _stated(known, columns, places)
            clips = problem.clips_features
            found = find_ranges(problem.records, columns, stated, spending, share, leaves_far=clips)
        if plan.features:
            found = _with_known(found, known, places)
    return _features(problem, plan, found), _label(problem, plan, found)


def _with_known(found: ColumnRanges, known: PublicKnowledge, places: NDArray[np.intp]) -> ColumnRanges:
    """What was found, and the columns between that are 0 or 1."""
    others = np.flatnonzero(known.zero_or_one)
    before = others - np.arange(others.size)  # so many columns that were searched come first

    def with_known(values: NDArray[Any], one: float) -> NDArray[Any]:
        return np.insert(values, before, one)

    return ColumnRanges(
        with_known(found.low, 0.0),
        with_known(found.high, 1.0),
        with_known(found.seen, True),
        with_known(found.located, True),
        with_known(found.outside, 0.0),
    )


def _stated(known: PublicKnowledge, columns: Columns, places: NDArray[np.intp]) -> StatedBounds:
    """The bounds to search within."""
    stated = StatedBounds.none(columns.count)
    if columns.features and known.features is not None:
        for end, bounds in zip((stated.low, stated.high), known.features, strict=True):
            end[: columns.features] = np.where(known.are_bounded, bounds, np.nan)[places]
    if columns.with_label and known.label is not None:
        stated.low[-1], stated.high[-1] = known.label
    return stated


def _features(problem: Problem, plan: SearchPlan, found: ColumnRanges | None) -> FeatureUnits:
    known, count = problem.known, problem.known.columns
    every = np.ones(count, dtype=bool)
    if known.preconditioner is not None:
        ends = known.features or (np.full(count, -math.inf), np.full(count, math.inf))
        return FeatureUnits(known.preconditioner.mean, known.preconditioner.matrix, every, *ends)
    reach = np.where(known.are_bounded, plan.reach_within, plan.reach)
    if not problem.clips_features:
        reach = np.full(count, UNCLIPPED)
    assert found is not None
    low, high, seen = found.low[:count], found.high[:count], found.seen[:count]
    units = feature_units(low, high, seen, centred=problem.has_intercept, reach=reach, within=known.features)
    return replace(units, outside=found.outside[:count])


def _label(problem: Problem, plan: SearchPlan, found: ColumnRanges | None) -> LabelUnits:
    known = problem.known.label
    # Classes are ±1 whether or not there is an intercept; a label that is predicted keeps its zero.
    centred = problem.has_intercept or not problem.objective.follows_label
    if plan.label:
        assert found is not None
        reach = plan.reach if known is None else plan.reach_within
        units = found_label_units(found, centred=centred, reach=reach, within=known or ANYWHERE)
        return replace(units, outside=float(found.outside[-1]))
    assert known is not None
    return label_units(*known, centred=centred, reach=1.0, within=known)
