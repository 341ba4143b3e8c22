"""Every mechanism at one target, with the accounting of the relative one's theorem beside the exact one."""

from __future__ import annotations

from collections.abc import Sequence

from relgauss.errors import RelgaussError, UnreachableTargetError
from relgauss.mechanisms import compare
from relgauss.mechanisms.calibrate import Sensitivity, error_at
from relgauss.mechanisms.compare import Row, ranking
from relgauss.report.relative_by_theorem import BY_THEOREM, calibrate_by_theorem, epsilon_by_theorem
from relgauss.report.target import Target
from relgauss.rounding import round_up
from relgauss.sensitivity import RelativeSensitivity


def compare_with_theorem(bounds: Sequence[Sensitivity], target: Target) -> list[Row]:
    """A row for each mechanism and for the relative one by its theorem, the best first."""
    norm = _norm_to_compare_at(bounds, target.norm)
    rows: list[Row] = []
    for bound in bounds:
        comparison = compare(
            bound,
            dim=target.dim,
            epsilon=target.epsilon,
            delta=target.delta,
            steps=target.steps,
            norm=norm,
        )
        rows += comparison.rows
        if isinstance(bound, RelativeSensitivity):
            rows.append(_theorem_row(bound, target, norm))
    if not any(row.mechanism for row in rows):
        raise UnreachableTargetError(
            f"At epsilon {target.epsilon:g} every mechanism's answer would be nothing but noise.",
            "Find a smaller eta, or spend more.",
            min(row.epsilon for row in rows),
        )
    return sorted(rows, key=ranking)


def _norm_to_compare_at(bounds: Sequence[Sensitivity], norm: float | None) -> float | None:
    """Errors that never grow with the answer are the same at every norm: they are read at zero."""
    grows = [isinstance(bound, RelativeSensitivity) and bound.eta > 0 for bound in bounds]
    if norm is not None or all(grows):
        return norm
    if any(grows):
        raise RelgaussError(
            "An absolute and a relative bound have no common unit of error.",
            "Pass --norm, the size of answer to compare them at.",
        )
    return 0.0


def _theorem_row(bound: RelativeSensitivity, target: Target, norm: float | None) -> Row:
    try:
        found = calibrate_by_theorem(bound, target)
    except UnreachableTargetError as unreachable:
        note = "cannot reach the target; its least epsilon is shown"
        return Row(BY_THEOREM, None, unreachable.least_epsilon, None, note)
    exact = found.epsilon(target.delta, target.steps)
    note = f"exact accounting: epsilon {round_up(exact)}"
    return Row(BY_THEOREM, found, epsilon_by_theorem(found, target), error_at(found, norm), note)
