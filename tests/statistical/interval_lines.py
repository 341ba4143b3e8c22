"""What intervals of a fit are for: least squares of clipped labels on clipped features or, where the fit says
so, the robust line on which no record pulls harder than the last rung of that fit reaches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

from relgauss.linear_model import Fitted, PrivateRidge, fit
from relgauss.linear_model.problem import in_user_units

_STEPS, _FULL_STEPS = 200, 30  # of Newton's method: half as long after so many, as it may go to and fro
_CLOSE = 1e-10


@contextmanager
def watched() -> Iterator[dict[str, Any]]:
    """What fits inside release of their coordinates: the last one's solution, units, centre and whitening."""
    seen: dict[str, Any] = {}

    def watch(problem: Any, found: Any, checked: Any, units: Any, label: Any, centre: Any, white: Any) -> Any:
        seen.update(found=found, units=units, label=label, centre=centre, whitening=white)
        return in_user_units(problem, found, checked, units, label, centre, white)

    with mock.patch.object(fit, "in_user_units", watch):
        yield seen


def claimed_line(
    features: np.ndarray, labels: np.ndarray, model: PrivateRidge, seen: dict[str, Any]
) -> np.ndarray:
    """Slopes, and the intercept last, of the line of these records that the model's intervals are for."""
    assert isinstance(model.outcome_, Fitted)
    if model.outcome_.robust_beyond is None:
        return least_squares(features, labels, model)[0]
    return robust_line(features, labels, seen)


def robust_line(features: np.ndarray, labels: np.ndarray, seen: dict[str, Any]) -> np.ndarray:
    """Slopes, and the intercept last, of the robust line of these records, where a fit has one."""
    units, centre, whitening = seen["units"], seen["centre"], seen["whitening"]
    assert units.seen.all()
    slopes = units.coefficients(whitening.matrix)
    rows = np.column_stack(
        [(units.scaled(features) - centre.features) @ whitening.matrix, np.ones(len(labels))]
    )
    most = seen["found"].robust.residual * math.sqrt(float(whitening.signal.sum()) + 1)
    line = _solved(rows, seen["label"].scaled(labels) - centre.label, most)
    intercept = line[-1] - (centre.features @ whitening.matrix + units.middle @ slopes) @ line[:-1]
    half = seen["label"].half
    return np.append(half * slopes @ line[:-1], half * intercept + seen["label"].to_user(centre.label))


def _solved(rows: np.ndarray, labels: np.ndarray, most: float) -> np.ndarray:
    """Where the mean of gradients, each clipped to a norm, is zero."""
    line: np.ndarray = np.linalg.lstsq(rows, labels, rcond=None)[0]
    norms = np.linalg.norm(rows, axis=1)
    for step in range(_STEPS):
        residuals = labels - rows @ line
        weights = np.minimum(1.0, most / np.maximum(norms * np.abs(residuals), 1e-300))
        within = rows[weights >= 1]
        moved = np.linalg.lstsq(within.T @ within, rows.T @ (weights * residuals), rcond=None)[0]
        line += moved if step < _FULL_STEPS else moved / 2
        if np.abs(moved).max() <= _CLOSE * (1 + np.abs(line).max()):
            break
    return line


def least_squares(
    features: np.ndarray, labels: np.ndarray, model: PrivateRidge
) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients of clipped labels on clipped features, and their standard errors by the sandwich."""
    clipped = np.clip(features, *model.feature_range_)
    middle, scale = clipped.mean(axis=0), clipped.std(axis=0)
    scale[scale == 0] = 1.0
    rows = np.column_stack([(clipped - middle) / scale, np.ones(len(labels))])
    clipped_labels = np.clip(labels, *model.label_range_)
    inverse = np.linalg.pinv(rows.T @ rows)
    theta = inverse @ (rows.T @ clipped_labels)
    scores = rows * (clipped_labels - rows @ theta)[:, None]
    back = np.diag(np.append(1 / scale, 1.0))
    back[-1, :-1] = -middle / scale
    return back @ theta, np.sqrt(np.diag(back @ inverse @ scores.T @ scores @ inverse @ back.T))
