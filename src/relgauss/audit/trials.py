"""Trials of a mechanism: its outputs on pairs of neighbours, scored, and what they say of its epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss.audit.clopper_pearson import Region
from relgauss.audit.lower_bound import Scores, best_regions
from relgauss.audit.pairs import worst_pair
from relgauss.audit.probes import fixed_probes, turned, weakest_probe
from relgauss.audit.sampling import Drawn, Progress, Releases, draw
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.scores import Distance, Projection, Score

_PROBE_SHARE = 0.04  # of the outputs, for each probe
_LEAST_DRAWS = 50  # of a probe, on each answer


@dataclass(frozen=True, eq=False)
class Trials:
    """A mechanism on trial; ``rng`` simulates its noise, without it the noise is secure.

    ``half`` outputs are drawn on the first answers of all pairs together, and as many on the second ones.
    ``directions`` is where random directions come from.
    """

    mechanism: Mechanism
    half: int
    rng: np.random.Generator | None
    directions: np.random.Generator
    progress: Progress | None

    @cached_property
    def probes(self) -> tuple[Pair, ...]:
        """The pairs that are probed whatever is found; from two dimensions on, one more follows them."""
        return tuple(fixed_probes(self.mechanism, self.directions))

    def of_worst(self, epsilon: float) -> tuple[Drawn, Drawn]:
        """Outputs on the pair that should show the most at this epsilon: all that the probes leave."""
        pair = turned(self.mechanism, worst_pair(self.mechanism, epsilon), self.directions)
        probes = len(self.probes) + (self.mechanism.dim > 1)
        return self._draw(pair, (self.mechanism.score(pair),), self.half - probes * self._probe_size)

    def of_probes(self, error: float) -> tuple[Region, ...]:
        """What the probes say, all of it true but for a probability of at most ``error``."""
        drawn = [self._probe(pair) for pair in self.probes]
        if self.mechanism.dim > 1:
            outputs = drawn[0][0].outputs
            drawn.append(self._probe(weakest_probe(self.mechanism, outputs, self.directions)))
        return tuple(region for each in drawn for region in _regions(each, error / len(drawn)))

    @property
    def _probe_size(self) -> int:
        return max(_LEAST_DRAWS, int(_PROBE_SHARE * self.half))

    def _probe(self, pair: Pair) -> tuple[Drawn, Drawn]:
        return self._draw(pair, _scores_for_faults(self.mechanism, pair), self._probe_size)

    def _draw(self, pair: Pair, scores: Sequence[Score], count: int) -> tuple[Drawn, Drawn]:
        runs = (Releases(self.mechanism, answer, self.rng) for answer in (pair.first, pair.second))
        first, second = (draw("mechanism", run, scores, count, run.batch, self.progress) for run in runs)
        return first, second


def _scores_for_faults(mechanism: Mechanism, pair: Pair) -> tuple[Score, ...]:
    """The score of the right mechanism, and others that wrong ones show in.

    The distance tells noise that is missing, the projection noise that is not as claimed.
    """
    usual = (mechanism.score(pair), Projection(pair.difference), Distance(pair.first))
    return (*usual, *mechanism.fault_scores(pair))


def _regions(drawn: tuple[Drawn, Drawn], error: float) -> tuple[Region, ...]:
    pairs = zip(drawn[0].scores, drawn[1].scores, strict=True)
    return best_regions([Scores.checked(*both, least=_LEAST_DRAWS) for both in pairs], error)
