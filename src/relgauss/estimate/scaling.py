"""Units in which columns are about 1 in size, from public or released ranges; and back to the user's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.estimate.column_ranges import ColumnRanges

_LARGEST = 2.0**20  # a scaled value beyond this is clipped: nothing downstream overflows


@dataclass(frozen=True, eq=False)
class FeatureUnits:
    """s = (x - middle) @ matrix, each value of s clipped to [-clip_bound, clip_bound].

    ``matrix`` is a diagonal, given as a vector, or a whole matrix (a preconditioner). Columns that are not
    ``seen`` are zero: they have no visible spread.
    """

    middle: FloatArray
    matrix: FloatArray
    seen: NDArray[np.bool_]
    clip_bound: float = _LARGEST

    @property
    def are_whitened(self) -> bool:
        """Whether a preconditioner has whitened the rows already."""
        return self.matrix.ndim == 2

    def scaled(self, features: FloatArray, room: FloatArray | None = None) -> FloatArray:
        """Some rows, scaled; in this room, if there is one."""
        with np.errstate(over="ignore", invalid="ignore"):
            result = np.subtract(features, self.middle, out=room)
            if self.are_whitened:
                result = np.nan_to_num(result @ self.matrix, copy=False)  # an overflow can leave NaN
            else:
                result *= self.matrix
        np.clip(result, -self.clip_bound, self.clip_bound, out=result)
        if not self.seen.all():
            result[:, ~self.seen] = 0.0
        return result

    @property
    def half_widths(self) -> FloatArray:
        """How far each feature is from its middle: where s is ±1, or one deviation of a preconditioner."""
        if self.are_whitened:
            return np.sqrt(np.diag(np.linalg.inv(self.matrix @ self.matrix.T)))
        return np.where(self.seen, 1 / self.matrix, 0.0)

    def coefficients(self, scaled: FloatArray) -> FloatArray:
        """Coefficients of x that predict what ``scaled`` predicts from s; columns are treated one by one."""
        kept = (scaled.T * self.seen).T
        return self.matrix @ kept if self.are_whitened else (kept.T * self.matrix).T


@dataclass(frozen=True)
class LabelUnits:
    """t = (y - middle)/half, clipped to [-clip_bound, clip_bound].

    half = 0 for labels without a visible spread.
    """

    middle: float
    half: float
    clip_bound: float = _LARGEST

    @property
    def is_constant(self) -> bool:
        """Whether no spread was visible: the middle is all that is known."""
        return self.half == 0

    def scaled(self, labels: FloatArray) -> FloatArray:
        """Labels in these units, clipped."""
        with np.errstate(over="ignore"):
            return np.clip((labels - self.middle) / self.half, -self.clip_bound, self.clip_bound)

    def to_user(self, prediction: float) -> float:
        """A prediction of t, as one of y."""
        return self.middle + self.half * prediction


def feature_units(
    low: FloatArray, high: FloatArray, seen: NDArray[np.bool_], *, centred: bool, clip_bound: float = _LARGEST
) -> FeatureUnits:
    """Units in which [low, high] is [-1, 1]; if not centred, those in which its farther end is ±1."""
    middle = (low + high) / 2 if centred else np.zeros_like(low)
    half = high - middle if centred else np.maximum(np.abs(low), np.abs(high))
    usable = seen & (half > 0)
    return FeatureUnits(middle, 1 / np.where(usable, half, 1.0), usable, clip_bound)


def label_units(low: float, high: float, *, centred: bool, clip_bound: float = _LARGEST) -> LabelUnits:
    """Units in which [low, high] is [-1, 1], as for features."""
    middle = (low + high) / 2 if centred else 0.0
    return LabelUnits(middle, high - middle if centred else max(abs(low), abs(high)), clip_bound)


def found_label_units(ranges: ColumnRanges, *, centred: bool) -> LabelUnits:
    """Units from a released range, the last of these; constant at its middle if no spread was visible."""
    low, high = float(ranges.low[-1]), float(ranges.high[-1])
    if ranges.seen[-1]:
        return label_units(low, high, centred=centred)
    return LabelUnits((low + high) / 2 if ranges.located[-1] else 0.0, 0.0)
