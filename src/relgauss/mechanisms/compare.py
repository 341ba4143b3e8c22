"""The table behind the choice of a mechanism."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from relgauss import validate
from relgauss.errors import MostlyNoiseWarning, UnreachableTargetError
from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.calibrate import Sensitivity, attempt, candidates, error_at
from relgauss.mechanisms.isometric import IsometricGaussian
from relgauss.mechanisms.relative import RelativeGaussian


@dataclass(frozen=True)
class Row:
    """One mechanism at the target: its error, or why it cannot get there."""

    name: str
    mechanism: Mechanism | None
    epsilon: float
    error: float | None
    note: str


@dataclass(frozen=True)
class Comparison:
    """All mechanisms that the bound allows, the best first; those that cannot be released come last.

    ``error`` is the root-mean-square error at ``norm``, or relative to the norm as it grows if that is None.
    """

    rows: tuple[Row, ...]
    norm: float | None

    @property
    def best(self) -> Row:
        """The row of least error."""
        return self.rows[0]


def ranking(row: Row) -> tuple[bool, float]:
    """The order of rows: least error first, but what cannot be released last."""
    return row.mechanism is None or not row.mechanism.releasable, row.error or 0.0


def _needed(mechanism: Mechanism) -> str:
    """What stands between a mechanism and secure noise, in a few words."""
    if isinstance(mechanism, RelativeGaussian) and mechanism.sigma == 0:
        return "r > 0"
    return "a larger eta" if isinstance(mechanism, IsometricGaussian) else "other units"


def compare(
    sensitivity: Sensitivity,
    *,
    dim: int,
    epsilon: float,
    delta: float,
    steps: int = 1,
    norm: float | None = None,
) -> Comparison:
    """Calibrate every mechanism that the bound allows to the same target and compare their errors."""
    epsilon = validate.positive("epsilon", epsilon, "Pass a positive epsilon such as 1.0.")
    delta = validate.probability("delta", delta)
    steps = validate.count("steps", steps)
    dim = validate.count("dim", dim)
    rows = []
    for name in candidates(sensitivity):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MostlyNoiseWarning)
            found = attempt(name, sensitivity, dim, epsilon, delta, steps)
        if isinstance(found, UnreachableTargetError):
            rows.append(
                Row(
                    name,
                    None,
                    found.least_epsilon,
                    None,
                    "cannot reach the target; its least epsilon is shown",
                )
            )
        else:
            notes = ["mostly noise"] if caught else []
            if not found.releasable:
                notes.append(f"simulation only: secure noise needs {_needed(found)}")
            rows.append(
                Row(name, found, found.epsilon(delta, steps), error_at(found, norm), "; ".join(notes))
            )
    rows.sort(key=ranking)
    return Comparison(tuple(rows), norm)
