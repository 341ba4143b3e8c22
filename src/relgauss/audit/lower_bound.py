"""From scores of two neighbours' outputs to a lower bound on the privacy curve.

Part of the draws choose events; the other part, independent of the choice, count them. Half of the
error probability goes to the event chosen for the delta in question, the rest is shared equally by the
others, so that by the union bound everything read off the result holds together. Proof: proofs/audit.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.audit.clopper_pearson import Region
from relgauss.audit.events import Choice, choose
from relgauss.errors import InvalidParameterError, InvalidValueError

_CHOOSING_SHARE = 0.2
_LEAST_DRAWS = 100
_LEAST_COUNT = 20.0  # a delta is a target if an event of that probability is drawn this often
_COMMON = (0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1)
_RARER = tuple(float(f"{digit}e-{power}") for power in range(2, 10) for digit in (5, 2, 1))


@dataclass(frozen=True)
class LowerBound:
    """delta(epsilon) >= max over regions of their bound, for all epsilon at once, with this confidence.

    Parameters
    ----------
    regions
        What each counted event says of its two probabilities.
    confidence
        The probability with which all of it holds.
    """

    regions: tuple[Region, ...]
    confidence: float

    def epsilon(self, delta: float) -> float:
        """The epsilon at this delta is no smaller, but for the error probability; 0 says nothing."""
        return max(region.epsilon(delta) for region in self.regions)

    def delta(self, epsilon: float) -> float:
        """The delta at this epsilon is no smaller, but for the error probability; 0 says nothing."""
        return max(region.delta(epsilon) for region in self.regions)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of many outputs of each neighbour, split into those that choose and those that count."""

    first: FloatArray
    second: FloatArray

    @classmethod
    def checked(cls, first: ArrayLike, second: ArrayLike, least: int = _LEAST_DRAWS) -> Scores:
        """Two vectors of numbers, long enough to say anything."""
        return cls(_checked("first", first, least), _checked("second", second, least))

    @cached_property
    def deltas(self) -> tuple[float, ...]:
        """The targets, one event each: 0.95, ..., 0.1, 0.05, 0.02, 0.01, ... as far as the draws reach."""
        counting = min(self.first.size, self.second.size) * (1 - _CHOOSING_SHARE)
        return _COMMON + tuple(delta for delta in _RARER if delta * counting >= _LEAST_COUNT)

    def choose(self, deltas: Sequence[float]) -> list[Choice]:
        """The best event for each delta, by the draws that choose."""
        return choose(
            self.first[: _choosing(self.first)], self.second[: _choosing(self.second)], tuple(deltas)
        )

    def confirm(self, choices: Sequence[Choice], delta: float, confidence: float) -> LowerBound:
        """Count the chosen events in the other draws; ``delta`` is the one whose event matters most."""
        half = (1 - confidence) / 2
        others = sum(choice.delta != delta for choice in choices)
        regions = (self.region(each, half if each.delta == delta else half / others) for each in choices)
        return LowerBound(tuple(regions), confidence)

    def region(self, choice: Choice, error: float) -> Region:
        """What the chosen event shows, by the draws that did not choose it."""
        first, second = self.first[_choosing(self.first) :], self.second[_choosing(self.second) :]
        return Region(choice.event.count(first, second), error)


def lower_bound(first: ArrayLike, second: ArrayLike, *, delta: float, confidence: float) -> LowerBound:
    """The lower bound on a privacy curve that two samples of scores show.

    Parameters
    ----------
    first, second
        Scores of independent outputs on two neighbouring inputs.
    delta
        Where the bound should be sharpest.
    confidence
        The probability with which the bound holds, everywhere at once.
    """
    scores = Scores.checked(first, second)
    delta = validate.probability("delta", delta)
    confidence = validate.probability("confidence", confidence, "Pass for example 0.99.")
    choices = scores.choose([delta, *(other for other in scores.deltas if other != delta)])
    return scores.confirm(choices, delta, confidence)


def best_regions(kinds: Sequence[Scores], error: float) -> tuple[Region, ...]:
    """Of several scores of the same outputs, for each delta the most promising; all share the error."""
    deltas = kinds[0].deltas
    chosen = zip(*(kind.choose(deltas) for kind in kinds), strict=True)
    best = (max(zip(kinds, choices, strict=True), key=lambda each: each[1].promise) for choices in chosen)
    return tuple(kind.region(choice, error / len(deltas)) for kind, choice in best)


def _choosing(scores: FloatArray) -> int:
    """How many of the draws choose: the first ones, which are as good as any."""
    return int(_CHOOSING_SHARE * scores.size)


def _checked(name: str, scores: ArrayLike, least: int) -> FloatArray:
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidValueError(
            f"The scores '{name}' are not numbers.", "Return one number a draw."
        ) from None
    if array.ndim != 1:
        raise InvalidParameterError(
            name, f"array of shape {array.shape}", "one number a draw", "Return a vector of scores."
        )
    if array.size < least:
        raise InvalidParameterError(
            name,
            f"{array.size} scores",
            f"at least {least} scores",
            "Draw more: 1e5 or so give a useful bound.",
        )
    if np.isnan(array).any():
        raise InvalidValueError(
            f"The scores '{name}' hold NaN.", "Give every output a score; ±inf is allowed."
        )
    return array
