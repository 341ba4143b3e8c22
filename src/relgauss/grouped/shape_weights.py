"""How well each placed shape explains a group's noisy counts, and the counts that none explains.

Which shapes are common is learned from the counts of all groups together: where nearly all groups of a table
are narrow, the next one most likely is. Only shapes are learned, never their positions: the answer for a
group stays the same if all its values are multiplied by a step of the grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from relgauss.arrays import FloatArray
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedShapes, Singles

_MISFIT = 0.03  # the part of a group by which a bin may differ from the best shape
_FAR_MISFIT = 0.1  # the part of a minority by which its counts may differ from its shape's
_AT_MOST = 1.5  # times a minority's number
_CAUTION = 2.5  # noise levels past the largest of as many pure noises; alone they pass once in 10^6 groups
_NEGLIGIBLE = 1e-6  # a weight that can be left out
_SPARSE = 0.03  # below this part of weights that are not zero, products skip the others
_PRIOR_GROUPS = 10.0  # the prior counts as much as this many groups
_BY_CHANCE = 0.5  # times the root of all groups: those that seem to have a minority far above, by noise
_FAR_START = 0.3  # from where the share of such minorities is searched: from 0 it would not rise
_STEPS = 50  # of expectation-maximisation
_ROWS_IN_CACHE = 8


@dataclass(frozen=True, eq=False)
class ShapeWeights:
    """How likely each placed shape is: a row for each group, zero where negligible."""

    values: Singles

    @cached_property
    def _likely(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Group and shape of all weights that are not zero, group after group; they may be nearly all."""
        group, shape = np.divmod(np.flatnonzero(self.values > 0), self.values.shape[1])
        return group.astype(np.int32), shape.astype(np.int32)

    @cached_property
    def _factor(self) -> Any:
        """The weights as products take them: without the zeros, where nearly all are zero."""
        group, shape = self._likely
        if shape.size > _SPARSE * self.values.size:
            return self.values
        starts = np.searchsorted(group, np.arange(len(self.values) + 1))
        return csr_array((self.values[group, shape], shape, starts), shape=self.values.shape)

    def average(self, of_shapes: NDArray[np.floating]) -> FloatArray:
        """The mean over the shapes of what is known of each, a row (or a number) for each group."""
        factor = self._factor
        if (
            factor is self.values
        ):  # else these would be copied as doubles, which takes longer than the product
            of_shapes = of_shapes.astype(np.float32, copy=False)
        mean: FloatArray = np.asarray(factor @ of_shapes, dtype=np.float64)
        return mean

    def likely(self) -> tuple[NDArray[np.intp], FloatArray]:
        """The likely shapes of each group and their weights: rows of equal length, filled up with 0."""
        return self._padded

    @cached_property
    def _padded(self) -> tuple[NDArray[np.intp], FloatArray]:
        group, shape = self._likely
        number = np.bincount(group, minlength=len(self.values))
        column = np.arange(group.size) - np.repeat(np.cumsum(number) - number, number)
        shapes = np.zeros((len(self.values), int(number.max())), dtype=np.intp)
        weights = np.zeros(shapes.shape)
        shapes[group, column], weights[group, column] = shape, self.values[group, shape]
        return shapes, weights

    def times(self, evidence: FloatArray) -> ShapeWeights:
        """The weights times exp(evidence), which has the likely shapes in the order of ``likely``.

        They stay likely, however small they get: so the order stays the same.
        """
        found, (group, shape) = np.zeros_like(self.values), self._likely
        tiny = np.finfo(np.float32).tiny
        column = np.arange(group.size) - np.searchsorted(group, np.arange(len(found)))[group]
        more = evidence[group, column]
        largest = np.full(len(found), -np.inf)
        np.maximum.at(largest, group, more)
        found[group, shape] = self.values[group, shape] * np.exp(more - largest[group])
        found /= np.maximum(found.sum(axis=1, keepdims=True), tiny)
        found[group, shape] = np.maximum(found[group, shape], tiny)
        return ShapeWeights(found)


@dataclass(frozen=True, eq=False)
class ShapeFit:
    """The weights of the shapes, and how many records of each bin no shape explains, a row for each group."""

    weights: ShapeWeights
    unexplained: FloatArray


def fit_shapes(shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts) -> ShapeFit:
    """Weigh all placed shapes for each group; post-processing, which costs nothing.

    The residual y - n p at the mean shape is noise up to about noise_std (2.5 + sqrt(2 log bins)); what is
    larger is taken for records that no shape explains.
    """
    weights = ShapeWeights(_posterior(shapes, log_prior, counts))
    sizes = counts.sizes[:, None]
    residual = counts.values - sizes * weights.average(shapes.bin_shares)
    threshold = counts.noise_std[:, None] * (_CAUTION + math.sqrt(2 * math.log(shapes.grid.bins)))
    unexplained = np.where(np.abs(residual) > threshold, np.clip(residual, -sizes, sizes), 0.0)
    return ShapeFit(weights, unexplained)


def _posterior(shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts) -> Singles:
    """The weights of all shapes, those that can be left out as zero."""
    every, prior = log_likelihood(shapes, counts), log_prior.astype(np.float32)
    for weights in _row_blocks(every):
        weights += prior
        weights -= weights.max(axis=1, keepdims=True)
        np.exp(weights, out=weights)
        weights[weights < _NEGLIGIBLE * weights.sum(axis=1, keepdims=True)] = 0.0
        weights /= weights.sum(axis=1, keepdims=True)
    return every


def _row_blocks(every: Singles) -> list[Singles]:
    """Views of a few rows at a time, which stay in the cache while several operations go over them."""
    return [every[start : start + _ROWS_IN_CACHE] for start in range(0, len(every), _ROWS_IN_CACHE)]


def log_likelihood(shapes: PlacedShapes, counts: NoisyCounts) -> Singles:
    """The log-likelihood of every shape, up to a constant, a row for each group.

    A group of n values of a shape with bin shares p has counts y = n p + N(0, v), where v joins the noise
    and the misfit, v = noise_std² + (0.03 n)²:

        n <y, p>/v - n² |p|²/(2 v)

    A minority far above the others is judged by the counts where it would lie, and by noise alone: else it
    would make up for a misfit of the many.
    """
    sizes, shares = counts.sizes[:, None], shapes.bin_shares
    variance = counts.noise_std[:, None] ** 2 + (_MISFIT * sizes) ** 2
    result: Singles = (sizes / variance * counts.values).astype(np.float32) @ shares.T
    lost = (sizes**2 / (2 * variance)).astype(np.float32)
    for rows, lost_of_rows in zip(_row_blocks(result), _row_blocks(lost), strict=True):
        rows -= lost_of_rows * shapes.squared_shares
    by_shape = result.reshape(len(result), -1, shapes.positions)
    for place, (base, evidence) in enumerate(
        zip(shapes.far_bases, _far_evidence(shapes, counts), strict=True)
    ):
        np.add(by_shape[:, base], evidence, out=by_shape[:, place - len(shapes.far_bases)])
    return result


def _far_evidence(shapes: PlacedShapes, counts: NoisyCounts) -> Iterator[Singles]:
    """How much counts speak for each minority far above: m y'/v - m² |q|²/(2 v) for m records of shape q.

    y' = <y, q> is taken as at most 3/2 of what the minority would give, so that the many are no minority.
    A matrix for each minority, with all its positions.
    """
    noise = counts.noise_std[:, None] ** 2
    values = counts.values.astype(np.float32)
    for minority, shares, squared in zip(
        shapes.far_minorities, shapes.far_shares, shapes.far_squares, strict=True
    ):
        numbers = counts.sizes[:, None] * minority
        expected = numbers.astype(np.float32) * squared
        found: Singles = values @ shares.T
        found /= minority
        np.minimum(found, _AT_MOST * expected, out=found)
        expected /= 2
        found -= expected
        found *= (numbers / (noise + (_FAR_MISFIT * numbers) ** 2)).astype(np.float32)
        yield found


def learn_shape_prior(shapes: PlacedShapes, batches: Iterable[NoisyCounts]) -> FloatArray:
    """The log-prior of all placed shapes, with the share of each shape fitted to the noisy counts.

    Expectation-maximisation, from the likelihood of a shape at an unknown position. This is post-processing,
    which costs nothing. Among many minorities far above some seem to be there in noise alone, which few
    groups cannot tell from a habit of the table: so as many groups as show one by chance do not count.
    """
    likelihood = np.concatenate([_by_shape(shapes, counts) for counts in batches])
    prior = np.exp(shapes.log_prior.reshape(-1, shapes.positions)[:, 0])
    learned, far = prior.copy(), slice(len(prior) - len(shapes.far_bases), None)
    learned[far] *= _FAR_START / learned[far].sum()
    by_chance = _BY_CHANCE * math.sqrt(len(likelihood))
    for _ in range(_STEPS):
        found = learned * ((1 / (likelihood @ learned)) @ likelihood)
        found[far] *= 1 - by_chance / max(found[far].sum(), by_chance)
        found += _PRIOR_GROUPS * prior
        learned = found / found.sum()
    return np.repeat(np.log(learned), shapes.positions)


def _by_shape(shapes: PlacedShapes, counts: NoisyCounts) -> FloatArray:
    """The likelihood of each shape at an unknown position, up to a factor for each group."""
    every = log_likelihood(shapes, counts)
    likelihood = []
    for placed in _row_blocks(every):
        placed -= placed.max(axis=1, keepdims=True)
        np.exp(placed, out=placed)
        by_shape = placed.reshape(len(placed), -1, shapes.positions)
        likelihood.append(by_shape.sum(axis=2, dtype=np.float64))
    return np.concatenate(likelihood)
