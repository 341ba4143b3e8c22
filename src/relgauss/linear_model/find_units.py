"""Units of features and label, from public bounds, released ranges, or ranges found within bounds.

Proof: proofs/regression.md.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from relgauss.estimate.column_ranges import ColumnRanges, Columns, StatedBounds, find_ranges
from relgauss.estimate.scaling import (
    UNCLIPPED,
    FeatureUnits,
    LabelUnits,
    feature_units,
    found_label_units,
    label_units,
)
from relgauss.linear_model.problem import Problem
from relgauss.linear_model.public_knowledge import PublicKnowledge
from relgauss.linear_model.public_plan import SearchPlan
from relgauss.spending import Spending

_ANYWHERE = -math.inf, math.inf
_NOTHING = ColumnRanges(np.empty(0), np.empty(0), np.empty(0, dtype=bool), np.empty(0, dtype=bool))


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
            found = find_ranges(problem.records, columns, _stated(known, columns, places), spending, share)
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
    if plan.features:
        assert found is not None
        low, high, seen = found.low[:count], found.high[:count], found.seen[:count]
    else:
        assert known.features is not None
        (low, high), seen = known.features, every
    return feature_units(low, high, seen, centred=problem.has_intercept, reach=reach, within=known.features)


def _label(problem: Problem, plan: SearchPlan, found: ColumnRanges | None) -> LabelUnits:
    known = problem.known.label
    # Classes are ±1 whether or not there is an intercept; a label that is predicted keeps its zero.
    centred = problem.has_intercept or not problem.objective.follows_label
    if plan.label:
        assert found is not None
        reach = plan.reach if known is None else plan.reach_within
        return found_label_units(found, centred=centred, reach=reach, within=known or _ANYWHERE)
    assert known is not None
    return label_units(*known, centred=centred, reach=1.0, within=known)
