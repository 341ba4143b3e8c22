"""Saved models of earlier versions, brought into the form of today.

The first named Python classes; the second knew no ranges, so its models clip nothing; the third knew one
score, and no intervals of classifiers.
"""

from __future__ import annotations

from typing import Any

from relgauss.budget.guarantee_text import FIRST_NAMES
from relgauss.errors import InvalidValueError

_MODELS = {"PrivateRidge": "ridge", "PrivateLogisticRegression": "logistic"}
_OUTCOMES = {"Fitted": "fitted", "Degraded": "degraded"}
_GUARANTEES = {name: kind for kind, name in FIRST_NAMES.items()}


def bring_up_to_date(saved: dict[str, Any]) -> dict[str, Any]:
    """What a file of an earlier version holds, as one of today would."""
    if saved["version"] == 1:
        saved = _with_kinds(saved)
    return _with_scores(saved if saved["version"] == 3 else _with_ranges(saved))


def _with_scores(saved: dict[str, Any]) -> dict[str, Any]:
    """A list of scores, which has one."""
    errors = saved["standard_errors"] or [None] * (len(saved["coefficients"]) + 1)
    return saved | {
        "coefficients": [saved["coefficients"]],
        "intercepts": [saved["intercept"]],
        "prediction_range": [[end] for end in saved["prediction_range"]],
        "standard_errors": [errors],
    }


def _with_ranges(saved: dict[str, Any]) -> dict[str, Any]:
    """A plain linear model without intervals."""
    columns = len(saved["coefficients"])
    return saved | {
        "parameters": saved["parameters"] | {"clip_features": False},
        "feature_range": [[None] * columns, [None] * columns],
        "prediction_range": [None, None],
        "label_range": [None, None],
        "standard_errors": [None] * (columns + 1),
    }


def _with_kinds(saved: dict[str, Any]) -> dict[str, Any]:
    """Named kinds in the place of classes."""
    outcome, privacy = saved["outcome"], saved["privacy"]
    charges = [
        charge | {"guarantee": _renamed(charge["guarantee"], _GUARANTEES)} for charge in privacy["charges"]
    ]
    return saved | {
        "model": _kind(saved["model"], _MODELS),
        "outcome": _renamed(outcome, _OUTCOMES),
        "privacy": privacy | {"format": 1, "charges": charges},
    }


def _renamed(values: dict[str, Any], kinds: dict[str, str]) -> dict[str, Any]:
    return values | {"kind": _kind(values["kind"], kinds)}


def _kind(name: object, kinds: dict[str, str]) -> str:
    if isinstance(name, str) and name in kinds:
        return kinds[name]
    raise InvalidValueError(
        f"{name!r} is not known.", f"Models of the first version hold {', '.join(kinds)}."
    )
