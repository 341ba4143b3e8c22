"""Made-up regressions of a stated R², fitted by the code that fits real ones, with simulated noise.

A fit sees records through averages over all of them, with noise in proportion to 1/(n mu); all of its rules
are rules in n mu. So k copies of a table at mu/k are fitted like the table itself at mu: tables of all sizes
are stood for by those of one size, at the same n mu. What is left of n is the scatter of the sample, which is
added by its own formula.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.forecast.curve import Curve
from relgauss.forecast.made_up_fits import MadeUpFits, Seen, slope_errors
from relgauss.forecast.made_up_tables import Shape, inverse_of
from relgauss.linear_model import Degraded

_SEED = 20_240_229  # made-up records are the same every time, so that forecasts can be compared
_FITS, _FITS_IN_DOUBT = 3, 12  # at each n mu; and where some fits end with a model, and some do not
_LEAST_ROWS = 2_000
_HOPELESS, _TRIED = 0.99, 1.001  # times the least n mu: with the first a constant is sure, and its error
_OCTAVES = 12  # above the least n mu: beyond these noise falls as 1/(n mu), and nothing else changes
_NEAR = 1.2  # times the last n mu without intervals, the first with them
_FAR_BEYOND = 1e6  # times the last n mu, where lines end
_NO_ERROR = 1e-5  # made-up records do not show less
_CLEARLY = 1.1  # standard errors above this multiple of the sample's show what privacy adds


class _Size(NamedTuple):
    """The largest made-up table, how many there are, and the step from one n mu to the next."""

    most_rows: int
    most_numbers: int
    tables: int
    step: float


_SLOPES_ALIKE = _Size(4_000, 500_000, 6, 2.0)
_SLOPES_APART = _Size(50_000, 1_000_000, 3, 4.0)  # a smaller table has more noise where columns are dependent


@dataclass(frozen=True, eq=False)
class FitCurves:
    """Over n mu: the share of fits that ended with a model, the error that noise adds, the noise of slopes.

    They depend neither on the number of records nor on the budget, so what is read off for twice the data is
    what is read off where twice the data is asked about.

    ``error`` is a share of the label's variance or, for classes, of the records that are classified wrongly,
    beyond that of the same fit without noise; constants count by their share. ``clipping`` is what that fit
    errs beyond the best line, of labels that are numbers. ``noise`` is the standard error that privacy alone
    gives a slope, in spreads of the label (or log-odds) by spread of the feature; ``scatter`` times 1/sqrt(n)
    is that of the sample. ``by_slope`` has both for each slope, where a matrix of correlations tells slopes
    apart. ``seconds`` is what a fit took for each row; ``reasons`` say why fits ended with a constant, if any
    did.
    """

    fitted: Curve
    error: Curve
    clipping: float
    noise: Curve
    scatter: float
    by_slope: tuple[tuple[Curve, float], ...]
    seconds: float
    reasons: tuple[str | None, ...]


def simulate_fits(shape: Shape, least: float) -> FitCurves:
    """Fit made-up tables at values of n mu from ``least`` on, more often where the outcome is in doubt."""
    size = _SLOPES_APART if shape.tells_slopes_apart else _SLOPES_ALIKE
    rows = max(_LEAST_ROWS, min(size.most_rows, size.most_numbers // shape.features))
    fits = MadeUpFits.of(shape, rows, size.tables, np.random.default_rng(_SEED))
    steps = np.arange(0, _OCTAVES + 1e-9, math.log2(size.step))
    points = [_HOPELESS * least, *(_TRIED * least * 2.0**steps).tolist()]
    began, numbers, seen = time.perf_counter(), itertools.count(), dict[float, list[Seen]]()

    def fit(signal: float, times: int) -> None:
        some = seen.setdefault(signal, [])
        some.extend(fits.at(signal, next(numbers)) for _ in range(times - len(some)))

    for signal in points:
        fit(signal, _FITS)
    for signal in _in_doubt(seen):
        fit(signal, _FITS_IN_DOUBT)
    while (between := _before_intervals(seen)) is not None:
        fit(between, _FITS)
    seconds = (time.perf_counter() - began) / (next(numbers) * rows)
    return _curves(fits, dict(sorted(seen.items())), seconds)


def _in_doubt(seen: Mapping[float, Sequence[Seen]]) -> list[float]:
    """Where not all fits end alike, or next to that, and the middles between; but not the hopeless one."""
    signals = np.array(sorted(seen)[1:])
    shares = np.array([np.mean([each.why is None for each in seen[signal]]) for signal in signals])
    first = int(np.argmax(shares > 0)) if (shares > 0).any() else len(shares)
    last = len(shares) - 1 - int(np.argmax(shares[::-1] < 1)) if (shares < 1).any() else -1
    chosen = signals[max(min(first, last + 1) - 1, 0) : max(first, last + 1) + 1]
    return [] if first == len(shares) else [*chosen.tolist(), *np.sqrt(chosen[:-1] * chosen[1:]).tolist()]


def _before_intervals(seen: Mapping[float, Sequence[Seen]]) -> float | None:
    """The middle before the first n mu at which slopes have intervals; None where that is known well."""
    signals = sorted(seen)
    has_any = [any(np.isfinite(each.totals).any() for each in seen[signal]) for signal in signals]
    first = has_any.index(True) if True in has_any else 0
    if first == 0 or signals[first] <= _NEAR * signals[first - 1]:
        return None
    return math.sqrt(signals[first - 1] * signals[first])


def _curves(fits: MadeUpFits, seen: Mapping[float, Sequence[Seen]], seconds: float) -> FitCurves:
    """What was seen at each n mu, from small to large, as curves; all end at a point far beyond the last."""
    signals = np.array([*seen, max(seen) * _FAR_BEYOND])
    each = list(seen.values())
    made = np.array([0, *(len(some) for some in each[1:]), 0], dtype=np.float64)  # hopeless ones are apart
    fitted = np.array([*(sum(one.why is None for one in some) for some in each), 0], dtype=np.float64)
    totals = np.array([_medians(np.array([one.totals for one in some]).T) for some in each])
    scatter = _scatters(fits)
    typical = float(np.median(scatter))

    def noise(of_fits: FloatArray, of_sample: float) -> FloatArray:
        found = _noise(signals[:-1], of_fits, of_sample / math.sqrt(fits.rows))
        return np.append(found, found[-1] / _FAR_BEYOND)

    share = Curve.logistic(signals, made, fitted)
    apart = fits.shape.tells_slopes_apart
    own = zip(totals.T, scatter.tolist(), strict=True) if apart else ()
    return FitCurves(
        share,
        Curve(signals, _errors(signals, share.values, each)),
        fits.clipping(),
        Curve.falling(signals, noise(_medians(totals), typical)),
        typical,
        tuple((Curve.as_found(signals, noise(one, of_sample)), of_sample) for one, of_sample in own),
        seconds,
        tuple(map(_usual_reason, [each[1], *each[1:], []])),  # why a hopeless one is a constant is known
    )


def _errors(signals: FloatArray, shares: FloatArray, seen: Sequence[Sequence[Seen]]) -> FloatArray:
    """The error to expect: that of models and that of constants, each falling, by how often they come."""

    def of(is_constant: bool) -> FloatArray:
        found = [_mean([one.error for one in some if (one.why is not None) == is_constant]) for some in seen]
        known = np.isfinite(found)
        if not known.any():
            return np.zeros(len(signals))  # there is none to count
        values = np.maximum(np.array(found)[known], _NO_ERROR)
        falling = Curve.falling(signals[:-1][known], values)
        last = falling.values[-1] * (1 if is_constant else 1 / _FAR_BEYOND)
        return np.append(falling.at(np.maximum(signals[:-1], falling.signals[0])), last)

    expected = (1 - shares) * of(True) + shares * of(False)
    return np.asarray(np.minimum.accumulate(expected), dtype=np.float64)


def _usual_reason(seen: Sequence[Seen]) -> str | None:
    reasons = [one.why for one in seen if one.why is not None]
    return max(reasons, key=reasons.count) if reasons else None


def _mean(numbers: Sequence[float]) -> float:
    return float(np.mean(numbers)) if numbers else math.nan


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


def _scatters(fits: MadeUpFits) -> FloatArray:
    """sqrt(n) times the standard error of each slope where noise is negligible: what the sample alone gives.

    By correlations, that of least squares in the directions that features span; else that of a fit with
    next to no noise, or of features that do not correlate if even then there is no model.
    """
    shape = fits.shape
    plain = shape.classes / math.sqrt(shape.classes - 1) if shape.classes else math.sqrt(1 - shape.r2)
    if not isinstance(shape.correlation, float):
        return plain * np.sqrt(np.diag(inverse_of(shape.correlation[:-1, :-1])))
    found = [
        np.full(shape.features, plain)
        if isinstance(model.outcome_, Degraded)
        else math.sqrt(len(table.labels)) * slope_errors(model, table)
        for model, table in zip(fits.references, fits.tables, strict=True)
    ]
    return _medians(np.array(found).T)
