"""What the estimators share: parameters, budget, the fit and its statement."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from relgauss import validate
from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.descent.objectives import Objective
from relgauss.errors import InvalidParameterError
from relgauss.linear_model.budget_shares import Shares
from relgauss.linear_model.fit import fit_linear
from relgauss.linear_model.outcome import Degraded, DegradedFitWarning
from relgauss.linear_model.problem import Problem, Solution
from relgauss.linear_model.public_knowledge import read_known
from relgauss.linear_model.solvers.base import Route
from relgauss.linear_model.solvers.certified import IsometricRoute, RelativeRoute
from relgauss.linear_model.solvers.clipped import ClippedRoute
from relgauss.linear_model.solvers.public_iterate import PublicIterateRoute
from relgauss.records.blocks import Rows
from relgauss.records.passes import CountedRows
from relgauss.records.read import Records

ROUTES: dict[str, type[Route]] = {
    "clipped": ClippedRoute,
    "public-iterate": PublicIterateRoute,
    "isometric": IsometricRoute,
    "relative": RelativeRoute,
}

_PENALTIES = (1e-50, 1e50)


class RepeatedSpendWarning(UserWarning):
    """A search or a cross-validation fits the same records again and again; each fit spends epsilon."""


def generator(random_state: Any) -> np.random.Generator | None:
    """None for secure noise; anything that seeds a generator asks for simulation."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    return np.random.default_rng(random_state)


def warn_if_repeated(epsilon: float) -> None:
    """Look up the stack for a search or a cross-validation."""
    frame = sys._getframe(1)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith("sklearn.model_selection."):
            warnings.warn(
                f"This fit is one of several on the same records: each spends epsilon={epsilon:g} anew, and "
                "a score on held-out records is not private. Choose parameters on public data instead.",
                RepeatedSpendWarning,
                stacklevel=3,
            )
            return
        frame = frame.f_back  # type: ignore[assignment]


def named_rows(model: BaseEstimator, records: Records, y: ArrayLike | None) -> Rows:
    """The rows of records that name their features; the model remembers the names and how they were read."""
    if y is not None:
        raise InvalidParameterError("y", type(y).__name__, "left out", "The records have their target.")
    model.n_features_in_ = records.columns
    model.feature_names_in_ = np.array(records.names, dtype=object)
    model.reading_ = {"missing": records.missing, "categories": records.categories}
    return records.rows()


def assumed_of(records: object) -> tuple[Condition, ...]:
    """What is assumed of how records were prepared: by a query, a view or a Dask graph."""
    return records.assumed if isinstance(records, Records) else ()


def resting_on(conditions: tuple[Condition, ...], charges: tuple[Charge, ...]) -> tuple[Charge, ...]:
    """The charges of one fit, which all rest on these conditions too."""
    first, *others = charges
    return (replace(first, conditions=(*conditions, *first.conditions)), *others)


class PrivateLinearModel(BaseEstimator):  # type: ignore[misc]
    """Parameters and the private fit; subclasses say what labels are."""

    epsilon: float
    delta: float
    alpha: float
    fit_intercept: bool
    mechanism: str
    feature_bounds: tuple[ArrayLike, ArrayLike] | None
    preconditioner: ArrayLike | tuple[ArrayLike, ArrayLike] | None
    random_state: Any

    def _solve(
        self,
        records: Rows,
        objective: Objective,
        route: type[Route],
        label_bounds: tuple[float, float] | None,
        clip_radius: float | None = None,
        rho: float | None = None,
        assumed: tuple[Condition, ...] = (),
    ) -> Solution:
        """Fit, keep the outcome and the statement, and warn if the model is but a constant."""
        budget = Budget(self.epsilon, self.delta)
        count, columns = records.count, records.columns
        known = read_known(columns, self.feature_bounds, label_bounds, self.preconditioner, clip_radius, rho)
        fix = "Pass the penalty as in scikit-learn's Ridge."
        penalty = validate.zero_or_within("alpha", self.alpha, _PENALTIES[0], _PENALTIES[1], fix)
        rng = generator(self.random_state)
        warn_if_repeated(budget.epsilon)
        counted = CountedRows(records)
        problem = Problem(counted, objective, known, penalty / count, bool(self.fit_intercept))
        plan = route(budget, known.clip_radius, known.rho)
        shares = Shares()
        spending = plan.open(problem, shares, rng)
        try:
            solution = fit_linear(problem, plan, shares, spending)
        except Exception as error:  # a disk, a cluster: what was released stays released
            if spending.left < 1:
                error.add_note(f"Releases had been made: epsilon={budget.epsilon:g} counts as spent.")
            raise
        self.n_passes_ = counted.passes.made
        self.outcome_ = solution.outcome
        self.privacy_ = PrivacyStatement(
            resting_on(assumed, spending.close()), budget.delta, simulated=rng is not None
        )
        if isinstance(solution.outcome, Degraded):
            warnings.warn(
                f"{solution.outcome.reason} The model predicts a constant. {solution.outcome.fix}",
                DegradedFitWarning,
                stacklevel=3,
            )
        return solution
