"""Scores of outputs: large where the second answer of a pair is likelier than the first.

An audit is valid for every score; the closer to the likelihood ratio, the more it shows.
Proof: proofs/audit.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray


class Score(ABC):
    """A number for each output; outputs are the rows of a matrix."""

    @abstractmethod
    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The score of each output."""


@dataclass(frozen=True, eq=False)
class Projection(Score):
    """<output, direction>: for noise that is the same on both answers, and for black boxes.

    Parameters
    ----------
    direction
        From one answer to the other.
    """

    direction: FloatArray

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The score of each output."""
        return outputs @ self.direction


@dataclass(frozen=True, eq=False)
class Distance(Score):
    """||output - point||: for noise that is missing, or whose size tells of the answer."""

    point: FloatArray

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """The score of each output."""
        distances: FloatArray = np.linalg.norm(outputs - self.point, axis=1)
        return distances


@dataclass(frozen=True, eq=False)
class GaussianLogRatio(Score):
    """The log-likelihood ratio of N(second, std_second² I) against N(first, std_first² I), but a constant.

    Its events {score >= t} are outsides and insides of balls, or half-spaces where the stds are equal.
    """

    first: FloatArray
    second: FloatArray
    std_first: float
    std_second: float

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """||x - first||²/(2 std_first²) - ||x - second||²/(2 std_second²)."""
        unit = (outputs - self.first) / self.std_first
        ratio = self.std_first / self.std_second
        step = (self.second - self.first) / self.std_first
        # With y the unit outputs: |y|² - ratio² |y - step|², without the cancellation of large squares.
        square = np.einsum("ij,ij->i", unit, unit)
        mixed = 2 * (unit @ step) - step @ step
        score: FloatArray = 0.5 * ((1 - ratio) * (1 + ratio) * square + ratio**2 * mixed)
        return score
