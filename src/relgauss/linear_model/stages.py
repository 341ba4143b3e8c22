"""The stages before descent: units, centre, scales, whitening. Each releases what it needs, and no more."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.moments import mean_row
from relgauss.estimate.column_ranges import find_ranges
from relgauss.estimate.quantiles import Reach, find_reaches, norms
from relgauss.estimate.whitening import Whitening, whiten_by_release
from relgauss.linear_model.budget_shares import Shares, clipped_part
from relgauss.linear_model.problem import Problem
from relgauss.linear_model.scaling import (
    FeatureUnits,
    LabelUnits,
    feature_units,
    found_label_units,
    label_units,
)
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

_LONGEST = 2.0**10  # rows in units of a preconditioner: its scale is right within this factor
_NORM_SPAN, _LABEL_SPAN = 50.0, 500.0  # largest over smallest edge of the histograms
_BEYOND_REACH = 0.02  # the part of rows, and of labels, that may lie beyond the released reach


def find_units(problem: Problem, spending: Spending, share: float) -> tuple[FeatureUnits, LabelUnits]:
    """Units from public bounds, and from released ranges where there are none."""
    known, columns, centred = problem.known, problem.columns, problem.has_intercept
    found = None
    if problem.searched.count:
        found = find_ranges(problem.records, problem.searched, spending, share)
    if known.label is not None:
        # Classes are ±1 whether or not there is an intercept; a label that is predicted keeps its zero.
        is_class = not problem.objective.follows_label
        label = label_units(*known.label, centred=centred or is_class, most=1.0)
    else:
        assert found is not None
        label = found_label_units(found, centred=centred)
    every = np.ones(columns, dtype=bool)
    if known.preconditioner is not None:
        return FeatureUnits(known.preconditioner.mean, known.preconditioner.matrix, every), label
    if known.features is not None:
        return feature_units(*known.features, every, centred=centred, most=1.0), label
    assert found is not None
    low, high, seen = found.low[:columns], found.high[:columns], found.known[:columns]
    return feature_units(low, high, seen, centred=centred), label


@dataclass(frozen=True, eq=False)
class Centre:
    """A released mean of rows and labels, in scaled units."""

    features: FloatArray
    label: float


def find_centre(rows: Rows, units: FeatureUnits, spending: Spending, shares: Shares) -> Centre:
    """The mean of rows, shortened to a reach that is released first; labels are moved into [-1, 1]."""
    wider = _LONGEST if units.are_whitened else 1.0
    top = wider * math.sqrt(rows.columns)
    reach = Reach(norms, top, wider * _NORM_SPAN, _BEYOND_REACH)
    (radius,) = find_reaches("row norms", rows, [reach], spending, shares.reach)
    mean = spending.release("centre", mean_row(rows, radius, 1.0), shares.centre).value
    return Centre(np.clip(mean[:-1], -top, top), float(np.clip(mean[-1], -1, 1)))


@dataclass(frozen=True)
class Scales:
    """Released quantiles: of the distance of rows from the centre, and of labels from theirs."""

    radius: float
    label: float


def find_scales(centred: Rows, centre: Centre, spending: Spending, share: float) -> Scales:
    """How far rows and labels are from the centre, from one release."""
    top = math.sqrt(centred.columns) + float(np.linalg.norm(centre.features))
    reaches = [
        Reach(norms, top, _NORM_SPAN, clipped_part(centred.count, spending.mu)),
        Reach(_label_sizes, 1 + abs(centre.label), _LABEL_SPAN, _BEYOND_REACH),
    ]
    radius, label = find_reaches("distances from the centre", centred, reaches, spending, share)
    return Scales(radius, label)


def _label_sizes(block: Block) -> FloatArray:
    return np.abs(block.labels)


def find_whitening(
    centred: Rows, units: FeatureUnits, radius: float, spending: Spending, share: float
) -> Whitening:
    """The whitening by a released covariance; none if a preconditioner has done it."""
    if units.are_whitened:
        return Whitening(np.eye(centred.columns), np.ones(centred.columns))
    return whiten_by_release(centred, radius, spending, share)
