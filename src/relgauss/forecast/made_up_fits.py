"""Made-up tables and fits to them: by the code that fits real ones, with simulated noise."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from relgauss.accounting import gdp
from relgauss.arrays import FloatArray
from relgauss.forecast.made_up_tables import MadeUpTable, Shape, make_up_table
from relgauss.linear_model import Degraded, PrivateLogisticRegression, PrivateRidge

_DELTA = 1e-6  # any will do: a fit asks only for the mu that it buys
_NO_NOISE = 30.0  # a mu at which noise is far below the scatter of any sample
_FAR = 4.0  # standard deviations that stated bounds lie from the middle


class Seen(NamedTuple):
    """What a made-up fit showed: why it is a constant, if it is; its error; its slopes' standard errors."""

    why: str | None
    error: float
    totals: FloatArray


@dataclass(frozen=True, eq=False)
class MadeUpFits:
    """Fits at any n mu, to tables of which a fit without noise is known."""

    shape: Shape
    tables: Sequence[MadeUpTable]
    references: Sequence[PrivateRidge | PrivateLogisticRegression]

    @classmethod
    def of(cls, shape: Shape, rows: int, count: int, rng: np.random.Generator) -> MadeUpFits:
        """So many tables of so many rows."""
        tables = [make_up_table(shape, rows, rng) for _ in range(count)]
        return cls(shape, tables, [_fit(shape, table, _NO_NOISE, seed=0) for table in tables])

    @property
    def rows(self) -> int:
        """The number of records of each table."""
        return len(self.tables[0].labels)

    def clipping(self) -> float:
        """What a fit without noise errs beyond the best line; nothing where it is a constant.

        Of classes it would be hidden by the error of the sample, and is not measured.
        """
        if self.shape.classes:
            return 0.0
        found = [
            0.0 if isinstance(model.outcome_, Degraded) else _error(self.shape, model, table) - table.best
            for model, table in zip(self.references, self.tables, strict=True)
        ]
        return max(float(np.median(found)), 0.0)

    def at(self, signal: float, number: int) -> Seen:
        """A fit with noise of its own: so numbered, from 0 on."""
        which = number % len(self.tables)
        table, reference = self.tables[which], self.references[which]
        model = _fit(self.shape, table, signal / self.rows, seed=number)
        error = _error(self.shape, model, table) - _error(self.shape, reference, table)
        if isinstance(model.outcome_, Degraded):
            return Seen(model.outcome_.reason, error, np.full(self.shape.features, math.nan))
        return Seen(None, error, slope_errors(model, table))


def slope_errors(model: PrivateRidge | PrivateLogisticRegression, table: MadeUpTable) -> FloatArray:
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
    """A share of the label's variance; for classes, the chance that another than the predicted one comes."""
    predicted = model.predict(table.features)
    if shape.classes:
        chosen = table.chances[np.arange(len(predicted)), predicted.astype(np.intp)]
        return float(np.mean(1 - chosen))
    return float(np.mean((predicted - table.labels) ** 2) / table.labels.var())
