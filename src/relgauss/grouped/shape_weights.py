"""How well each placed shape explains a group's noisy counts.

Which shapes are common is learned from the counts of all groups together: where nearly all groups of a table
are narrow, the next one most likely is. Only shapes are learned, never their positions: the answer for a
group stays the same if all its values are multiplied by a step of the grid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.likely_shapes import ShapeWeights
from relgauss.grouped.noisy_measurements import NoisyCounts
from relgauss.grouped.placed_shapes import PlacedMinorities, PlacedShapes, Singles
from relgauss.grouped.shapes import (
    APART_ODDS,
    COMMON_PRIOR,
    FAR,
    FIRST,
    HAS,
    KIND,
    MANY,
    MEMBER,
    Many,
)
from relgauss.records.threads import in_threads

_MISFIT = 0.03  # the part of a group by which a bin may differ from the best shape
_APART_MISFIT = 0.1  # the part of a minority by which its counts may differ from its shape's
_AT_MOST, _AT_MOST_NOISE = 1.5, 2.5  # times a minority's number, and noise levels of it
_NEGLIGIBLE = 1e-6  # a weight that can be left out
_SURELY = 7.0  # a likelihood ratio's logarithm: in noise, one of the far minorities passes in 5 % of tables
_HABITS = (0.01, 0.03, 0.1, 0.3, 0.6, 0.95)  # shares of groups that may have a minority far above
_MOST_HABITS = 6
_PRIOR_GROUPS = 10.0  # the prior counts as much as this many groups
_STEPS = 50  # of expectation-maximisation
_LEAST_EXPONENT = np.float32(-75.0)  # smaller exponentials have few digits, and take long
_UNLIKELY = np.float32(1e-12)  # times the likelihood of what fits best: no minority is looked for there
_LEAST_EVIDENCE, _MOST_EVIDENCE = -30.0, 75.0  # enough to decide
_ROWS_IN_CACHE = 8
_WEIGHTS_AT_ONCE = 2**21


def shape_weights(shapes: PlacedShapes, log_prior: FloatArray, counts: NoisyCounts) -> ShapeWeights:
    """How likely all shapes are, for each group; post-processing, which costs nothing.

    What a minority that lies apart adds to the weight of the many does not depend on which of their shapes
    they have: together they weigh exp(evidence) times as much as without it, and times the prior odds.
    """
    prior = np.exp(log_prior).astype(np.float32)
    common = _likelihood(shapes, counts)
    common *= prior[: common.shape[1]]
    by_shape, shares = common.reshape(len(common), -1, shapes.positions), prior[:: shapes.positions]
    together = {many: _of_members(by_shape, many) for many in MANY}
    group, position = likely = _places(np.max(list(together.values()), axis=0) > _UNLIKELY)
    at_likely = {many: each[likely] for many, each in together.items()}
    of_many = {many: shares[list(many.members)].sum() for many in MANY}
    first = by_shape.shape[1]
    apart = np.empty((len(group), len(shares) - first), dtype=np.float32)
    for few, evidence in _evidence_apart(shapes, counts, likely):
        odds = shares[first + few.numbers] / np.array([of_many[many] for many in few.manys])
        evidence *= odds[:, None]
        evidence *= np.array([at_likely[many] for many in few.manys])
        apart[:, few.numbers] = evidence.T
    of_group = np.bincount(group, apart.sum(axis=1), len(common))
    least = (_NEGLIGIBLE * (common.sum(axis=1) + of_group)).astype(np.float32)[:, None]
    found = []
    step = max(_WEIGHTS_AT_ONCE // len(log_prior), 1)
    for start in range(0, len(common), step):
        rows = slice(start, start + step)
        pairs = slice(*np.searchsorted(group, (start, start + step)))
        places = group[pairs] - start, first * shapes.positions + position[pairs]
        found.append(_heavy(common[rows], apart[pairs], places, least[rows], shapes.positions))
    number, placed, weights = map(np.concatenate, zip(*found, strict=True))
    return ShapeWeights(number, placed, weights, len(log_prior))


def _heavy(
    common: Singles, apart: Singles, places: tuple[NDArray[np.intp], ...], least: Singles, positions: int
) -> tuple[NDArray[np.intp], NDArray[np.int32], Singles]:
    """The shapes of some groups that weigh, group after group, those without a minority first.

    First comes how many there are in each group, then which, then their weights, which add up to one.
    """
    group, placed = places
    heavy = np.flatnonzero(common >= least)
    pair, kind = np.divmod(np.flatnonzero(apart >= least[group]), apart.shape[1])
    ends = np.searchsorted(heavy, np.arange(len(common) + 1) * common.shape[1])
    of_common, of_apart = np.diff(ends), np.bincount(group[pair], minlength=len(common))
    number = of_common + of_apart
    groups = np.repeat(np.arange(len(common)), number)
    is_apart = np.repeat(np.tile([False, True], len(common)), np.stack([of_common, of_apart], axis=1).ravel())
    shapes, weights = np.empty(len(groups), dtype=np.int32), np.empty(len(groups), dtype=np.float32)
    shapes[~is_apart] = heavy - np.repeat(np.arange(len(common)) * common.shape[1], of_common)
    shapes[is_apart] = kind * positions + placed[pair]
    weights[~is_apart], weights[is_apart] = common.ravel()[heavy], apart[pair, kind]
    weights /= np.bincount(groups, weights, len(common))[groups]
    return number, shapes, weights


def _places(chosen: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and columns that are chosen: several times as fast as nonzero of a matrix."""
    row, column = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
    return row, column


def _row_blocks(every: Singles) -> list[Singles]:
    """Views of a few rows at a time, which stay in the cache while several operations go over them."""
    return [every[start : start + _ROWS_IN_CACHE] for start in range(0, len(every), _ROWS_IN_CACHE)]


def _likelihood(shapes: PlacedShapes, counts: NoisyCounts) -> Singles:
    """The likelihood of shapes without a minority apart, a row for each group, the largest 1.

    A group of n values of a shape with bin shares p has counts y = n p + N(0, v), where v joins the noise
    and the misfit, v = noise_std² + (0.03 n)². The logarithm is, up to a constant,

        n <y, p>/v - n² |p|²/(2 v)
    """
    sizes, last = counts.sizes[:, None], shapes.common
    variance = counts.noise_std[:, None] ** 2 + (_MISFIT * sizes) ** 2
    result: Singles = (sizes / variance * counts.values).astype(np.float32) @ shapes.bin_shares[:last].T
    lost, squared = (sizes**2 / (2 * variance)).astype(np.float32), shapes.squared_shares[:last]
    least = np.full_like(result[:_ROWS_IN_CACHE], _LEAST_EXPONENT)  # five times as fast as a lone number
    for rows, lost_of_rows in zip(_row_blocks(result), _row_blocks(lost), strict=True):
        rows -= lost_of_rows * squared
        rows -= rows.max(axis=1, keepdims=True)
        np.maximum(rows, least[: len(rows)], out=rows)
        np.exp(rows, out=rows)
    return result


def _of_members(by_shape: Singles, many: Many) -> Singles:
    """The sum over the shapes of the many: a row for each group, a column for each position."""
    total = by_shape[:, many.members[0]].copy()
    for member in many.members[1:]:
        total += by_shape[:, member]
    return total


def _evidence_apart(
    shapes: PlacedShapes, counts: NoisyCounts, places: tuple[NDArray[np.intp], ...]
) -> Iterator[tuple[PlacedMinorities, Singles]]:
    """How many times as likely counts are with each minority that lies apart as without it.

    For m records of shape q the logarithm is m y'/v - m² |q|²/(2 v), where v joins the noise, a tenth of m,
    and what is left of the many there: else a minority would make up for a misfit of the many. y' = <y, q>,
    less what the many at most have there, is taken as at most 3/2 of what the minority would give, but for
    noise, so that the many are no minority. Only some pairs of a group and a position are asked for; the
    minorities of one place have a row each.
    """
    group, position = places
    values, by_group = counts.values.astype(np.float32), counts.sizes.astype(np.float32)
    noise, sizes = counts.noise_std.astype(np.float32)[group], by_group[group]
    for few in shapes.minorities:
        squared = few.squared[position]
        match, root = (values @ few.shares.T)[places], noise * np.sqrt(squared)
        numbers = sizes * few.share
        expected = numbers * squared
        found = match - (sizes - numbers) * few.overlap[:, position]
        np.minimum(found, _AT_MOST * expected + _AT_MOST_NOISE * root, out=found)
        found -= expected / 2
        found *= numbers / (noise**2 + (_APART_MISFIT * numbers) ** 2 + (few.misfit * sizes) ** 2)
        np.clip(found, _LEAST_EVIDENCE, _MOST_EVIDENCE, out=found)
        yield few, np.exp(found, out=found)


def learn_shape_prior(shapes: PlacedShapes, batches: Iterable[NoisyCounts], threads: int = 1) -> FloatArray:
    """The log-prior of all placed shapes, with the share of each shape fitted to the noisy counts.

    This is post-processing, which costs nothing. Among many minorities far above some seem to be there in
    noise alone: so one is a habit of the table only if all counts together surely speak for it.
    """
    seen = in_threads(partial(_seen, shapes), list(batches), threads)
    common, pairs = (np.concatenate(each) for each in zip(*seen, strict=True))
    habits = np.arange(len(APART_ODDS)) < len(APART_ODDS) - FAR
    learned = _fitted(common, pairs, COMMON_PRIOR, APART_ODDS, habits)
    for _ in range(_MOST_HABITS):
        gains = _gains(common, pairs, *learned)
        gains[:, habits] = 0.0
        share, kind = np.unravel_index(gains.argmax(), gains.shape)
        if gains[share, kind] < _SURELY:
            break
        habits[kind] = True
        weights, odds = learned
        odds[kind] += _HABITS[share] / (1 - _HABITS[share])
        learned = _fitted(common, pairs, weights, odds, habits)
    weights, odds = learned
    alone = weights / (1 + HAS @ odds)
    every = np.concatenate([alone, np.add.reduceat(alone[MEMBER] * odds[KIND], FIRST)])
    return np.repeat(np.log(every), shapes.positions)


def _seen(shapes: PlacedShapes, counts: NoisyCounts) -> tuple[FloatArray, FloatArray]:
    """The likelihood, at an unknown position, of each shape of the many and of each with each minority."""
    by_shape = _likelihood(shapes, counts).reshape(len(counts.sizes), -1, shapes.positions)
    of_many = {many: by_shape[:, list(many.members)] for many in MANY}
    likely = _places(np.max([each.max(axis=1) for each in of_many.values()], axis=0) > _UNLIKELY)
    pairs, placed = np.empty((len(by_shape), MEMBER.size)), np.zeros(by_shape[:, 0].shape, dtype=np.float32)
    ends = [*FIRST, MEMBER.size]
    for few, evidence in _evidence_apart(shapes, counts, likely):
        for number, many, each in zip(few.numbers, few.manys, evidence, strict=True):
            placed[likely] = each
            found = np.matmul(of_many[many], placed[:, :, None])[:, :, 0]
            pairs[:, ends[number] : ends[number + 1]] = found
    return by_shape.sum(axis=2, dtype=np.float64), pairs


def _gains(common: FloatArray, pairs: FloatArray, weights: FloatArray, odds: FloatArray) -> FloatArray:
    """By how much the likelihood's logarithm rises if some groups have a minority: by share and kind."""
    alone = weights / (1 + HAS @ odds)
    mixed = common @ alone + pairs @ (alone[MEMBER] * odds[KIND])
    of_kind = (KIND[:, None] == np.arange(len(odds))) * alone[MEMBER, None]
    ratio = pairs @ of_kind / (alone @ HAS) / mixed[:, None] - 1
    gains: FloatArray = np.array([np.log1p(share * ratio).sum(axis=0) for share in _HABITS])
    return gains


def _fitted(
    common: FloatArray, pairs: FloatArray, weights: FloatArray, odds: FloatArray, habits: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """What groups most likely are made of, by expectation-maximisation: weights of the many, odds of few.

    Minorities that are no habit of the table keep their prior odds.
    """
    prior_alone = _PRIOR_GROUPS * COMMON_PRIOR / (1 + HAS @ APART_ODDS)
    for _ in range(_STEPS):
        alone = weights / (1 + HAS @ odds)
        joint = alone[MEMBER] * odds[KIND]
        scale = 1 / (common @ alone + pairs @ joint)
        alone = alone * (scale @ common) + prior_alone
        joint = joint * (scale @ pairs) * habits[KIND] + prior_alone[MEMBER] * APART_ODDS[KIND]
        odds = np.bincount(KIND, joint) / (alone @ HAS)
        weights = alone + np.bincount(MEMBER, joint, len(alone))
        weights = weights / weights.sum()
    return weights, odds
