"""What a fit is asked, what it works on once the data is whitened, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.arrays import FloatArray
from relgauss.descent.objectives import Objective
from relgauss.estimate.column_ranges import Columns
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.linear_model.public_knowledge import Known
from relgauss.records.blocks import Rows


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise the mean loss + ½ penalty ||coefficients||², in the user's units."""

    records: Rows
    objective: Objective
    known: Known
    penalty: float
    has_intercept: bool

    @property
    def count(self) -> int:
        """The number of records, public."""
        return self.records.count

    @property
    def columns(self) -> int:
        """The number of features, public."""
        return self.records.columns

    @property
    def dim(self) -> int:
        """The number of coordinates to solve for."""
        return self.columns + self.has_intercept

    @property
    def features_known(self) -> bool:
        """Whether the features' scale is public."""
        return self.known.features is not None or self.known.preconditioner is not None

    @property
    def searched(self) -> Columns:
        """The columns whose range must be found."""
        return Columns(0 if self.features_known else self.columns, self.known.label is None)


@dataclass(frozen=True, eq=False)
class Whitened:
    """The problem in whitened coordinates, a last coordinate for the intercept.

    ``rows`` is private; ``label_scale`` (how large pulls are), ``shares`` (how well each direction is known,
    see ``Whitening``), ``regulariser`` (the matrix P of ½ θᵀPθ), ``start`` and ``curvature`` are public or
    released.
    """

    rows: Rows
    objective: Objective
    label_scale: float
    shares: FloatArray
    regulariser: FloatArray
    start: FloatArray
    curvature: float
    has_intercept: bool


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients in the user's units, and how they came about."""

    coefficients: FloatArray
    intercept: float
    outcome: Fitted | Degraded
