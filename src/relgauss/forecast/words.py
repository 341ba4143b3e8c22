"""What a forecast says, as people read it: names of groups, errors and widths in per cent."""

from __future__ import annotations

import math

WHOLE_RANGE = "whole range"
"""What stands for the width of an interval that says nothing."""

_LEAST_SHOWN = 1e-4  # of an error or a width


def group_text(group: object) -> str:
    """The name of a group; of several keys, all of them."""
    return ", ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def share_text(value: float) -> str:
    """A share in per cent with two digits; a dash where nothing is to be said.

    Made-up records do not tell errors of a ten-thousandth from none: those are below 0.01 %.
    """
    if not math.isfinite(value) or value >= 1e4:
        return "-"
    if 0 < value < _LEAST_SHOWN:
        return f"below {100 * _LEAST_SHOWN:g} %"
    return f"{100 * value:,.0f} %" if value >= 0.0995 else f"{100 * value:.2g} %"
