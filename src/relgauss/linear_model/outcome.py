"""How a fit ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fitted:
    """A model of all features that showed a spread; ``ignored`` are the others, with coefficient zero.

    ``half_widths`` are the public or released half-widths of the features' ranges: coefficient times
    half-width compares features of unlike units.
    """

    ignored: tuple[int, ...] = ()
    half_widths: tuple[float, ...] = ()


@dataclass(frozen=True)
class Degraded:
    """A constant prediction, privately estimated: why, and what would give a model."""

    reason: str
    fix: str


class DegradedFitWarning(UserWarning):
    """A fit ended with a constant prediction."""
