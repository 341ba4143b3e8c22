"""All mechanisms that a bound allows, at one privacy target: the table behind the choice of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from relgauss import validate
from relgauss.accounting.compose import Composition, Part
from relgauss.accounting.meaning import true_positive_rate
from relgauss.accounting.sampling import Sampling
from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms import registry
from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.calibrate import attempt, checked_norm, checked_target, error_at
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.rounding import round_up

FALSE_ALARMS = 0.01
_HEADERS = ("mechanism", "epsilon", "error", "found", "note")


@dataclass(frozen=True)
class Row:
    """One mechanism at the target: its error, or why it cannot get there.

    Parameters
    ----------
    name
        What the mechanism is called.
    mechanism
        The calibrated mechanism; None if it cannot reach the target.
    epsilon
        What it spends, or the least that it can reach.
    error
        Its root-mean-square error; None if it cannot reach the target.
    note
        What to know before a release.
    found
        How often the best test with 1 % false alarms finds a record in all releases, at most; None if the
        target is out of reach. Mechanisms that cost the same at one delta may differ here.
    """

    name: str
    mechanism: Mechanism | None
    epsilon: float
    error: float | None
    note: str
    found: float | None = None


@dataclass(frozen=True)
class Comparison:
    """All mechanisms that the bound allows, the best first; those that cannot be released come last.

    Printed, it is a table.

    Parameters
    ----------
    rows
        A row for each mechanism, with its root-mean-square error.
    norm
        The norm of the answer that errors are for; None if they are relative to the norm, as it grows.
    """

    rows: tuple[Row, ...]
    norm: float | None

    @property
    def best(self) -> Row:
        """The row of the mechanism with the least error."""
        return self.rows[0]

    def __str__(self) -> str:
        where = "" if self.norm is None else f", at norm {self.norm:g}"
        rows = [_HEADERS, *(self._cells(row) for row in self.rows)]
        widths = [max(len(row[place]) for row in rows) for place in range(len(_HEADERS))]
        shown = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)
        found = "found: records that the best test finds at 1 % false alarms, at most"
        return "\n".join([f"error: root mean square{where}; {found}", *shown])

    def _cells(self, row: Row) -> tuple[str, ...]:
        """A row as it is shown; an error that is relative to a large answer in per cent of it."""
        error = "-" if row.error is None else f"{row.error:.4g}"
        if row.error is not None and row.mechanism is not None and self.norm is None:
            is_relative = bool(row.mechanism.limiting_relative_error)
            error = f"{100 * row.error:.4g} % of a large answer" if is_relative else error
        found = "-" if row.found is None else f"{round_up(100 * row.found, 3)} %"
        return row.name, round_up(row.epsilon), error, found, row.note


def compare(
    sensitivity: Sensitivity,
    *,
    dim: int,
    epsilon: float,
    delta: float,
    steps: int = 1,
    norm: float | None = None,
    beside: Sequence[Part] = (),
    sampling: Sampling | None = None,
) -> Comparison:
    """Calibrate every mechanism that the bound allows to the same target and compare their errors.

    Parameters
    ----------
    sensitivity
        How far one record can move the answer.
    dim
        The number of coordinates of the answer.
    epsilon, delta
        What all releases together may cost.
    steps
        The number of releases.
    norm
        The norm of the answer that errors are read at; it must be public. None is the limit of large answers.
    beside
        What else the same (epsilon, delta) pays for: guarantees, mechanisms, charges or statements, and pairs
        (part, times).
    sampling
        How the records of each release are drawn: ``Batches(rate)`` or ``PoissonSamples(rate)``; None if all
        of them count. The sensitivity must then hold on every draw: ``on_batches=True``.
    """
    target, norm = checked_target(sensitivity, epsilon, delta, steps, beside, sampling), checked_norm(norm)
    dim = validate.count("dim", dim)
    rows = []
    for kind in registry.candidates(sensitivity):
        found = attempt(kind, sensitivity, dim, target, norm)
        if isinstance(found, UnreachableTargetError):
            rows.append(out_of_reach(kind.name, found))
        else:
            spent = target.spent_by(found)
            seen = found_by_test(target.composed(found))
            rows.append(Row(kind.name, found, spent, error_at(found, norm), note(found), seen))
    return Comparison(tuple(sorted(rows, key=ranking)), norm)


def found_by_test(releases: Composition) -> float:
    """How often the best test with 1 % false alarms finds a record in all releases together, at most."""
    return true_positive_rate(releases, FALSE_ALARMS)


def out_of_reach(name: str, unreachable: UnreachableTargetError) -> Row:
    """The row of what cannot meet the target."""
    words = "cannot reach the target; its least epsilon is shown"
    return Row(name, None, unreachable.least_epsilon, None, words)


def note(mechanism: Mechanism) -> str:
    """What a user should know before a release, in a few words."""
    notes = [] if mechanism.caution is None else ["mostly noise"]
    if not mechanism.releasable:
        notes.append(f"simulation only: secure noise needs {mechanism.needed_for_secure_noise}")
    return "; ".join(notes)


def ranking(row: Row) -> tuple[bool, float]:
    """The order of rows: least error first, but what cannot be released last."""
    return row.mechanism is None or not row.mechanism.releasable, row.error or 0.0
