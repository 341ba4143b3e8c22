"""What the estimators share: parameters, budget, the fit and its statement."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.budget import Budget, Condition
from relgauss.budget.budget import cautions_of_budget
from relgauss.descent.objectives import Objective
from relgauss.errors import SimulatedNoiseWarning
from relgauss.ledger import Ledger
from relgauss.linear_model.callers import warn_of_callers, warn_of_score
from relgauss.linear_model.fit import fit_linear
from relgauss.linear_model.inputs import check_missing_within, labels_of
from relgauss.linear_model.outcome import (
    Degraded,
    DegradedFitWarning,
    Fitted,
)
from relgauss.linear_model.problem import Problem, Solution
from relgauss.linear_model.progress import planned_passes, shown_passes
from relgauss.linear_model.public_knowledge import FeatureBounds, read_public_knowledge
from relgauss.linear_model.saved_parameters import KEPT
from relgauss.linear_model.solvers import Solver
from relgauss.linear_model.summary import (
    Summary,
    summarise,
    warn_of_bounds,
    warn_of_fit,
    within_bounds,
)
from relgauss.noise.simulated import seeded
from relgauss.records.blocks import CountedRows, Rows
from relgauss.records.columns import Missing
from relgauss.records.read import Records
from relgauss.rounding import round_up

INTERVAL_WIDTH = 2.0  # standard errors on either side: 1.96, and a little since these are noisy too
_NAMES_SHOWN = 5
OWN_COLUMNS = Condition(
    "no column was computed or chosen from these records (scaling, imputing, selecting)", "assumed"
)


def generator(random_state: Any) -> np.random.Generator | None:
    """None for secure noise; anything that seeds a generator asks for simulation, and is warned of.

    Some of scikit-learn's ensembles seed whatever has a ``random_state``.
    """
    if random_state is None:
        return None
    rng = seeded(random_state)
    warnings.warn(
        "The noise of this fit is simulated, since random_state is set: repeatable, and not private. For "
        "secure noise leave random_state=None; Bagging and AdaBoost set it by themselves.",
        SimulatedNoiseWarning,
        stacklevel=4,
    )
    return rng


def assumed_of(records: object) -> tuple[Condition, ...]:
    """What is assumed of how records were prepared: by a query, a view or a Dask graph."""
    texts = records.assumed if isinstance(records, Records) else ()
    return tuple(Condition(text, "assumed") for text in texts)


class PrivateLinearModel(BaseEstimator):  # type: ignore[misc]
    """Parameters and the private fit; subclasses say what labels are."""

    epsilon: float
    delta: float
    alpha: float
    fit_intercept: bool
    clip_features: bool
    mechanism: str
    feature_bounds: FeatureBounds | None
    preconditioner: ArrayLike | tuple[ArrayLike, ArrayLike] | None
    categories: Mapping[str, Sequence[str]] | None
    missing: Missing
    verbose: bool
    random_state: Any
    n_jobs: int | None
    ledger: Ledger | str | Path | None

    @contextmanager
    def _anew(self) -> Iterator[None]:
        """Nothing of an earlier fit is left, nor anything of one that fails: a model is whole, or none."""
        self._forget()
        try:
            yield
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    @property
    def intervals_(self) -> FloatArray:
        """The ends of 95 % intervals."""
        check_is_fitted(self)
        far = INTERVAL_WIDTH * self.standard_errors_
        values = self._values().reshape(far.shape)
        return np.stack([values - far, values + far])

    def summary(self) -> Summary:
        """Coefficients, standard errors, intervals and ranges as a table, to print or for a notebook."""
        check_is_fitted(self)
        values = self._values()
        statement = self.privacy_
        title = f"{type(self).__name__}, epsilon {round_up(statement.epsilon())} at delta {statement.delta!r}"
        return summarise(
            self._names(values.shape[1] - 1),
            values,
            self.standard_errors_.reshape(values.shape),
            self.intervals_.reshape(2, *values.shape),
            self.feature_range_,
            self._prediction_note(),
            self.outcome_,
            f"SIMULATED, not private. {title}" if statement.simulated else title,
            [str(each) for each in self.classes_] if len(values) > 1 else [],
            self.cautions_,
            self._first_class(),
        )

    def _first_class(self) -> object:
        """The class that a label counts as which is none of them; None for a regression."""
        return getattr(self, "classes_", np.array([None])).tolist()[0]

    def _values(self) -> FloatArray:
        """Coefficients and, last, the intercept; a row for each score."""
        slopes = np.atleast_2d(self.coef_)
        return np.column_stack([slopes, np.ravel(self.intercept_)])

    def _names(self, columns: int) -> list[str]:
        """What the features are called."""
        return [str(name) for name in getattr(self, "feature_names_in_", [f"x{j}" for j in range(columns)])]

    def _in_words(self, columns: int, target: str | None) -> str:
        """The fit as a reader of a ledger knows it again."""
        names, of = self._names(columns), "" if target is None else f" of {target}"
        more = f" and {columns - _NAMES_SHOWN} more" if columns > _NAMES_SHOWN else ""
        return f"{type(self).__name__}{of} by {', '.join(names[:_NAMES_SHOWN])}{more}"

    def _labels_to_score(self, X: ArrayLike | Records, y: ArrayLike | None) -> ArrayLike | None:
        """What predictions are compared with, after a warning that a score is exact."""
        check_is_fitted(self)
        warn_of_score(stacklevel=4)
        return labels_of(X, y)

    @abstractmethod
    def _prediction_note(self) -> str:
        """What the table says about what predictions are."""

    def _solve(
        self,
        records: Rows,
        objective: Objective,
        solver_type: type[Solver],
        label_bounds: tuple[float, float] | None,
        clip_radius: float | None = None,
        rho: float | None = None,
        rests_on: tuple[Condition, ...] = (),
        zero_or_one: Collection[str] = (),
        *,
        target: str | None = None,
        are_classes_stated: bool = False,
    ) -> Solution:
        """Fit, keep the outcome and the statement, and warn if the model is but a constant.

        ``rests_on`` is what the statement is to name beside what holds for every fit, ``zero_or_one`` the
        names of features that are nothing else, ``target`` that of the label, if it has one. If they
        ``are_classes_stated``, labels may be of none.
        """
        counted = records if isinstance(records, CountedRows) else CountedRows(records)
        known = read_public_knowledge(
            self._names(counted.columns),
            self.feature_bounds,
            label_bounds,
            self.preconditioner,
            clip_radius,
            rho,
            zero_or_one,
        )
        check_missing_within(self, known)
        problem = Problem.of_sum(
            counted,
            objective,
            known,
            self.alpha,
            has_intercept=validate.truth("fit_intercept", self.fit_intercept),
            clips_features=validate.truth("clip_features", self.clip_features),
            classes=tuple(map(repr, getattr(self, "classes_", np.array([])).tolist())),
            are_classes_stated=are_classes_stated,
        )
        budget = Budget(self.epsilon, self.delta)
        given = self.get_params(deep=False)
        self.fitted_parameters_ = {name: deepcopy(given[name]) for name in given if name in KEPT}
        ledger = Ledger.open(self.ledger) if isinstance(self.ledger, str | Path) else self.ledger
        rng = generator(self.random_state)
        warn_of_callers(budget.epsilon)
        self.cautions_ = cautions_of_budget(budget.epsilon, budget.delta, counted.count, "model")
        solver = solver_type(problem, budget)
        shown = shown_passes(counted.passes, planned_passes(solver)) if self.verbose else nullcontext()
        with shown:
            solution, privacy, was_hopeless = fit_linear(
                solver, rng, (*rests_on, OWN_COLUMNS), ledger, self._in_words(counted.columns, target)
            )
        self.n_passes_ = counted.passes.made
        within = known.are_bounded & ~known.zero_or_one
        self.outcome_ = outcome = self._named(solution.outcome, within)
        self.feature_range_ = solution.feature_range
        self.privacy_ = privacy
        if isinstance(outcome, Degraded) and not was_hopeless:
            value = f", {float(solution.intercept[0]):.5g}" if objective.follows_label else ""
            parts = (
                outcome.reason,
                f"The model predicts a constant{value}.",
                outcome.about_constant,
                outcome.fix,
            )
            warnings.warn(" ".join(filter(None, parts)), DegradedFitWarning, stacklevel=3)
        elif isinstance(outcome, Degraded) and not outcome.is_placed:  # of all else it was told beforehand
            warnings.warn(outcome.about_constant, DegradedFitWarning, stacklevel=3)
        names = self._names(counted.columns)
        if isinstance(outcome, Fitted):
            warn_of_fit(outcome, names, within, self._first_class())
        warn_of_bounds(outcome, names)
        return solution

    def _named(self, outcome: Fitted | Degraded, within: NDArray[np.bool_]) -> Fitted | Degraded:
        """With names of ignored features, and classes as they are stated; a constant tells which features
        have no spread ``within`` bounds, which may be wrong.
        """
        names = self._names(self.n_features_in_)
        if isinstance(outcome, Fitted):
            classes = {repr(each): each for each in getattr(self, "classes_", np.array([])).tolist()}
            ignored = tuple(names[j] for j in outcome.ignored)
            unseen = tuple(classes.get(each, each) for each in outcome.unseen_classes)
            return replace(outcome, ignored_names=ignored, unseen_classes=unseen)
        bounded = [names[j] for j in outcome.ignored if within[j]]
        return replace(outcome, fix=f"{within_bounds(bounded)} {outcome.fix}") if bounded else outcome
