"""Numbers as they are printed: never smaller than they are, since a printed bound is a promise too."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal


def round_up(value: float, digits: int = 4) -> str:
    """A number >= 0, or infinity, with this many significant digits, rounded up."""
    nearest = f"{value:.{digits}g}"
    if float(nearest) >= value:
        return nearest
    exact = Decimal(value)
    quantum = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
    return f"{float(exact.quantize(quantum, rounding=ROUND_CEILING)):.{digits}g}"


def round_down(value: float, digits: int = 4) -> str:
    """A number >= 0, or infinity, with this many significant digits, rounded down: of what is left."""
    nearest = f"{value:.{digits}g}"
    if float(nearest) <= value:
        return nearest
    exact = Decimal(value)
    quantum = Decimal(1).scaleb(exact.adjusted() + 1 - digits)
    return f"{float(exact.quantize(quantum, rounding=ROUND_FLOOR)):.{digits}g}"
