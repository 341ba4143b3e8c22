"""Numbers as people read them."""

from __future__ import annotations


def percent(share: float) -> str:
    """Two digits that matter, or all before the point: 0.11 %, 3.5 %, 1,710 %, 3.2e+09 %."""
    value = 100 * share
    return f"{value:,.0f} %" if 9.95 <= abs(value) < 1e6 else f"{value:.2g} %"


def number(value: float) -> str:
    """A few digits; 1e-6 rather than 1e-06."""
    return f"{value:g}".replace("e-0", "e-").replace("e+0", "e+")
