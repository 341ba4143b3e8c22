"""Drawing outputs in batches, and keeping their scores only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from relgauss.arrays import FloatArray
from relgauss.arrays.simulated import SimulatedArray
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.scores import Score

Sampler = Callable[[int], ArrayLike]  # count -> that many independent outputs, a row (or a number) each
AnyScore = Score | Callable[[FloatArray], ArrayLike]
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
        """Draw this many outputs, a row each."""
        if self.rng is not None:
            return self.mechanism.simulate(self.answer, count, self.rng)
        return np.stack([self.mechanism.release(self.answer) for _ in range(count)])

    @property
    def batch(self) -> int:
        """How many to draw at a time."""
        return max(1, _BATCH_NUMBERS // self.mechanism.dim) if self.rng is not None else _SECURE_BATCH


@dataclass(frozen=True, eq=False)
class Drawn:
    """The scores of many outputs, of every kind, and whether any output is marked as simulated.

    ``outputs`` are the first ones themselves, as many as fit into memory.
    """

    scores: tuple[FloatArray, ...]
    simulated: bool
    outputs: FloatArray


def draw(
    name: str,
    run: Sampler,
    scores: Sequence[AnyScore],
    count: int,
    batch: int,
    progress: Progress | None,
) -> Drawn:
    """Draw ``count`` outputs and score them, batch by batch."""
    scored: list[list[FloatArray]] = [[] for _ in scores]
    kept: list[FloatArray] = []
    simulated, left = False, count
    while left > 0:
        size = min(batch, left)
        outputs = run(size)
        simulated = simulated or isinstance(outputs, SimulatedArray)
        plain = _checked_outputs(name, np.asarray(outputs), size)
        if sum(map(np.size, kept)) + plain.size <= _BATCH_NUMBERS:
            kept.append(plain)
        for score, values in zip(scores, scored, strict=True):
            values.append(_scored(plain, score))
        left -= size
        if progress is not None:
            progress(size)
    return Drawn(
        tuple(map(np.concatenate, scored)), simulated, np.concatenate(kept) if kept else np.empty((0, 0))
    )


def _checked_outputs(name: str, outputs: FloatArray, size: int) -> FloatArray:
    if outputs.ndim == 0 or len(outputs) != size:
        raise InvalidParameterError(
            name,
            f"outputs of shape {outputs.shape}",
            f"a callable that returns {size} outputs when asked for {size}",
            "Return an array with one row an output.",
        )
    return outputs


def _scored(outputs: FloatArray, score: AnyScore) -> FloatArray:
    size = len(outputs)
    scores = np.asarray(score(outputs))
    if scores.shape != (size,):
        raise InvalidParameterError(
            "score",
            f"scores of shape {scores.shape}",
            f"a callable that returns {size} numbers for {size} outputs",
            "Return one number a row.",
        )
    return scores
