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
from dataclasses import dataclass

import numpy as np

from relgauss.accounting import gdp
from relgauss.arrays import FloatArray
from relgauss.forecast.curve import Curve
from relgauss.linear_model import Degraded, PrivateLogisticRegression, PrivateRidge

_SEED = 20_240_229  # made-up records are the same every time, so that forecasts can be compared
_REPEATS = 3
_STEP = 2.0  # from one n mu to the next
_MOST_NUMBERS = 1_000_000  # of a made-up table
_LEAST_ROWS, _MOST_ROWS = 2_000, 20_000
_DELTA = 1e-6  # any will do: a fit asks only for the mu that it buys
_SKEW = 0.5  # features are lognormal with this spread: the default form of values in forecasts of means
_NO_NOISE = 30.0  # a mu at which noise is far below the scatter of any sample
_CLEARLY = 1.1  # standard errors above this multiple of the sample's show what privacy adds
_TAIL = 0.2  # of the logarithm of a factor that a whole row has in common
_LEAST_EIGENVALUE = 1e-8  # of a matrix of correlations that was rounded
_FREEDOM = 5  # of Student's t, by which errors are drawn
_FAR = 4.0  # standard deviations that stated bounds lie from the middle


@dataclass(frozen=True, eq=False)
class Shape:
    """What is stated of a table: public numbers, and how well features explain the label.

    Attributes
    ----------
    rows, features
        The numbers of records and of features.
    r2
        The share of the label's variance that features explain.
    correlation
        The correlation of every two features; or a matrix of all, the label as its last row and column.
    feature_bounds, label_bounds
        Whether public bounds will be stated.
    classes
        Whether the label is one of two classes.
    """

    rows: int
    features: int
    r2: float
    correlation: float | FloatArray
    feature_bounds: bool
    label_bounds: bool
    classes: bool


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


@dataclass(frozen=True, eq=False)
class _Table:
    features: FloatArray
    labels: FloatArray
    best: float  # the error of a fit without noise


def simulate_fits(shape: Shape, least: float, largest: float) -> FitCurves:
    """Fit made-up tables at values of n mu from ``least`` to ``largest``."""
    rng = np.random.default_rng(_SEED)
    rows = min(shape.rows, max(_LEAST_ROWS, min(_MOST_ROWS, _MOST_NUMBERS // shape.features)))
    points = math.ceil(math.log(largest / least) / math.log(_STEP)) + 1
    signals = np.geomspace(least, largest, max(points, 2))
    tables = [_made_up(shape, rows, rng) for _ in range(_REPEATS)]
    scatters = np.array([_scatter(shape, table) for table in tables])
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
    scatter = _medians(scatters.T)

    def noise(of_fits: FloatArray, of_sample: float) -> Curve:
        return Curve.falling(signals, _noise(signals, _medians(of_fits), of_sample / math.sqrt(rows)))

    typical = float(np.median(scatter))
    own = zip(np.moveaxis(totals, 2, 0), scatter.tolist(), strict=True) if _tells_slopes_apart(shape) else ()
    return FitCurves(
        Curve.growing(signals, fitted.mean(axis=1)),
        Curve.falling(signals, errors.mean(axis=1)),
        noise(np.apply_along_axis(_median, 2, totals), typical),
        typical,
        tuple((noise(each, of_sample), of_sample) for each, of_sample in own),
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


def _tells_slopes_apart(shape: Shape) -> bool:
    return not isinstance(shape.correlation, float)


def _made_up(shape: Shape, rows: int, rng: np.random.Generator) -> _Table:
    """Features that correlate as stated, a label in which all of them count, errors with long tails."""
    features = _made_up_features(shape, rows, rng)
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    signal = features @ _made_up_slopes(shape, rng)
    signal *= math.sqrt(shape.r2) / signal.std()
    errors = rng.standard_t(_FREEDOM, rows) * math.sqrt((_FREEDOM - 2) / _FREEDOM)
    latent = signal + math.sqrt(1 - shape.r2) * errors
    if shape.classes:
        labels = (latent > 0).astype(np.float64)
        return _Table(features, labels, float(np.mean((signal > 0) != (latent > 0))))
    design = np.column_stack([features, np.ones(rows)])
    solution = np.linalg.lstsq(design, latent, rcond=None)[0]
    best = float(np.mean((latent - design @ solution) ** 2) / latent.var())
    return _Table(features, latent, best)


def _made_up_features(shape: Shape, rows: int, rng: np.random.Generator) -> FloatArray:
    """Skewed features that correlate alike; or ones as a matrix has it, with somewhat long tails."""
    own = rng.standard_normal((rows, shape.features))
    if isinstance(shape.correlation, float):
        common = rng.standard_normal((rows, 1))
        normal = math.sqrt(shape.correlation) * common + math.sqrt(1 - shape.correlation) * own
        return np.asarray(np.exp(_SKEW * normal))
    values, vectors = np.linalg.eigh(shape.correlation[:-1, :-1])
    normal = own @ (vectors * np.sqrt(np.maximum(values, _LEAST_EIGENVALUE))).T
    # One factor for a whole row makes tails longer and leaves correlations as they are.
    return np.asarray(normal * np.exp(_TAIL * rng.standard_normal((rows, 1))))


def _made_up_slopes(shape: Shape, rng: np.random.Generator) -> FloatArray:
    """Slopes up to a common factor: all alike, of either sign; or those of a matrix of correlations."""
    if isinstance(shape.correlation, float):
        return rng.choice([-1.0, 1.0], shape.features)
    return best_slopes(shape.correlation)


def best_slopes(correlations: FloatArray) -> FloatArray:
    """The slopes of least squares in spreads, from correlations whose last row is the label's."""
    inverse = np.linalg.pinv(correlations[:-1, :-1], rcond=_LEAST_EIGENVALUE, hermitian=True)
    return np.asarray(inverse @ correlations[:-1, -1])


def _scatter(shape: Shape, table: _Table) -> FloatArray:
    """sqrt(n) times the standard error of each slope where noise is negligible: what the sample alone gives.

    Where even then there is no model, that of least squares with features that do not correlate.
    """
    model = _fit(shape, table, _NO_NOISE, seed=0)
    if isinstance(model.outcome_, Degraded):
        return np.full(shape.features, 2.0 if shape.classes else math.sqrt(1 - shape.r2))
    return math.sqrt(len(table.labels)) * _slope_errors(model, table)


def _slope_errors(model: PrivateRidge | PrivateLogisticRegression, table: _Table) -> FloatArray:
    """The standard error of each slope, in spreads of the clipped label (or log-odds) by the feature's."""
    spreads = np.clip(table.features, *model.feature_range_).std(axis=0)
    errors = np.ravel(model.standard_errors_)[:-1] * spreads
    if not isinstance(model, PrivateRidge):
        return np.asarray(errors)
    return np.asarray(errors / float(np.clip(table.labels, *model.label_range_).std()))


def _fit(shape: Shape, table: _Table, mu: float, seed: int) -> PrivateRidge | PrivateLogisticRegression:
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


def _error(shape: Shape, model: PrivateRidge | PrivateLogisticRegression, table: _Table) -> float:
    predicted = model.predict(table.features)
    if shape.classes:
        return float(np.mean(predicted != table.labels))
    return float(np.mean((predicted - table.labels) ** 2) / table.labels.var())
