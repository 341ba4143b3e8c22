"""Why public numbers show a fit to be hopeless, and what would do: told before anything is spent.

Proof: proofs/regression.md.
"""

from __future__ import annotations

from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.public_plan import likely_signal
from relgauss.linear_model.remedies import least_epsilon, remedies_for
from relgauss.linear_model.solvers.base import Solver


def too_few_records(solver: Solver) -> Degraded:
    """Why a fit with less than the least signal can only end with a constant, and what would change that."""
    records = solver.problem.records
    reason = f"{records.count:,} records are too few for {records.columns:,} features at this budget."
    objective = solver.problem.objective
    likely = likely_signal(records.columns, objective.outputs, are_classes=not objective.follows_label)
    remedies = " or ".join(remedies_for(solver, likely))
    fix = f"Use {remedies}: a model is likely then, if features explain half of the"
    return Degraded(reason, " ".join([fix, "label.", *_tried(solver)]))


def _tried(solver: Solver) -> list[str]:
    """The epsilon from which a fit is no longer hopeless: records can seldom be had."""
    epsilon = least_epsilon(solver, solver.least_signal)
    if epsilon is None:
        return []
    return [f"From epsilon {epsilon:g} on a fit is tried, and may do if features explain more."]
