"""Numbers as people read them."""

from __future__ import annotations


def percent(share: float) -> str:
    """Two digits that matter, or all before the point: 0.11 %, 3.5 %, 710 %."""
    value = 100 * share
    return f"{value:,.0f} %" if abs(value) >= 9.95 else f"{value:.2g} %"
