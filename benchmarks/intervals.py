"""How often 95 % intervals of coefficients hold the truth, and how wide they are; nothing is given to a fit.

Of slopes the share that has an interval is shown, and the median width over runs.

Beside them stands the width that the same model has without privacy, of slopes and of the intercept. Run
alone, with a number of runs and a case: ``python -m benchmarks.intervals 100 "two classes"``.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.special import softmax

from relgauss.budget import Budget
from relgauss.linear_model import Fitted, PrivateLogisticRegression, PrivateRidge

RUNS = 500
# Numbers of records, and epsilons at delta 1e-6: mu = 0.5, 1 and 2, then budgets at which intervals may lack.
CELLS = (
    *((2_000, epsilon) for epsilon in (2.254, 4.887, 10.997)),
    *((count, epsilon) for count in (2_000, 4_000, 8_000) for epsilon in (0.3, 0.5, 1.0)),
)
SLOPES = np.array([1.5, -2.0, 0.5])
LOG_ODDS = np.array([0.3, -0.4, 0.1])
OF_CLASSES = np.array([[0.3, 0.0, -0.1], [-0.1, 0.2, 0.0], [-0.2, -0.2, 0.1]])

Rng = np.random.Generator
Labels = Callable[[np.ndarray, Rng], np.ndarray]


@dataclass(frozen=True)
class Case:
    """A way to make labels, the model for them, true coefficients, a row for each score, and intercept."""

    name: str
    labels: Labels
    model: Callable[[float, int], Any]
    truth: np.ndarray
    intercept: float = 0.0


def regression(name: str, errors: Labels) -> Case:
    """y = x · slopes + errors."""
    return Case(
        name,
        lambda features, rng: features @ SLOPES + errors(features, rng),
        lambda epsilon, seed: PrivateRidge(epsilon, random_state=seed),
        SLOPES[None],
    )


def _proportional(features: np.ndarray) -> np.ndarray:
    """Labels whose errors are a part of them, as those of claims and incomes are."""
    return np.asarray(1 + features @ [0.2, 0.1, 0.05])


def _three(features: np.ndarray, rng: Rng) -> np.ndarray:
    chances = softmax(features @ OF_CLASSES.T, axis=1)
    return (chances.cumsum(axis=1) < rng.random(len(features))[:, None]).sum(axis=1)


CASES = (
    regression("normal errors", lambda features, rng: rng.normal(size=len(features))),
    regression(
        "unequal variances",
        lambda features, rng: rng.normal(size=len(features)) * (0.2 + features[:, 0] / 5) / 1.2,
    ),
    regression("skewed errors", lambda features, rng: rng.exponential(size=len(features)) - 1),
    regression(
        "skewed and unequal",
        lambda features, rng: (rng.exponential(size=len(features)) - 1) * (0.2 + features[:, 0] / 5) / 1.2,
    ),
    Case(
        "in proportion",
        lambda features, rng: _proportional(features) * rng.lognormal(-0.32, 0.8, len(features)),
        lambda epsilon, seed: PrivateRidge(epsilon, random_state=seed),
        np.array([[0.2, 0.1, 0.05]]),
        1.0,
    ),
    Case(
        "differing slopes",
        lambda features, rng: (features - 5) @ [0.4, 0.2, 0.1] * rng.lognormal(-0.32, 0.8, len(features)),
        lambda epsilon, seed: PrivateRidge(epsilon, random_state=seed),
        np.array([[0.4, 0.2, 0.1]]),
        -3.5,
    ),
    Case(
        "two classes",
        lambda features, rng: (features @ LOG_ODDS + rng.logistic(size=len(features)) > 0).astype(int),
        lambda epsilon, seed: PrivateLogisticRegression(epsilon, classes=[0, 1], random_state=seed),
        LOG_ODDS[None],
    ),
    Case(
        "three classes",
        _three,
        lambda epsilon, seed: PrivateLogisticRegression(epsilon, classes=[0, 1, 2], random_state=seed),
        OF_CLASSES - OF_CLASSES.mean(axis=0),
    ),
)


def run(runs: int = RUNS, only: str = "") -> None:
    """The cases whose names begin so, at all budgets."""
    table = Table(title=f"95 % intervals of coefficients: nothing given, {runs} runs")
    for header in (
        "labels",
        "records",
        "mu",
        "epsilon",
        "fitted",
        "with intervals",
        "slopes held",
        "intercepts held",
        "width",
        "no privacy",
        "intercept's",
        "no privacy",
    ):
        table.add_column(header, justify="left" if header == "labels" else "right")
    for case in (each for each in CASES if each.name.startswith(only)):
        for count, epsilon in CELLS:
            mu = Budget(epsilon, 1e-6).mu
            shown = case.name, f"{count:,}", f"{mu:.3g}", f"{epsilon:g}"
            table.add_row(*shown, *_row(case, count, epsilon, runs))
    Console(width=150).print(table)


def _row(case: Case, count: int, epsilon: float, runs: int) -> list[str]:
    slopes, intercepts, widths, plain, fitted = [], [], [], [], 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, count])
        features = rng.uniform(0, 10, size=(count, 3))
        labels = case.labels(features, rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = case.model(epsilon, seed).fit(features, labels)
        if not isinstance(model.outcome_, Fitted):
            continue
        fitted += 1
        if model.outcome_.no_intervals:
            continue
        low, high = (end.reshape(len(case.truth), -1) for end in model.intervals_)
        if np.isnan(low[:, :-1]).all():
            continue
        is_held = (low[:, :-1] <= case.truth) & (case.truth <= high[:, :-1])
        slopes.append(np.where(np.isnan(low[:, :-1]), np.nan, is_held))
        intercepts.append((low[:, -1] <= case.intercept) & (high[:, -1] >= case.intercept))
        widths.append([np.nanmean((high - low)[:, :-1]), (high - low)[:, -1].mean()])
        if len(plain) < 20:
            plain.append(_width_without_privacy(case, features, labels))
    known = np.mean(~np.isnan(slopes)) if slopes else 0.0
    shares = [f"{fitted / runs:.1%}", f"{known * len(slopes) / runs:.1%}"]
    if not slopes:
        return shares
    return [
        *shares,
        f"{np.nanmean(slopes):.1%}",
        f"{np.mean(intercepts):.1%}",
        *(
            f"{width:.3f}"
            for pair in zip(np.nanmedian(widths, 0), np.mean(plain, 0), strict=True)
            for width in pair
        ),
    ]


def _width_without_privacy(case: Case, features: np.ndarray, labels: np.ndarray) -> tuple[float, float]:
    """Of the usual intervals, by least squares or the log-likelihood's curvature: the mean width of slopes,
    and the intercept's.
    """
    rows = np.column_stack([features, np.ones(len(features))])
    if labels.dtype.kind == "f":
        residuals = labels - rows @ np.linalg.lstsq(rows, labels, rcond=None)[0]
        covariance = np.linalg.inv(rows.T @ rows) * residuals.var()
        return _of_slopes_and_intercept(np.sqrt(np.diag(covariance))[None])
    truth = np.vstack([np.zeros(3), case.truth]) if len(case.truth) == 1 else case.truth
    chances, classes = softmax(features @ truth.T, axis=1), len(truth)
    blocks = [
        [rows.T @ (rows * (chances[:, [a]] * ((a == b) - chances[:, [b]]))) for b in range(classes)]
        for a in range(classes)
    ]
    covariance = np.linalg.pinv(np.block(blocks), rcond=1e-9)
    deviations = np.sqrt(np.diag(covariance)).reshape(classes, -1)
    if classes == 2:  # scores of sum zero: their difference is the log-odds
        deviations = 2 * deviations
    return _of_slopes_and_intercept(deviations)


def _of_slopes_and_intercept(deviations: np.ndarray) -> tuple[float, float]:
    return float(2 * 1.96 * deviations[:, :-1].mean()), float(2 * 1.96 * deviations[:, -1].mean())


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS, *sys.argv[2:3])
