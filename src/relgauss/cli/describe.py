"""Mechanisms in words: their parameters, and the Python that builds them again."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from relgauss.mechanisms import Mechanism

_PARAMETERS = {
    "relative": ("gamma", "sigma"),
    "isometric": ("noise_multiplier", "mu"),
    "gaussian": ("noise_multiplier", "noise_std", "mu"),
}


def parameters(mechanism: Mechanism) -> dict[str, float]:
    """The numbers that size a mechanism's noise, by name."""
    return {name: getattr(mechanism, name) for name in _PARAMETERS[mechanism.name]}


def python_code(mechanism: Mechanism) -> str:
    """Lines to paste that build the mechanism again, to the last digit."""
    sensitivity = mechanism.sensitivity
    own = {name: value for name, value in _stated(mechanism).items() if name != "sensitivity"}
    return "\n".join(
        [
            "import relgauss as rg",
            "",
            f"bound = rg.{type(sensitivity).__name__}({_arguments(_stated(sensitivity))})",
            f"mechanism = rg.{type(mechanism).__name__}(bound, {_arguments(own)})",
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
