"""Forecasts against what releases are really like: interval widths, and whether a fit degrades.

Beside the default of each forecast stands one that knows what a person might know beforehand. It comes from
rows that are not released here. For means: how far spreads differ from job to job, and what jobs typically
pay, from the year before (5th to 95th percentile of the standard deviation of log pay, and of the mean, over
jobs of 30 people or more). For fits: the correlations of all columns, clipped to their central 99 %, and
whether errors are skewed, from the other half of the rows.

A forecast is close if it is within a factor of 1.5 of the median width. Where it says that an interval will
be the whole public range, it is close if the median is at least two thirds of that range, since a share of an
unknown mean would measure how well that mean was guessed; the last column counts such groups by the share of
the mean like all others.

How many groups are made up, and which percentiles are stated, was settled on with a look at 2014, and the
tails of made-up features with one at protein and elevators. 2016 had been looked at before, with other forms.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

import relgauss as rg
from benchmarks.grouped import PUBLIC_RANGE, SALARIES, Year
from benchmarks.regression.datasets import missing, tasks
from relgauss.forecast import FitForecast, MeansForecast
from relgauss.forecast.made_up_release import MOST_OF_THE_RANGE as MOST
from relgauss.grouped import release_means
from relgauss.linear_model import Degraded, PrivateRidge

YEARS, EPSILONS = (2013, 2016), (0.3, 1.0, 3.0)  # 2012 has no year before it
DELTA, RUNS = 1e-6, 50
SMALL_EPSILONS = (0.02, 0.05)  # at which fits degrade
FACTOR = 1.5
ENOUGH = 30  # people in a job whose spread is looked at

console = Console(width=110)


def run() -> None:
    """Print both tables."""
    means()
    fits()


def means(years: Sequence[int] = YEARS, epsilons: Sequence[float] = EPSILONS) -> None:
    """Means of pay by job."""
    if not SALARIES.exists():
        console.print("Salaries: not at hand in ../shared/data.")
        return
    table = Table(
        "Year", "Epsilon", "Stated", "Usable", "close", "With an interval", "close", "whole range", "usable",
        "by shares alone",
        title=f"Means of pay by job: median width over {RUNS} runs, within 1.5 of the forecast; "
        "whole range and usable: said, were, both",
    )  # fmt: skip
    for number in years:
        year = Year(number)
        for epsilon in epsilons:
            runs, usable = _released(year, epsilon)
            for words, stated in {"nothing": {}, "as the year before": _known_of(Year(number - 1))}.items():
                forecast = rg.forecast_means(
                    year.sizes.tolist(), epsilon=epsilon, delta=DELTA, value_range=PUBLIC_RANGE, **stated
                )
                table.add_row(
                    str(number), f"{epsilon:g}", words, *_compared(forecast, year, runs, usable)
                )  # fmt: skip
    console.print(table)


def _compared(forecast: MeansForecast, year: Year, runs: np.ndarray, usable: np.ndarray) -> tuple[str, ...]:
    """How many groups are close, and how often usable groups and intervals of no use are said to be so."""
    widths = np.median(runs, axis=0)
    found = np.isfinite(widths)
    by_share = _is_close(forecast.width / np.where(found, widths, 1.0))
    whole = found & (widths * year.means >= MOST * PUBLIC_RANGE[1])
    close = np.where(forecast.is_whole_range, whole, by_share)
    return (
        str(usable.sum()), _share(close[usable]), str(found.sum()), _share(close[found]),
        _both(forecast.is_whole_range, whole), _both(forecast.usable, usable), _share(by_share[found]),
    )  # fmt: skip


def _both(said: np.ndarray, were: np.ndarray) -> str:
    return f"{said.sum()}, {were.sum()}, {(said & were).sum()}"


def _known_of(before: Year) -> dict[str, object]:
    """How far spreads of log pay, and typical pay, differ between the large jobs of a year."""
    large = [pay for pay in before.pay if len(pay) >= ENOUGH]
    least, most = np.quantile([np.log(pay).std() for pay in large], [0.05, 0.95])
    low, high = (float(f"{each:.2g}") for each in np.quantile([pay.mean() for pay in large], [0.05, 0.95]))
    return {"form": f"lognormal:{least:.2g}-{most:.2g}", "typical": (low, high)}


def _released(year: Year, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """The widths of each run relative to the means (infinite: none), and which groups are mostly usable."""
    widths, usable = [], []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        options = {"by": "job", "value": "pay", "value_range": PUBLIC_RANGE, "rng": rng}
        release = release_means(year.people, epsilon=epsilon, delta=DELTA, **options)
        widths.append((release.upper - release.lower) / year.means)
        usable.append(release.usable)
    return np.nan_to_num(widths, nan=np.inf), np.mean(usable, axis=0) >= 0.5


def fits(names: Sequence[str] = (), epsilons: Sequence[float] = (*SMALL_EPSILONS, *EPSILONS)) -> None:
    """Slopes of regressions: those of all data sets, or of these."""
    if missing():
        console.print(f"Not at hand in ../shared/data: {', '.join(missing())}.")
    table = Table(
        "Data", "n", "d", "Epsilon", "Slopes", "Nothing stated", "Correlations and errors stated",
        "Models: said", "were",
        title=f"Slopes of regressions: median width over {RUNS} runs, within 1.5 of the forecast",
    )  # fmt: skip
    for task in tasks():
        if names and task.name not in names:
            continue
        known = {
            "correlation": _correlations(task.features[1::2], task.labels[1::2]),
            "errors": _errors(task.features[1::2], task.labels[1::2]),
        }
        features, labels = task.features[::2], task.labels[::2]
        rows, columns = features.shape
        for epsilon in epsilons:
            plain, stated = (
                rg.forecast_fit(rows, columns, epsilon=epsilon, delta=DELTA, **facts) for facts in ({}, known)
            )
            widths, fitted = _fitted(features, labels, epsilon)
            counted = np.isfinite(widths)
            table.add_row(
                task.name, f"{rows:,}", str(columns), f"{epsilon:g}", str(counted.sum()),
                *(_close_slopes(each, widths, counted) for each in (plain, stated)),
                f"{stated.fitted:.0%}", f"{fitted:.0%}",
            )  # fmt: skip
    console.print(table)


def _correlations(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Those of all columns without their outermost values; of a column that is constant then, none."""
    columns = np.column_stack([features, labels])
    columns = np.clip(columns, *np.quantile(columns, [0.005, 0.995], axis=0))
    moves = columns.std(axis=0) > 0
    found = np.eye(columns.shape[1])
    found[np.ix_(moves, moves)] = np.corrcoef(columns[:, moves].T)
    return found


def _errors(features: np.ndarray, labels: np.ndarray) -> str:
    """Whether those of least squares have a long tail on one side: a skewness above 1, or below -1.

    Labels of two values have no tail.
    """
    if len(np.unique(labels)) == 2:
        return "even"
    design = np.column_stack([features, np.ones(len(labels))])
    errors = labels - design @ np.linalg.lstsq(design, labels, rcond=None)[0]
    errors = np.clip(errors, *np.quantile(errors, [0.005, 0.995]))
    return "skewed" if abs(np.mean((errors - errors.mean()) ** 3)) > errors.std() ** 3 else "even"


def _close_slopes(forecast: FitForecast, widths: np.ndarray, counted: np.ndarray) -> str:
    if not counted.any() or forecast.degraded is not None:
        return "-"
    return _share(_is_close(forecast.widths[counted] / widths[counted]))


def _fitted(features: np.ndarray, labels: np.ndarray, epsilon: float) -> tuple[np.ndarray, float]:
    """The median width of each slope, in spreads of the clipped columns, and how often there was a model."""
    widths, fitted = [], []
    for seed in range(RUNS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = PrivateRidge(epsilon, DELTA, random_state=seed).fit(features, labels)
        fitted.append(not isinstance(model.outcome_, Degraded))
        if fitted[-1]:
            low, high = model.intervals_
            spreads = np.clip(features, *model.feature_range_).std(axis=0)
            unit = np.clip(labels, *model.label_range_).std() / np.where(spreads > 0, spreads, np.nan)
            widths.append((high - low)[:-1] / unit)
    if not widths:
        return np.full(features.shape[1], np.nan), 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a slope that no run estimated
        return np.nanmedian(widths, axis=0), float(np.mean(fitted))


def _is_close(ratio: np.ndarray) -> np.ndarray:
    return (ratio <= FACTOR) & (ratio >= 1 / FACTOR)


def _share(flags: np.ndarray) -> str:
    return f"{np.mean(flags):.0%}"
