"""Forecasts against what releases are really like: interval widths, and whether a fit degrades.

What is stated beforehand is the default of each forecast and, beside it, that pay within a job differs by
about 10 %, as in the example that opens the paper. That second form was settled on after a look at the
salaries of 2014, where 0.2 was too wide; and that made-up features are skewed and errors have long tails,
after a look at protein, bike and elevators. The years 2012 and 2016, ijcnn1 and higgs were not looked at.
"""

from __future__ import annotations

import warnings

import numpy as np
from rich.console import Console
from rich.table import Table

import relgauss as rg
from benchmarks.grouped import PUBLIC_RANGE, SALARIES, Year
from benchmarks.regression.datasets import missing, tasks
from relgauss.grouped import release_means
from relgauss.linear_model import Degraded, PrivateRidge

YEARS, FORMS, EPSILONS = (2012, 2016), ("lognormal:0.5", "lognormal:0.1"), (0.3, 1.0, 3.0)
DELTA, RUNS = 1e-6, 10
SMALL_EPSILONS = (0.02, 0.05)  # at which fits degrade
FACTOR = 1.5

console = Console(width=110)


def run() -> None:
    """Print both tables."""
    _means()
    _fits()


def _means() -> None:
    if not SALARIES.exists():
        console.print("Salaries: not at hand in ../shared/data.")
        return
    table = Table(
        "Year",
        "Epsilon",
        "Form stated",
        "Groups",
        "Within 1.5",
        "Usable: said",
        "were",
        "agree",
        title=f"Means of pay by job: median width over {RUNS} runs against the forecast",
    )  # fmt: skip
    for number in YEARS:
        year = Year(number)
        for epsilon in EPSILONS:
            widths, usable = _released(year, epsilon)
            for form in FORMS:
                forecast = rg.forecast_means(
                    year.sizes.tolist(), epsilon=epsilon, delta=DELTA, value_range=PUBLIC_RANGE, form=form
                )
                counted = usable & np.isfinite(widths)
                ratio = forecast.width[counted] / widths[counted]
                table.add_row(
                    str(number), f"{epsilon:g}", form, str(int(counted.sum())), _share(_is_close(ratio)),
                    str(forecast.usable.sum()), str(usable.sum()), _share(forecast.usable == usable),
                )  # fmt: skip
    console.print(table)


def _released(year: Year, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """The median width of each group relative to its mean, and whether it was mostly usable."""
    widths, usable = [], []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        options = {"by": "job", "value": "pay", "value_range": PUBLIC_RANGE, "rng": rng}
        release = release_means(year.people, epsilon=epsilon, delta=DELTA, **options)
        widths.append((release.upper - release.lower) / year.means)
        usable.append(release.usable)
    return np.median(widths, axis=0), np.mean(usable, axis=0) >= 0.5


def _fits() -> None:
    if missing():
        console.print(f"Not at hand in ../shared/data: {', '.join(missing())}.")
    table = Table(
        "Data", "n", "d", "Epsilon", "Slopes", "Width in 1.5", "Widening in 1.5", "Models: said", "were",
        title=f"Slopes of regressions: median width over {RUNS} runs against the forecast, nothing stated",
    )  # fmt: skip
    for task in tasks():
        rows, columns = task.features.shape
        for epsilon in (*SMALL_EPSILONS, *EPSILONS):
            forecast = rg.forecast_fit(rows, columns, epsilon=epsilon, delta=DELTA)
            widths, widenings, fitted = _fitted(task.features, task.labels, epsilon)
            counted = np.isfinite(widths) & np.isfinite(widenings)
            both = bool(counted.any() and forecast.fitted >= 0.5)
            table.add_row(
                task.name, f"{rows:,}", str(columns), f"{epsilon:g}", str(counted.sum()),
                _share(_is_close(forecast.width / widths[counted])) if both else "-",
                _share(_is_close(forecast.widening / widenings[counted])) if both else "-",
                f"{forecast.fitted:.0%}", f"{fitted:.0%}",
            )  # fmt: skip
    console.print(table)


def _fitted(features: np.ndarray, labels: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Medians over runs: each slope's width in spreads, and as a multiple of that without privacy."""
    widths, widenings, fitted = [], [], []
    for seed in range(RUNS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = PrivateRidge(epsilon, DELTA, random_state=seed).fit(features, labels)
        fitted.append(not isinstance(model.outcome_, Degraded))
        if fitted[-1]:
            low, high = model.intervals_
            width = (high - low)[:-1]
            clipped = np.clip(features, *model.feature_range_), np.clip(labels, *model.label_range_)
            widths.append(width * features.std(axis=0) / labels.std())
            widenings.append(width / (4 * _standard_errors(*clipped)))
    if not widths:
        nothing = np.full(features.shape[1], np.nan)
        return nothing, nothing, 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a slope that no run estimated
        return np.nanmedian(widths, axis=0), np.nanmedian(widenings, axis=0), float(np.mean(fitted))


def _standard_errors(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Those of least squares without privacy; NaN for a slope that other columns leave open."""
    spread = np.where(features.std(axis=0) > 0, features.std(axis=0), 1.0)
    centred, label = (features - features.mean(axis=0)) / spread, labels - labels.mean()
    gram = centred.T @ centred
    inverse = np.linalg.pinv(gram, rcond=1e-10, hermitian=True)
    residual = label - centred @ (inverse @ (centred.T @ label))
    errors = np.sqrt(np.diag(inverse) * (residual @ residual) / (len(label) - len(spread) - 1)) / spread
    return np.where(np.diag(inverse @ gram) > 1 - 1e-6, errors, np.nan)


def _is_close(ratio: np.ndarray) -> np.ndarray:
    return (ratio <= FACTOR) & (ratio >= 1 / FACTOR)


def _share(flags: np.ndarray) -> str:
    return f"{np.mean(flags):.0%}"
