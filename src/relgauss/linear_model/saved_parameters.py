"""The parameters of a fit that a saved model keeps: plain values for JSON, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from relgauss.records.column_kinds import category_text
from relgauss.records.columns import checked_missing

_AS_THEY_ARE = ("fit_intercept", "clip_features", "mechanism")
_NUMBERS = ("epsilon", "delta", "alpha", "clip_radius", "rho")
_BOUNDS = ("feature_bounds", "label_bounds")
KEPT = {*_AS_THEY_ARE, *_NUMBERS, *_BOUNDS, "missing", "categories", "classes"}
"""The names of parameters that a saved model keeps."""


def saved_parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters of a fit, by the names in ``KEPT``, as plain values.

    An end of bounds that is not known is None, as JSON has no infinity.
    """
    kept = {name: given[name] for name in _AS_THEY_ARE if name in given}
    kept |= {name: float(given[name]) for name in _NUMBERS if given.get(name) is not None}
    kept |= {name: _plain(given[name]) for name in _BOUNDS if given.get(name) is not None}
    kept["missing"] = None if given.get("missing") is None else checked_missing(given["missing"])
    if given.get("categories") is not None:
        kept["categories"] = {
            str(name): [*map(category_text, values)] for name, values in given["categories"].items()
        }
    if given.get("classes") is not None:
        kept["classes"] = np.asarray(given["classes"]).tolist()
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
