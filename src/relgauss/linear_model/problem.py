"""What a fit is asked, what it works on once the data is whitened, and what it returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Objective
from relgauss.estimate.scaling import Interval
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.linear_model.public_knowledge import PublicKnowledge
from relgauss.records.blocks import Rows


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the mean loss + ½ penalty ||coefficients||², in the user's units.

    The numbers of ``records`` and of their columns are public, what they hold is not.
    """

    records: Rows
    objective: Objective
    known: PublicKnowledge
    penalty: float
    has_intercept: bool
    clips_features: bool = True


@dataclass(frozen=True, eq=False)
class WhitenedProblem:
    """The problem in whitened coordinates, a last coordinate for the intercept.

    ``rows`` is private. Public or released are ``label_scale`` (how large pulls are), ``mean_label`` (which
    the objective's curvature depends on), ``mean_std`` (its noise), ``largest_label``, ``label_range`` (what
    predictions are clipped to), ``signal`` (how well each direction is known, see ``Whitening``),
    ``is_white`` (whether the private rows were whitened, not public ones), ``clips`` (whether features and
    predictions are clipped), ``regulariser`` (the matrix P of ½ θᵀPθ) and ``start``.
    """

    rows: Rows
    objective: Objective
    label_scale: float
    mean_label: float
    mean_std: float
    largest_label: float
    label_range: Interval
    signal: FloatArray
    is_white: bool
    clips: bool
    regulariser: FloatArray
    start: FloatArray
    has_intercept: bool

    @property
    def slopes(self) -> int:
        """The number of coordinates beside the intercept."""
        return self.rows.columns - self.has_intercept


@dataclass(frozen=True, eq=False)
class Found:
    """A solution in whitened coordinates, made of releases.

    ``clip_threshold`` is the last norm that gradients were clipped to, ``covariance`` that of theta around
    the coefficients of the population; None where a solver has no such thing.
    """

    theta: FloatArray
    clip_threshold: float | None = None
    covariance: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Solution:
    """A model in the user's units, and how it came about; a row for each score that it has.

    Features are clipped to ``feature_range``, scores to ``prediction_range``; labels were clipped to
    ``label_range`` for the fit. ``standard_errors`` are those of the coefficients and, last, of the
    intercept; NaN where none is known.
    """

    coefficients: FloatArray
    intercept: FloatArray
    outcome: Fitted | Degraded
    feature_range: tuple[FloatArray, FloatArray]
    prediction_range: tuple[FloatArray, FloatArray]
    label_range: Interval
    standard_errors: FloatArray

    @classmethod
    def constant(cls, columns: int, values: FloatArray, why: Degraded) -> Solution:
        """The same prediction for all."""
        features, scores = (
            (np.full(size, -math.inf), np.full(size, math.inf)) for size in (columns, values.size)
        )
        unknown = np.full((values.size, columns + 1), math.nan)
        slopes = np.zeros((values.size, columns))
        return cls(slopes, values, why, features, scores, (-math.inf, math.inf), unknown)
