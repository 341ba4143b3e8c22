"""Which outputs to count: events {score >= t} and {score < t}, chosen on draws that are then put aside.

For a target delta the best event is the one with the largest log((p - delta)/q). For a score that is a
likelihood ratio no other event does better (Neyman and Pearson); for any score the choice affects only
how much is found, never whether it is true. Proof: proofs/audit.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.audit.clopper_pearson import Counts

_CAUTION = 4.0  # standard errors that the choice grants to chance: the best of many looks better than it is
_RANK_GROWTH = 1.04  # candidates lie at ranks that grow by this factor, from both ends


@dataclass(frozen=True)
class Event:
    """{score >= threshold}, or its complement; ``swapped`` makes the second law play P."""

    threshold: float
    above: bool
    swapped: bool

    def count(self, first: FloatArray, second: FloatArray) -> Counts:
        """How often the event is in draws of each law."""
        p, q = (second, first) if self.swapped else (first, second)
        return Counts(self._in(p), p.size, self._in(q), q.size)

    def _in(self, scores: FloatArray) -> int:
        above = int(np.count_nonzero(scores >= self.threshold))
        return above if self.above else scores.size - above


@dataclass(frozen=True)
class Choice:
    """The event for a target delta, and the epsilon that it promises to show there."""

    delta: float
    event: Event
    promise: float


def choose(first: FloatArray, second: FloatArray, deltas: tuple[float, ...]) -> list[Choice]:
    """The best event for each delta: over all thresholds, both complements and both orders of the laws."""
    thresholds = _candidates(np.concatenate([first, second]))
    p = 1 - np.searchsorted(np.sort(first), thresholds) / first.size
    q = 1 - np.searchsorted(np.sort(second), thresholds) / second.size
    in_p = np.stack([p, 1 - p, q, 1 - q])
    in_q = np.stack([q, 1 - q, p, 1 - p])
    cautious_p, cautious_q = _wilson(in_p, first.size, -_CAUTION), _wilson(in_q, second.size, _CAUTION)
    choices = []
    for delta in deltas:
        shown = np.log(np.maximum(cautious_p - delta, 1e-300)) - np.log(cautious_q)
        kind, place = np.unravel_index(np.argmax(shown), shown.shape)
        event = Event(float(thresholds[place]), above=kind % 2 == 0, swapped=bool(kind >= 2))
        choices.append(Choice(delta, event, float(shown[kind, place])))
    return choices


def _candidates(scores: FloatArray) -> FloatArray:
    """Thresholds at ranks 1, 2, ... that grow geometrically from both ends."""
    ordered = np.sort(scores)
    steps = int(np.log(ordered.size) / np.log(_RANK_GROWTH)) + 1
    ranks = np.unique(_RANK_GROWTH ** np.arange(steps)).astype(int)
    ranks = np.unique(ranks[ranks < ordered.size])
    return np.unique(ordered[np.concatenate([ranks, ordered.size - ranks])])


def _wilson(share: FloatArray, draws: int, z: float) -> FloatArray:
    """Wilson's bound on a probability, z standard errors up or down: cheap, and sane for rare events."""
    square = z * z / draws
    spread = z * np.sqrt((share * (1 - share) + square / 4) / draws)
    return (share + square / 2 + spread) / (1 + square)
