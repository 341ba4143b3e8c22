"""A mechanism as the line of Python that builds the same one."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import relgauss
from relgauss.mechanisms import Mechanism


def python_code(mechanism: Mechanism) -> str:
    """Lines to paste that build the mechanism again, to the last digit."""
    sensitivity, kind = mechanism.sensitivity, type(mechanism)
    ours = getattr(relgauss, kind.__name__, None) is kind
    own = {name: value for name, value in _stated(mechanism).items() if name != "sensitivity"}
    return "\n".join(
        [
            "import relgauss as rg",
            *([] if ours else [f"from {kind.__module__} import {kind.__name__}"]),
            "",
            f"bound = rg.{type(sensitivity).__name__}({_arguments(_stated(sensitivity))})",
            f"mechanism = {'rg.' if ours else ''}{kind.__name__}(bound, {_arguments(own)})",
        ]
    )


def _stated(value: Any) -> dict[str, Any]:
    """The fields of a frozen value that differ from their defaults."""
    return {
        field.name: getattr(value, field.name)
        for field in fields(value)
        if field.default is MISSING or getattr(value, field.name) != field.default
    }


def _arguments(stated: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in stated.items())
