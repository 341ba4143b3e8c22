"""Every mechanism at one target, with weaker accountings of the same noise beside the exact one."""

from __future__ import annotations

from collections.abc import Sequence

from relgauss.errors import RelgaussError, UnreachableTargetError
from relgauss.mechanisms import Mechanism, compare, registry
from relgauss.mechanisms.calibrate import error_at
from relgauss.mechanisms.compare import Row, found_by_test, out_of_reach, ranking
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.report.other_accounting import calibrate_by, full_name
from relgauss.report.question import Question
from relgauss.rounding import round_up


def compare_accountings(bounds: Sequence[Sensitivity], question: Question) -> list[Row]:
    """A row for each mechanism and for each of its other accountings, the best first."""
    norm = _norm_to_compare_at(bounds, question.norm)
    rows: list[Row] = []
    for bound in bounds:
        comparison = compare(
            bound,
            dim=question.dim,
            epsilon=question.epsilon,
            delta=question.delta,
            steps=question.steps,
            norm=norm,
        )
        rows += comparison.rows
        rows += [
            _row(kind, accounting, bound, question, norm)
            for kind in registry.candidates(bound)
            for accounting in kind.other_accountings
        ]
    if not any(row.mechanism for row in rows):
        raise UnreachableTargetError(
            f"At epsilon {question.epsilon:g} every mechanism's answer would be nothing but noise.",
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


def _row(
    kind: type[Mechanism], accounting: str, bound: Sensitivity, question: Question, norm: float | None
) -> Row:
    name = full_name(kind, accounting)
    try:
        found = calibrate_by(kind, accounting, bound, question)
    except UnreachableTargetError as unreachable:
        return out_of_reach(name, unreachable)
    exact = found.epsilon(question.delta, question.steps)
    shown = found.epsilon_by(accounting, question.delta, question.steps)
    note = f"exact accounting: epsilon {round_up(exact)}"
    return Row(name, found, shown, error_at(found, norm), note, found_by_test(found.composed(question.steps)))
