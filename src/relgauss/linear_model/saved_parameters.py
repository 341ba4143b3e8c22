"""The parameters of a fit that a saved model keeps: plain values for JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from relgauss.records.columns import checked_missing

_AS_THEY_ARE = ("fit_intercept", "clip_features", "mechanism")
_NUMBERS = ("epsilon", "delta", "alpha", "clip_radius", "rho")
_BOUNDS = ("feature_bounds", "label_bounds")


def saved_parameters(model: BaseEstimator) -> dict[str, Any]:
    """The parameters of the fit as plain values: later changes are not those of the fit.

    An end of bounds that is not known is None, as JSON has no infinity.
    """
    kept = {name: getattr(model, name) for name in _AS_THEY_ARE if hasattr(model, name)}
    for name in _NUMBERS:
        if getattr(model, name, None) is not None:
            kept[name] = float(getattr(model, name))
    for name in _BOUNDS:
        if getattr(model, name, None) is not None:
            kept[name] = _plain(getattr(model, name))
    kept["missing"] = None if model.missing is None else checked_missing(model.missing)
    if model.categories is not None:
        kept["categories"] = {
            str(name): [str(value) for value in values] for name, values in model.categories.items()
        }
    if getattr(model, "classes", None) is not None:
        kept["classes"] = np.asarray(model.classes).tolist()
    return kept


def with_bounds(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as an estimator takes them: bounds are pairs, whose unknown ends are NaN."""
    return {name: _read(value) if name in _BOUNDS else value for name, value in parameters.items()}


def _plain(bounds: Any) -> Any:
    if isinstance(bounds, Mapping):
        return {str(name): _plain(pair) for name, pair in bounds.items()}
    ends = (np.asarray(end, dtype=np.float64) for end in bounds)
    return [[*map(_finite, end.tolist())] if end.ndim else _finite(float(end)) for end in ends]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _read(bounds: Any) -> Any:
    if isinstance(bounds, Mapping):
        return {name: _read(pair) for name, pair in bounds.items()}
    low, high = (np.asarray(end, dtype=np.float64) for end in bounds)
    return (low, high) if low.ndim or high.ndim else (float(low), float(high))
