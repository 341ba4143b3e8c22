"""Saved models of the first version, which named Python classes, brought into the form of today."""

from __future__ import annotations

from typing import Any

from relgauss.budget.guarantee_text import FIRST_NAMES
from relgauss.errors import InvalidValueError

_MODELS = {"PrivateRidge": "ridge", "PrivateLogisticRegression": "logistic"}
_OUTCOMES = {"Fitted": "fitted", "Degraded": "degraded"}
_GUARANTEES = {name: kind for kind, name in FIRST_NAMES.items()}


def bring_up_to_date(saved: dict[str, Any]) -> dict[str, Any]:
    """What a file of the first version holds, with named kinds in the place of classes."""
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
