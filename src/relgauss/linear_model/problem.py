"""What a fit is asked, what it works on once the data is whitened, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Objective
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


@dataclass(frozen=True, eq=False)
class WhitenedProblem:
    """The problem in whitened coordinates, a last coordinate for the intercept.

    ``rows`` is private. Public or released are ``label_scale`` (how large pulls are), ``mean_label`` (which
    the objective's curvature depends on), ``signal`` (how well each direction is known, see ``Whitening``),
    ``regulariser`` (the matrix P of ½ θᵀPθ) and ``start``.
    """

    rows: Rows
    objective: Objective
    label_scale: float
    mean_label: float
    signal: FloatArray
    regulariser: FloatArray
    start: FloatArray
    has_intercept: bool


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients in the user's units, and how they came about."""

    coefficients: FloatArray
    intercept: float
    outcome: Fitted | Degraded
