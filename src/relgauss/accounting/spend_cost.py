"""What a spend adds to the sums of a filter. Proof: proofs/adaptive-budgets.md."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from relgauss.accounting.adaptive_cost import Cost, failure_cost, pure_cost, total
from relgauss.accounting.approximate import ApproximateDP
from relgauss.accounting.filter_limits import Tracks
from relgauss.accounting.guarantees import Guarantee

Use = tuple[Guarantee, int]


class SpendCost(NamedTuple):
    """What a spend adds: to each way of counting, to pure DP that is counted apart, to leaks and failures."""

    tracks: tuple[Cost, ...]
    pure: Fraction
    failures: Fraction


def spend_cost(uses: tuple[Use, ...], tracks: Tracks, room: Fraction) -> SpendCost:
    """What a spend adds; pure DP is counted apart if all of it fits into the room that is left for it."""
    pure, apart, together, failures = _costs_either_way(uses, tracks)
    return SpendCost(apart, pure, failures) if pure <= room else SpendCost(together, Fraction(0), failures)


@lru_cache(maxsize=4096)
def _costs_either_way(
    uses: tuple[Use, ...], tracks: Tracks
) -> tuple[Fraction, tuple[Cost, ...], tuple[Cost, ...], Fraction]:
    """The epsilon of pure DP, the costs without it and with it, and failures."""
    others = tuple(use for use in uses if type(use[0]) is not ApproximateDP)
    return (
        sum((times * pure_cost(guarantee) for guarantee, times in uses), Fraction(0)),
        tuple(total(cost, others) for cost, _ in tracks),
        tuple(total(cost, uses) for cost, _ in tracks),
        sum((times * failure_cost(guarantee) for guarantee, times in uses), Fraction(0)),
    )
