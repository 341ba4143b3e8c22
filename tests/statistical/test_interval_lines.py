"""The line that intervals are for: a close fit says that it is a robust one, and either kind is held."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from relgauss.linear_model import Fitted, PrivateRidge, problem
from relgauss.linear_model.final_check import Checked
from relgauss.linear_model.solvers import clipped
from tests.statistical.interval_lines import claimed_line, least_squares, watched

pytestmark = pytest.mark.statistical

POPULATION = 200_000


class Tails(NamedTuple):
    """Features with long right tails, and errors of this deviation: y = x0 + x1 + 3 x2 + error, or the first
    terms of it.
    """

    sigma: float
    error: float
    count: int
    epsilon: float
    columns: int = 3
    bends: bool = True

    def records(self, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """So many records; without tails where nothing ``bends``."""
        rng = np.random.default_rng([seed, 9])
        shape, used = (count, self.columns), slice(self.columns)
        features = rng.lognormal(0, self.sigma, shape) if self.bends else rng.uniform(0, 3, shape)
        labels = features @ [1.0, 1.0, 3.0][used] + self.error * rng.normal(size=count)
        return features * [1.0, 1e4, 1e-3][used], labels


class Held(NamedTuple):
    slopes: float
    intercepts: float
    squares: float
    robust: float
    beyond: float


def held(tails: Tails, runs: int, **options: Any) -> Held:
    """Which part of the slopes and intercepts of the claimed line is held, and of the slopes of least
    squares; how many fits claim the robust line, and of how many no more lie beyond than they say.
    """
    slopes, intercepts, squares, robust, beyond = [], [], [], [], []
    population = tails.records(POPULATION, 10**6)
    for seed in range(runs):
        with watched() as seen:
            model = PrivateRidge(tails.epsilon, random_state=seed, **options)
            model.fit(*tails.records(tails.count, seed))
        assert isinstance(model.outcome_, Fitted)
        line = claimed_line(*population, model, seen)
        low, high = model.intervals_
        is_held = (low <= line) & (line <= high)
        slopes.append(is_held[:-1])
        intercepts.append(is_held[-1])
        truth = least_squares(*population, model)[0]
        squares.append(((low <= truth) & (truth <= high))[:-1])
        is_robust = model.outcome_.robust_beyond is not None
        robust.append(is_robust)
        assert is_robust == ("robust line" in model.summary().note)
        if is_robust:
            beyond.append(_part_beyond(*population, model, line, seen) <= model.outcome_.part_beyond)
    return Held(*(float(np.mean(each)) for each in (slopes, intercepts, squares, robust, beyond or [1.0])))


def _part_beyond(
    features: np.ndarray, labels: np.ndarray, model: PrivateRidge, line: np.ndarray, seen: dict[str, Any]
) -> float:
    """Of the records, the part that pulls harder than the robust line lets them."""
    clipped_features = np.clip(features, *model.feature_range_)
    residuals = np.clip(labels, *model.label_range_) - clipped_features @ line[:-1] - line[-1]
    white = (seen["units"].scaled(features) - seen["centre"].features) @ seen["whitening"].matrix
    norms = np.sqrt(1 + np.square(white).sum(axis=1))
    usual = np.sqrt(1 + seen["whitening"].signal.sum())
    assert isinstance(model.outcome_, Fitted)
    return float(np.mean(norms / usual * np.abs(residuals) > model.outcome_.robust_beyond))


@pytest.mark.parametrize(
    "tails", [Tails(0.7, 0.1, 20_000, 1.0, 1), Tails(0.5, 0.3, 10_000, 1.0), Tails(0.7, 0.1, 5_000, 5.0)]
)
def test_beyond_the_edge_of_a_long_tail_a_close_fit_holds_the_robust_line_and_says_so(tails: Tails):
    found = held(tails, 20)
    assert found.robust >= 0.9
    assert found.slopes >= 0.9
    assert found.intercepts >= 0.85
    assert found.beyond >= 0.85


def test_where_a_fit_is_loose_least_squares_is_claimed_and_held():
    found = held(Tails(0.7, 15.0, 50_000, 2.0), 15)
    assert found.robust <= 0.5
    assert found.slopes >= 0.9
    assert found.intercepts >= 0.85


def test_where_nothing_bends_both_lines_are_held():
    found = held(Tails(0.0, 0.3, 10_000, 2.0, bends=False), 20)
    assert found.slopes >= 0.9
    assert found.squares >= 0.9


def test_where_features_are_not_clipped_the_robust_line_is_claimed_and_held():
    found = held(Tails(1.0, 1.0, 10_000, 2.0), 15, clip_features=False)
    assert found.robust == 1.0
    assert found.slopes >= 0.9


def test_least_squares_would_not_be_held(monkeypatch: pytest.MonkeyPatch):
    """What was claimed of a close fit before: the statement is needed."""
    monkeypatch.setattr(clipped, "_FAR_REACH", 0.0)
    assert held(Tails(0.7, 0.1, 20_000, 1.0, 1), 12).slopes < 0.7


def test_a_line_that_is_not_put_right_is_found_out(monkeypatch: pytest.MonkeyPatch):
    honest = clipped.ClippedSolver._completed

    def as_clipped(self: Any, whitened: Any, found: Any, *others: Any) -> Any:
        """The solution of clipped gradients, as if it were the robust line."""
        completed = honest(self, whitened, found, *others)
        return replace(found, robust=completed.robust)

    monkeypatch.setattr(clipped.ClippedSolver, "_completed", as_clipped)
    assert held(Tails(0.7, 0.4, 20_000, 1.0), 12).slopes < 0.8


def test_an_intercept_that_the_mean_residual_moved_is_found_out(monkeypatch: pytest.MonkeyPatch):
    honest = problem._standard_errors

    def wrong(task: Any, found: Any, checked: Checked, *others: Any) -> Any:
        return honest(task, found, replace(checked, shift=0.0), *others)

    monkeypatch.setattr(problem, "_standard_errors", wrong)
    assert held(Tails(0.7, 0.03, 20_000, 1.0, 1), 20).intercepts < 0.85
