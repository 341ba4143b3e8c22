"""Made-up regressions of a stated R², fitted by the code that fits real ones, with simulated noise.

A fit sees records through averages over all of them, with noise in proportion to 1/(n mu); all of its rules
are rules in n mu. So k copies of a table at mu/k are fitted like the table itself at mu: a large table is
stood for by a smaller one at the same n mu. What is left of n is the scatter of the sample, which is added
by its own formula.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relgauss.accounting import gdp
from relgauss.arrays import FloatArray
from relgauss.forecast.curve import Curve
from relgauss.forecast.made_up_tables import MadeUpTable, Shape, inverse_of, make_up_table
from relgauss.linear_model import Degraded, PrivateLogisticRegression, PrivateRidge

_SEED = 20_240_229  # made-up records are the same every time, so that forecasts can be compared
_REPEATS = 3
_LEAST_ROWS = 2_000
_DELTA = 1e-6  # any will do: a fit asks only for the mu that it buys
_NO_NOISE = 30.0  # a mu at which noise is far below the scatter of any sample
_CLEARLY = 1.1  # standard errors above this multiple of the sample's show what privacy adds
_FAR = 4.0  # standard deviations that stated bounds lie from the middle


class _Size(NamedTuple):
    """The largest made-up table, and the step from one n mu to the next."""

    most_rows: int
    most_numbers: int
    step: float


_SLOPES_ALIKE = _Size(20_000, 1_000_000, 2.0)
_SLOPES_APART = _Size(100_000, 2_000_000, 4.0)  # a smaller table has more noise where columns are dependent


@dataclass(frozen=True, eq=False)
class FitCurves:
    """Over n mu: the share of fits that ended with a model, the error that privacy adds, the noise of slopes.

    ``error`` is a share of the label's variance or, for classes, of the records that are classified wrongly
    beside those that must be. ``noise`` is the standard error that privacy alone gives a slope, in spreads of
    the label (or log-odds) by spread of the feature; ``scatter`` times 1/sqrt(n) is that of the sample.
    ``by_slope`` has both for each slope, where a matrix of correlations tells slopes apart. ``seconds`` is
    what a fit took for each row; ``reasons`` say why fits ended with a constant, if any did.
    """

    fitted: Curve
    error: Curve
    noise: Curve
    scatter: float
    by_slope: tuple[tuple[Curve, float], ...]
    seconds: float
    reasons: tuple[str | None, ...]


def simulate_fits(shape: Shape, least: float, asked: float, largest: float) -> FitCurves:
    """Fit made-up tables at values of n mu from ``least`` to ``largest``, the one that is asked about too."""
    rng = np.random.default_rng(_SEED)
    size = _SLOPES_APART if shape.tells_slopes_apart else _SLOPES_ALIKE
    rows = min(shape.rows, max(_LEAST_ROWS, min(size.most_rows, size.most_numbers // shape.features)))
    points = math.ceil(math.log(largest / least) / math.log(size.step)) + 1
    signals = np.unique([*np.geomspace(least, largest, max(points, 2)), max(asked, least)])
    tables = [make_up_table(shape, rows, rng) for _ in range(_REPEATS)]
    scatter = _scatters(shape, tables)
    fitted, errors = (np.full((len(signals), _REPEATS), math.nan) for _ in range(2))
    totals = np.full((len(signals), _REPEATS, shape.features), math.nan)
    reasons: list[str | None] = []
    began = time.perf_counter()
    for place, signal in enumerate(signals):
        why = None
        for repeat, table in enumerate(tables):
            model = _fit(shape, table, signal / rows, seed=place * _REPEATS + repeat)
            fitted[place, repeat] = not isinstance(model.outcome_, Degraded)
            errors[place, repeat] = max(_error(shape, model, table) - table.best, 0.0)
            if isinstance(model.outcome_, Degraded):
                why = model.outcome_.reason
                continue
            totals[place, repeat] = _slope_errors(model, table)
        reasons.append(why)
    seconds = (time.perf_counter() - began) / (len(signals) * _REPEATS * rows)

    def noise(of_fits: FloatArray, of_sample: float) -> FloatArray:
        return _noise(signals, _medians(of_fits), of_sample / math.sqrt(rows))

    typical = float(np.median(scatter))
    own = zip(np.moveaxis(totals, 2, 0), scatter.tolist(), strict=True) if shape.tells_slopes_apart else ()
    return FitCurves(
        Curve.growing(signals, fitted.mean(axis=1)),
        Curve.falling(signals, errors.mean(axis=1)),
        Curve.falling(signals, noise(np.apply_along_axis(_median, 2, totals), typical)),
        typical,
        tuple((Curve.as_found(signals, noise(each, of_sample)), of_sample) for each, of_sample in own),
        seconds,
        tuple(reasons),
    )


def _noise(signals: FloatArray, totals: FloatArray, sample: float) -> FloatArray:
    """The standard errors that privacy alone gives, from total ones and that of the sample.

    Where it does not stand out of the sample's, it goes on falling as 1/(n mu) from where it last did.
    """
    noise = np.full(len(signals), math.nan)
    last: float | None = None
    for place, (signal, total) in enumerate(zip(signals.tolist(), totals.tolist(), strict=True)):
        if math.isfinite(total):
            if total > _CLEARLY * sample:
                last = math.sqrt(total**2 - sample**2) * signal
            elif last is None:
                last = total * signal
            noise[place] = last / signal
    return noise


def _medians(rows: FloatArray) -> FloatArray:
    """Of the numbers in each row; NaN in a row without any."""
    return np.array([_median(row) for row in rows])


def _median(numbers: FloatArray) -> float:
    known = numbers[np.isfinite(numbers)]
    return float(np.median(known)) if known.size else math.nan


def _scatters(shape: Shape, tables: Sequence[MadeUpTable]) -> FloatArray:
    """sqrt(n) times the standard error of each slope where noise is negligible: what the sample alone gives.

    By correlations, that of least squares in the directions that features span; else that of a fit with
    next to no noise, or of features that do not correlate if even then there is no model.
    """
    plain = shape.classes / math.sqrt(shape.classes - 1) if shape.classes else math.sqrt(1 - shape.r2)
    if not isinstance(shape.correlation, float):
        return plain * np.sqrt(np.diag(inverse_of(shape.correlation[:-1, :-1])))
    models = [_fit(shape, table, _NO_NOISE, seed=0) for table in tables]
    found = [
        np.full(shape.features, plain)
        if isinstance(model.outcome_, Degraded)
        else math.sqrt(len(table.labels)) * _slope_errors(model, table)
        for model, table in zip(models, tables, strict=True)
    ]
    return _medians(np.array(found).T)


def _slope_errors(model: PrivateRidge | PrivateLogisticRegression, table: MadeUpTable) -> FloatArray:
    """The standard error of each slope, in spreads of the clipped label (or log-odds) by the feature's.

    Of more than two classes every feature has a slope for each: theirs is the median.
    """
    spreads = np.clip(table.features, *model.feature_range_).std(axis=0)
    errors = np.median(np.atleast_2d(model.standard_errors_)[:, :-1], axis=0) * spreads
    if not isinstance(model, PrivateRidge):
        return np.asarray(errors)
    return np.asarray(errors / float(np.clip(table.labels, *model.label_range_).std()))


def _fit(shape: Shape, table: MadeUpTable, mu: float, seed: int) -> PrivateRidge | PrivateLogisticRegression:
    epsilon = gdp.epsilon(mu, _DELTA)
    bounds = (-_FAR, _FAR)
    features, label = bounds if shape.feature_bounds else None, bounds if shape.label_bounds else None
    model: PrivateRidge | PrivateLogisticRegression
    if shape.classes:
        model = PrivateLogisticRegression(epsilon, _DELTA, feature_bounds=features, random_state=seed)
    else:
        model = PrivateRidge(epsilon, _DELTA, feature_bounds=features, label_bounds=label, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table.features, table.labels)
    return model


def _error(shape: Shape, model: PrivateRidge | PrivateLogisticRegression, table: MadeUpTable) -> float:
    predicted = model.predict(table.features)
    if shape.classes:
        return float(np.mean(predicted != table.labels))
    return float(np.mean((predicted - table.labels) ** 2) / table.labels.var())
