"""The baselines: bounds that neighbours keep, the budget to the last digit, scikit-learn's contract."""

import math
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from relgauss.bounded import BoundedAnswer
from relgauss.errors import RelgaussError
from relgauss.linear_model.baselines import AdaSSP, ClippedGD
from relgauss.linear_model.baselines.adassp import solve_ridge
from relgauss.spending import Noisy, Spending

MODELS = [AdaSSP(), ClippedGD(steps=20)]
CORNERS = np.array([[1.0, 1, 1], [-1, -1, 1]])  # with the column of ones they are orthogonal


class Recorder(Spending):
    """Keeps what would be released, and releases numbers that depend on no record instead."""

    answers: ClassVar[list[tuple[str, BoundedAnswer]]] = []

    def release(self, stage: str, answer: BoundedAnswer, share: float) -> Noisy:
        self.answers.append((stage, answer))
        public = np.random.default_rng(len(self.answers)).normal(size=answer.value.size)
        return Noisy(public, super().release(stage, answer, share).noise_std)


@pytest.fixture
def releases(monkeypatch: pytest.MonkeyPatch):
    """The answers that a fit would release, in order."""
    monkeypatch.setattr("relgauss.linear_model.baselines.bounded.Spending", Recorder)

    def of(model: Any, X: np.ndarray, y: np.ndarray) -> list[tuple[str, BoundedAnswer]]:
        monkeypatch.setattr(Recorder, "answers", [])
        clone(model).set_params(random_state=0).fit(X, y)
        return Recorder.answers

    return of


def moves(releases: Any, model: Any, X: np.ndarray, y: np.ndarray, row: np.ndarray, label: float):
    """Of each stage, how far replacing the first record moves it, as a part of its sensitivity."""
    first = releases(model, X, y)
    other_X, other_y = X.copy(), y.copy()
    other_X[0], other_y[0] = row, label
    second = releases(model, other_X, other_y)
    assert len(first) == len(second)
    return [
        (stage, float(np.linalg.norm(before.value - after.value)) / before.sensitivity.r)
        for (stage, before), (_, after) in zip(first, second, strict=True)
    ]


def test_the_bounds_of_adassp_are_met_by_the_worst_neighbours(releases: Any):
    X, y = np.zeros((5, 3)), np.ones(5)
    X[0] = CORNERS[0]
    model = AdaSSP()
    assert dict(moves(releases, model, X, y, CORNERS[1], 1.0))["second moments"] == pytest.approx(1)
    assert dict(moves(releases, model, X, y, X[0], -1.0))["features × label"] == pytest.approx(1)
    one_column = AdaSSP(fit_intercept=False)
    found = moves(releases, one_column, np.ones((5, 1)), y, np.zeros(1), 1.0)
    assert dict(found)["least eigenvalue"] == pytest.approx(1)


def test_the_bound_of_clipped_descent_is_met_by_the_worst_neighbours(releases: Any):
    X, y = np.tile(CORNERS[0], (5, 1)), np.ones(5)
    found = moves(releases, ClippedGD(steps=1, threshold=0.5), X, y, X[0], -1.0)
    assert found == [("gradients", pytest.approx(1))]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_whole_budget_is_spent_and_no_more(model: Any, epsilon: float):
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-1, 1, (50, 3)), rng.uniform(-1, 1, 50)
    fitted = clone(model).set_params(epsilon=epsilon, random_state=2).fit(X, y)
    assert fitted.privacy_.epsilon() <= epsilon
    assert fitted.privacy_.epsilon() == pytest.approx(epsilon, rel=1e-6)
    assert "left over" not in [charge.stage for charge in fitted.privacy_.charges]


@pytest.mark.parametrize("model", [AdaSSP(epsilon=5), ClippedGD(epsilon=5, threshold=2, steps=400)], ids=str)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_many_records_give_the_coefficients_in_their_own_units(model: Any, fit_intercept: bool):
    rng = np.random.default_rng(3)
    low, high = np.array([100.0, -2e-3]), np.array([300.0, 1e-3])
    X = rng.uniform(low, high, (100_000, 2))
    y = X @ [0.05, 4000.0] + 7 * fit_intercept
    bounds = {"feature_bounds": (low, high), "label_bounds": (y.min(), y.max())}
    fitted = clone(model).set_params(fit_intercept=fit_intercept, random_state=4, **bounds).fit(X, y)
    assert fitted.score(X, y) > 0.98
    assert fitted.intercept_ == 0 if not fit_intercept else fitted.intercept_ != 0


def test_a_column_without_width_is_left_out():
    X = np.column_stack([np.full(100, 5.0), np.linspace(-1, 1, 100)])
    fitted = AdaSSP(feature_bounds=([5, -1], [5, 1]), random_state=0).fit(X, X[:, 1])
    assert fitted.coef_[0] == 0
    assert fitted.outcome_.ignored == (0,)


def test_a_direction_lost_in_noise_is_left_out():
    solution = solve_ridge(np.diag([2.0, -1.0]), 0.5, np.array([5.0, 3.0]))
    assert solution == pytest.approx([2.0, 0.0])


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_noise_is_secure_unless_simulation_is_asked_for(model: Any):
    X = np.random.default_rng(0).uniform(-1, 1, (10_000, 2))  # enough for no direction to be lost in noise
    y = X[:, 0]
    model = clone(model)
    fits = [model.set_params(random_state=None).fit(X, y).coef_ for _ in range(2)]
    assert not np.array_equal(*fits)
    assert not model.privacy_.simulated
    assert model.set_params(random_state=0).fit(X, y).privacy_.simulated


BAD = [
    {"epsilon": 0.0},
    {"epsilon": math.inf},
    {"delta": 0.0},
    {"feature_bounds": None},
    {"feature_bounds": ([0, 0, 0], [1, 1, 1])},
    {"feature_bounds": (1, -1)},
    {"label_bounds": None},
    {"label_bounds": (1, 1)},
]


@pytest.mark.parametrize(
    ("model", "bad"),
    [(model, bad) for model in (AdaSSP, ClippedGD) for bad in BAD]
    + [(AdaSSP, {"row_norm": 0.0}), (AdaSSP, {"row_norm": "long"})]
    + [
        (ClippedGD, bad)
        for bad in (
            {"threshold": -1.0},
            {"step_size": 0.0},
            {"momentum": 1.0},
            {"steps": 0},
            {"steps": 2.5},
            {"averaged_part": 1.5},
            {"averaged_part": math.nan},
        )
    ],
)
def test_a_bad_parameter_is_named_and_nothing_is_released(releases: Any, model: type, bad: dict[str, Any]):
    with pytest.raises(RelgaussError, match=next(iter(bad))):
        releases(model(**bad), np.zeros((4, 2)), np.zeros(4))
    assert Recorder.answers == []


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.full((4, 2), np.nan), np.zeros(4)),
        (np.zeros((4, 2)), np.zeros(3)),
        (np.zeros((4, 2)), np.full(4, np.inf)),
        (np.full((4, 2), "text"), np.zeros(4)),
    ],
    ids=["NaN", "wrong length", "infinite label", "text"],
)
def test_bad_records_are_refused_and_nothing_is_released(releases: Any, model: Any, X: Any, y: Any):
    with pytest.raises(ValueError, match=r"NaN|inconsistent|infinity|text"):
        releases(model, X, y)
    assert Recorder.answers == []


@parametrize_with_checks([AdaSSP(), ClippedGD(steps=5)])
def test_scikit_learn_checks(estimator: Any, check: Any):
    check(estimator)
