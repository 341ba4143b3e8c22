"""Every method of the comparison behind one signature."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.regression.protocol import DELTA, Model, Task
from benchmarks.regression.tuned import Tuned
from benchmarks.regression.tuning import Boosting, boosted
from relgauss.errors import SimulatedNoiseWarning
from relgauss.linear_model import Degraded, DegradedFitWarning, PrivateRidge
from relgauss.linear_model.baselines import AdaSSP, ClippedGD

Fit = Callable[[Task, float, int], tuple[Model, str]]
OURS, NOTHING = "PrivateRidge", "PrivateRidge, nothing given"
CLIPPED = "least squares, clipped like PrivateRidge: not private"
TUNED = "tuned on the private data"
_NO_BOUNDS = {"feature_bounds": None, "label_bounds": None}
_AUTHORS_CHOICE = Boosting(rounds=100, residual_bound=1.0, row_part=1.0)


@dataclass(frozen=True)
class Method:
    """``fit`` returns a model and how it ended; ``bounded`` says whether it is given bounds."""

    name: str
    fit: Fit
    bounded: bool = True


def methods(tuned: Tuned) -> list[Method]:
    """All that run in this environment."""
    return [
        Method(OURS, _ridge()),
        Method(f"{OURS}, public-iterate", _ridge(mechanism="public-iterate")),
        Method(f"{OURS}, isometric", _ridge(mechanism="isometric")),
        Method(f"{OURS}, relative", _ridge(mechanism="relative")),
        Method(NOTHING, _ridge(**_NO_BOUNDS), bounded=False),
        Method(f"{NOTHING}, clips nothing", _ridge(**_NO_BOUNDS, clip_features=False), bounded=False),
        Method(CLIPPED, _least_squares_as_clipped, bounded=False),
        Method("AdaSSP", _adassp),
        Method("Boosted AdaSSP", lambda task, epsilon, seed: _boosted(task, epsilon, seed, _AUTHORS_CHOICE)),
        Method(
            f"Boosted AdaSSP, {TUNED}",
            lambda task, epsilon, seed: _boosted(task, epsilon, seed, tuned.boosting(task, epsilon)),
        ),
        Method("ClippedGD", _clipped),
        Method(
            f"ClippedGD, {TUNED}",
            lambda task, epsilon, seed: _clipped(task, epsilon, seed, **asdict(tuned.descent(task, epsilon))),
        ),
    ]


def _ridge(**given: Any) -> Fit:
    options = {"feature_bounds": (-1.0, 1.0), "label_bounds": (-1.0, 1.0), **given}

    def fit(task: Task, epsilon: float, seed: int) -> tuple[Model, str]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DegradedFitWarning)  # the outcome says it
            warnings.simplefilter("ignore", SimulatedNoiseWarning)  # on purpose
            fitted = PrivateRidge(epsilon, DELTA, random_state=seed, **options).fit(
                task.features, task.labels
            )
        outcome = fitted.outcome_
        model = Model(fitted.coef_, fitted.intercept_, fitted.feature_range_, fitted.prediction_range_)
        return model, outcome.reason if isinstance(outcome, Degraded) else ""

    return fit


def _least_squares_as_clipped(task: Task, epsilon: float, seed: int) -> tuple[Model, str]:
    """Not private: least squares on features that are clipped as the private fit with nothing given does."""
    private, degraded = _ridge(**_NO_BOUNDS)(task, epsilon, seed)
    assert private.feature_range is not None
    clipped = task.features.clip(*private.feature_range)
    middle, spread = clipped.mean(axis=0), clipped.std(axis=0)
    used = spread > 0
    scaled = (clipped[:, used] - middle[used]) / spread[used]
    coefficients = np.zeros(len(spread))
    mean = task.labels.mean()
    coefficients[used] = np.linalg.lstsq(scaled, task.labels - mean, rcond=None)[0] / spread[used]
    return Model(coefficients, float(mean - middle @ coefficients), private.feature_range), degraded


def _adassp(task: Task, epsilon: float, seed: int) -> tuple[Model, str]:
    fitted = AdaSSP(epsilon, DELTA, row_norm=task.row_norm, random_state=seed).fit(task.features, task.labels)
    return Model(fitted.coef_, fitted.intercept_), ""


def _boosted(task: Task, epsilon: float, seed: int, setting: Boosting) -> tuple[Model, str]:
    return boosted(task, epsilon, setting, seed), ""


def _clipped(task: Task, epsilon: float, seed: int, **setting: Any) -> tuple[Model, str]:
    fitted = ClippedGD(epsilon, DELTA, random_state=seed, **setting).fit(task.features, task.labels)
    return Model(fitted.coef_, fitted.intercept_), ""
