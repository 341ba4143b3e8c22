"""Weights of placed shapes, group by group: only of those that weigh, as hardly any do in a clear group."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from relgauss.arrays import FloatArray
from relgauss.grouped.placed_shapes import Singles

_SPARSE = 0.03  # below this part of shapes that weigh, products skip the others
_TOGETHER = 4096  # shapes; where none of so many weighs they are skipped


@dataclass(frozen=True, eq=False)
class ShapeWeights:
    """How likely each placed shape is, for each group.

    Attributes
    ----------
    number
        How many shapes weigh in each group.
    shapes
        These shapes, group after group.
    weights
        Their weights; those of a group sum to one.
    placed
        The number of all placed shapes.
    """

    number: NDArray[np.intp]
    shapes: NDArray[np.int32]
    weights: Singles
    placed: int

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """Where each group begins, and the last one ends."""
        return np.concatenate([np.zeros(1, dtype=np.intp), np.cumsum(self.number)])

    @cached_property
    def _column(self) -> NDArray[np.intp]:
        """The place of each weight within its group."""
        return np.arange(len(self.shapes)) - np.repeat(self._ends[:-1], self.number)

    @cached_property
    def _group(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(len(self.number)), self.number)

    def average(self, of_shapes: NDArray[np.floating]) -> FloatArray:
        """The mean over the shapes of what is known of each, a row (or a number) for each group."""
        shape = len(self.number), self.placed
        if len(self.shapes) < _SPARSE * shape[0] * shape[1]:
            weights = csr_array((self.weights, self.shapes, self._ends), shape=shape)
            return np.asarray(weights @ of_shapes, dtype=np.float64)
        total = np.zeros((shape[0], *of_shapes.shape[1:]), dtype=np.float32)
        for start in range(0, self.placed, _TOGETHER):
            some = slice(start, start + _TOGETHER)
            if self._dense[:, some].any():
                # A product of doubles takes twice as long.
                total += self._dense[:, some] @ of_shapes[some].astype(np.float32, copy=False)
        return total.astype(np.float64)

    def dense(self) -> Singles:
        """The weights of all shapes, a row for each group."""
        return self._dense

    @cached_property
    def _dense(self) -> Singles:
        every = np.zeros((len(self.number), self.placed), dtype=np.float32)
        every[self._group, self.shapes] = self.weights
        return every

    def rows(self, groups: NDArray[np.intp]) -> ShapeWeights:
        """The weights of some groups."""
        number = self.number[groups]
        first = np.cumsum(number) - number
        chosen = np.arange(number.sum()) + np.repeat(self._ends[groups] - first, number)
        return ShapeWeights(number, self.shapes[chosen], self.weights[chosen], self.placed)

    def among(self, chosen: NDArray[np.bool_]) -> ShapeWeights:
        """These weights as those of the chosen groups among others, which have the very first shape only."""
        number = np.ones(len(chosen), dtype=np.intp)
        number[chosen] = self.number
        is_chosen = np.repeat(chosen, number)
        shapes, weights = np.zeros(len(is_chosen), np.int32), np.ones(len(is_chosen), np.float32)
        shapes[is_chosen], weights[is_chosen] = self.shapes, self.weights
        return ShapeWeights(number, shapes, weights, self.placed)

    def likely(self) -> tuple[NDArray[np.intp], FloatArray]:
        """The likely shapes of each group and their weights: rows of equal length, filled up with 0."""
        return self._padded

    @cached_property
    def _padded(self) -> tuple[NDArray[np.intp], FloatArray]:
        shapes = np.zeros((len(self.number), int(self.number.max())), dtype=np.intp)
        weights = np.zeros(shapes.shape)
        shapes[self._group, self._column] = self.shapes
        weights[self._group, self._column] = self.weights
        return shapes, weights

    def times(self, evidence: FloatArray) -> ShapeWeights:
        """The weights times exp(evidence), which has the likely shapes in the order of ``likely``.

        They stay likely, however small they get: so the order stays the same.
        """
        tiny, starts = np.finfo(np.float32).tiny, self._ends[:-1]
        more = evidence[self._group, self._column]
        largest = np.maximum.reduceat(more, starts)
        found = self.weights * np.exp(more - largest[self._group])
        found /= np.maximum(np.add.reduceat(found, starts), tiny)[self._group]
        return ShapeWeights(self.number, self.shapes, np.maximum(found, tiny).astype(np.float32), self.placed)
