"""Small pictures inside a page that follow its colours; no library is needed to draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from relgauss.report.page import text
from relgauss.report.wording import number

_SMALLEST = 1e-300  # that a curve shows: powers of ten below it are no numbers
_WIDTH = 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 16, 12, 36


def bars(rows: Sequence[tuple[str, float, str]], caption: str) -> str:
    """A bar for each row: its name, its length relative to the others, what is written beside it."""
    longest = max((length for _, length, _ in rows), default=0.0) or 1.0
    lines = "".join(
        f'<span>{text(name)}</span><i style="width:{100 * length / longest:.1f}%"></i>'
        f"<span>{text(words)}</span>"
        for name, length, words in rows
    )
    return f'<figure><div class="bars">{lines}</div><figcaption>{text(caption)}</figcaption></figure>'


def falling_curve(points: Sequence[tuple[float, float]], mark: tuple[float, float], caption: str) -> str:
    """A curve of small numbers on a logarithmic axis, and a dot where the reader should look."""
    height = 240
    shown = [(x, y) for x, y in points if y > _SMALLEST]
    powers = [math.log10(y) for _, y in shown] + [math.log10(max(mark[1], _SMALLEST))]
    low, high = math.floor(min(powers)), math.ceil(max(powers)) or 0
    far = max(x for x, _ in points) or 1.0

    def across(x: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / far

    def down(y: float) -> float:
        return _TOP + (height - _TOP - _BOTTOM) * (high - math.log10(y)) / max(high - low, 1)

    end, step = _WIDTH - _RIGHT, max(1, (high - low) // 5)
    heights = [(down(10.0**power), number(10.0**power)) for power in range(low, high + 1, step)]
    grid = "".join(
        f'<line x1="{_LEFT}" x2="{end}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
        f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{words}</text>'
        for y, words in heights
    )
    quarters = [far * part / 4 for part in range(5)]
    ticks = "".join(
        f'<text x="{across(x):.1f}" y="{height - 18}" text-anchor="middle">{x:.3g}</text>' for x in quarters
    )
    line = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in shown)
    dot = across(mark[0]), down(max(mark[1], _SMALLEST))
    inside = (
        f'{grid}{ticks}<text x="{_WIDTH / 2}" y="{height - 2}" text-anchor="middle">epsilon</text>'
        f'<polyline points="{line}" fill="none" stroke="var(--accent)" stroke-width="2.5"/>'
        f'<circle cx="{dot[0]:.1f}" cy="{dot[1]:.1f}" r="5" fill="var(--accent)"/>'
    )
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{text(caption)}">{inside}</svg>'
        f"<figcaption>{text(caption)}</figcaption></figure>"
    )
