"""Drawing outputs in batches, and keeping their scores only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from relgauss.arrays import FloatArray
from relgauss.audit.statistics import Score
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Mechanism
from relgauss.noise.simulated import SimulatedArray

Sampler = Callable[[int], ArrayLike]  # count -> that many independent outputs, a row (or a number) each
Progress = Callable[[int], None]  # is told how many more outputs were drawn

_BATCH_NUMBERS = 2**20  # numbers in memory at once
_SECURE_BATCH = 250  # releases between two reports of progress


@dataclass(frozen=True, eq=False)
class Releases:
    """A mechanism's releases of one answer, secure or, given a generator, simulated."""

    mechanism: Mechanism
    answer: FloatArray
    rng: np.random.Generator | None

    def __call__(self, count: int) -> FloatArray:
        """Draw this many."""
        if self.rng is not None:
            return self.mechanism.simulate(self.answer, count, self.rng)
        return np.stack([self.mechanism.release(self.answer) for _ in range(count)])

    @property
    def batch(self) -> int:
        """How many to draw at a time."""
        return max(1, _BATCH_NUMBERS // self.mechanism.dim) if self.rng is not None else _SECURE_BATCH


@dataclass(frozen=True, eq=False)
class Drawn:
    """The scores of many outputs, and whether any of them is marked as simulated."""

    scores: FloatArray
    simulated: bool


def draw(
    name: str,
    run: Sampler,
    score: Score | Callable[[FloatArray], ArrayLike],
    count: int,
    batch: int,
    progress: Progress | None,
) -> Drawn:
    """Draw ``count`` outputs and score them, batch by batch."""
    scores, simulated, left = [], False, count
    while left > 0:
        size = min(batch, left)
        outputs = run(size)
        simulated = simulated or isinstance(outputs, SimulatedArray)
        scores.append(_scored(name, np.asarray(outputs), score, size))
        left -= size
        if progress is not None:
            progress(size)
    return Drawn(np.concatenate(scores), simulated)


def _scored(
    name: str, outputs: FloatArray, score: Score | Callable[[FloatArray], ArrayLike], size: int
) -> FloatArray:
    if outputs.ndim == 0 or len(outputs) != size:
        raise InvalidParameterError(
            name,
            f"outputs of shape {outputs.shape}",
            f"a callable that returns {size} outputs when asked for {size}",
            "Return an array with one row an output.",
        )
    scores = np.asarray(score(outputs))
    if scores.shape != (size,):
        raise InvalidParameterError(
            "score",
            f"scores of shape {scores.shape}",
            f"a callable that returns {size} numbers for {size} outputs",
            "Return one number a row.",
        )
    return scores
