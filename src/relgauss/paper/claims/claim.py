"""A claim of the paper, what was computed about it, and the verdict that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["holds", "holds corrected", "does not hold"]


@dataclass(frozen=True)
class Claim:
    """``computed`` holds the numbers that the verdict follows from; ``place`` is where the paper says it."""

    name: str
    place: str
    claim: str
    computed: str
    verdict: Verdict


def verdict(as_printed: bool, corrected: bool) -> Verdict:
    """What holds: the claim itself, its correction, or neither."""
    if as_printed:
        return "holds"
    return "holds corrected" if corrected else "does not hold"
