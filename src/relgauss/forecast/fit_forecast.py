"""What a forecast says of a private regression: how likely a model is, its error and its intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.forecast.curve import advised_epsilon
from relgauss.forecast.forecast import Forecast
from relgauss.forecast.made_up_records import FitCurves
from relgauss.forecast.made_up_tables import Shape
from relgauss.forecast.words import share_text
from relgauss.linear_model.estimator import INTERVAL_WIDTH

LIKELY = 0.5
"""A fit is called degraded if it ends with a constant more often than not."""

_MORE = "Use more records, fewer features or a larger epsilon."


@dataclass(frozen=True, eq=False, kw_only=True)
class FitForecast(Forecast):
    """What to expect of a fit, and what would change it.

    Attributes
    ----------
    shape
        What was stated of the table.
    curves
        What made-up fits showed, over n mu.
    least
        The n mu below which the fit itself refuses, by public numbers.
    """

    shape: Shape
    curves: FitCurves
    least: float

    @property
    def signal(self) -> float:
        """n mu: how far an average over all records stands out of its noise."""
        return self.shape.rows * self.budget.mu

    @property
    def is_hopeless(self) -> bool:
        """Whether public numbers alone rule a model out."""
        return self.signal < self.least

    @property
    def fitted(self) -> float:
        """The share of fits that end with a model."""
        return 0.0 if self.is_hopeless else float(self.curves.fitted.share_at(self.signal))

    @property
    def error(self) -> float:
        """What noise adds to the error: a share of the label's variance (R² lost), or of the records.

        Fits that end with a constant are counted; what clipping adds is apart, in ``clipping``.
        """
        known = self.curves.error
        return float(known.values[0] if self.is_hopeless else known.at(self.signal))

    @property
    def clipping(self) -> float:
        """What clipping far values adds to the error at any epsilon: made-up features have long tails.

        0 for classes, of which it is not measured.
        """
        return self.curves.clipping

    @property
    def width(self) -> float:
        """The width of a slope's 95 % interval, in label spreads (or log-odds) by spread of the feature.

        Infinite where no model is likely.
        """
        if self.fitted < LIKELY:
            return math.inf
        scatter = self.curves.scatter / math.sqrt(self.shape.rows)
        return 2 * INTERVAL_WIDTH * math.hypot(float(self.curves.noise.at(self.signal)), scatter)

    @property
    def widths(self) -> FloatArray:
        """The same for each slope: they differ where a matrix of correlations was stated."""
        if not self.curves.by_slope or self.fitted < LIKELY:
            return np.full(self.shape.features, self.width)
        root = math.sqrt(self.shape.rows)
        each = [math.hypot(float(noise.at(self.signal)), own / root) for noise, own in self.curves.by_slope]
        return 2 * INTERVAL_WIDTH * np.array(each)

    @property
    def widening(self) -> float:
        """How many times as wide a slope's interval is as without privacy.

        It depends little on how features correlate, which the width itself does; infinite where no model is
        likely.
        """
        scatter = self.curves.scatter / math.sqrt(self.shape.rows)
        return self.width / (2 * INTERVAL_WIDTH * scatter)

    @property
    def smallest_usable(self) -> int | None:
        """The number of records from which a model is likely at this budget; None if none was seen."""
        signal = max(self.curves.fitted.least_signal_of_share(LIKELY), self.least)
        return None if math.isinf(signal) else math.ceil(signal / self.budget.mu * (1 - 1e-9))

    @property
    def degraded(self) -> str | None:
        """Why the fit will end with a constant, and what would help; None if a model is likely."""
        if self.fitted >= LIKELY:
            return None
        remedies, last = [], self._tried
        if self.smallest_usable is not None:
            remedies.append(f"at least {self.smallest_usable:,} records")
            epsilon = advised_epsilon(
                self.smallest_usable * self.budget.mu / self.shape.rows, self.budget.delta
            )
            if epsilon is not None:
                remedies.append(f"epsilon {epsilon:g}")
                last = ""
        if self.is_hopeless:
            reason = (
                f"{self.shape.rows:,} records are too few for {self.shape.features:,} features "
                "at this budget."
            )
        else:
            nearest = int(np.argmin(np.abs(np.log(self.curves.fitted.signals / self.signal))))
            reason = self.curves.reasons[nearest] or "Most fits at this budget would see no model."
        fix = f"Use {', or '.join(remedies)}." if remedies else _MORE
        return f"{reason} {fix}{last}"

    @property
    def _tried(self) -> str:
        """The epsilon from which a fit is not hopeless; nothing where it is not, or where none is advised."""
        epsilon = advised_epsilon(self.least / self.shape.rows, self.budget.delta)
        if not self.is_hopeless or epsilon is None:
            return ""
        return f" From epsilon {epsilon:g} on a fit is tried, and may do if features explain more."

    def with_data(self, factor: float) -> FitForecast:
        """The same fit to so many times as many records.

        Parameters
        ----------
        factor
            2 for twice as many.
        """
        return replace(self, shape=replace(self.shape, rows=max(round(self.shape.rows * factor), 1)))

    def epsilon_for(self, target_error: float) -> float | None:
        """The epsilon at which noise adds no more than the target to the error, and a model is likely.

        None if that is above 10, which is not advised, or if no made-up fit came so close.

        Parameters
        ----------
        target_error
            As ``error``: 0.05 for 5 % of the label's variance.
        """
        target = validate.positive("target_error", target_error, "Pass for example 0.05 for 5 %.")
        likely = max(self.curves.fitted.least_signal_of_share(LIKELY), self.least)
        signal = max(self.curves.error.least_signal(target), likely)
        if math.isinf(signal):
            return None
        return advised_epsilon(signal / self.shape.rows, self.budget.delta)

    @property
    def seconds(self) -> float:
        """About how long the fit will take here, beside reading the table."""
        return self.curves.seconds * self.shape.rows

    @property
    def megabytes(self) -> float:
        """The memory that all records would take; a table for which there is no room is read in passes."""
        return self.shape.rows * (self.shape.features + 2) * 8 / 1e6

    def view(self) -> tuple[str, Mapping[str, Sequence[Any]]]:
        """What a notebook shows: this fit, and what more data or a larger epsilon would bring."""
        others = {
            "now": self,
            "twice the data": self.with_data(2),
            "twice the epsilon": self.at(2 * self.budget.epsilon),
        }
        shape = self.shape
        return f"{shape.rows:,} records, {shape.features:,} features, R² {shape.r2:g}{shape.classes_text}", {
            "": list(others),
            "a model": [share_text(each.fitted) for each in others.values()],
            "error added by noise": [share_text(each.error) for each in others.values()],
            "interval of a slope": [share_text(each.width) for each in others.values()],
        }

    def summary(self) -> dict[str, Any]:
        """What to expect, as plain values; None where there would be no model."""
        return {
            "fitted": self.fitted,
            "error": self.error if math.isfinite(self.error) else None,
            "clipping": self.clipping,
            "width": self.width if math.isfinite(self.width) else None,
            "widening": self.widening if math.isfinite(self.widening) else None,
            "smallest_usable_number_of_records": self.smallest_usable,
            "degraded": self.degraded,
        }

    def to_dict(self) -> dict[str, Any]:
        """The forecast as plain values."""
        return {
            "records": self.shape.rows,
            "features": self.shape.features,
            "r2": self.shape.r2,
            "errors": self.shape.errors,
            "epsilon": self.budget.epsilon,
            "delta": self.budget.delta,
            **self.summary(),
            "widths": [each if math.isfinite(each) else None for each in self.widths.tolist()],
            "with_twice_the_data": self.with_data(2).summary(),
            "with_twice_the_epsilon": self.at(2 * self.budget.epsilon).summary(),
            "seconds": self.seconds,
            "megabytes": self.megabytes,
        }
