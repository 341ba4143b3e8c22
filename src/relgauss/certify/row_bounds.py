"""What clipping enforced on every record of a regression: the numbers that certificates start from."""

from __future__ import annotations

import math
from dataclasses import dataclass

from relgauss import validate
from relgauss.budget import Condition
from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.rounding import round_up

_ROUNDOFF = 2.0**-53
_RANGE = (1e-70, 1e70)  # of radii and labels whose products stay representable


@dataclass(frozen=True)
class RowBounds:
    """Whitened, weighted records (z, y) in R^dim × R with ||z|| <= radius, |y| <= label_bound:

        A = (1/n) Σ z zᵀ,   b = (1/n) Σ z y,   n = count

    Replacing one record moves A by at most radius²/n in spectral norm, and so its eigenvalues.
    Proof: proofs/certificates.md.

    Parameters
    ----------
    count : int
        The number of records, public.
    dim : int
        The number of coordinates of a row.
    radius : float
        The norm that rows were clipped to.
    label_bound : float
        The size that labels were clipped to.
    """

    count: int
    dim: int
    radius: float
    label_bound: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", validate.count("count", self.count))
        object.__setattr__(self, "dim", validate.count("dim", self.dim))
        for name in ("radius", "label_bound"):
            fix = f"Pass the {name.replace('_', ' ')} that clipping enforced."
            value = validate.positive(name, getattr(self, name), fix)
            if not _RANGE[0] <= value <= _RANGE[1]:
                requirement = f"between {_RANGE[0]:g} and {_RANGE[1]:g}"
                raise InvalidParameterError(name, value, requirement, "Express the records in other units.")
            object.__setattr__(self, name, value)

    @property
    def float_error(self) -> float:
        """How far floating point can take A, b or a gradient, as a multiple of radius²/n or its like.

        Sums in any order and an eigenvalue solver: n (n + 8 d² + 16) roundings.
        """
        n = self.count
        return n * (n + 8.0 * self.dim**2 + 16) * _ROUNDOFF * (1 + 1e-12)

    @property
    def eigenvalue_sensitivity(self) -> float:
        """How far one record moves a computed eigenvalue of A: radius²/n and twice the float error."""
        return self.radius**2 / self.count * (1 + 2 * self.float_error) * (1 + 1e-15)

    def checked_eigenvalue(self, value: float) -> float:
        """``value``, the least eigenvalue of A, inside [0, radius²/dim], where it must be; never shown.

        One further outside than floating point takes it is refused: it is not of records that were clipped to
        this radius, whose eigenvalues pass whatever they hold.
        """
        try:
            number = validate.number("least_eigenvalue", value)
        except InvalidParameterError:  # its message would show the value
            number = math.nan
        most = self.radius**2 / self.dim
        slack = 1e-6 * most + self.radius**2 / self.count * self.float_error
        if not -slack <= number <= most + slack:  # NaN fails this too
            raise InvalidValueError(
                "The least eigenvalue is not one that records of this radius can have.",
                "Pass the least eigenvalue of the clipped records' second moments.",
            )
        return min(max(number, 0.0), most)

    @property
    def condition(self) -> Condition:
        """What a statement says that certificates from these bounds rest on: rows were clipped."""
        radius, label = round_up(self.radius, 6), round_up(self.label_bound, 6)
        text = f"each record's whitened row has norm at most {radius} and its label is at most {label}"
        return Condition(text, "enforced")
