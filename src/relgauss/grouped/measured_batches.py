"""Noise for the counts of all groups, then for ramps, windows and sums of some groups at a time, in threads.

What a batch is asked depends on what was released of it and of all groups before, and on nothing else; noise
is drawn for one batch after the other. So results do not depend on the number of threads.
Proof: proofs/grouped-means.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from relgauss.arrays import FloatArray
from relgauss.grouped.column_budget import ColumnBudget
from relgauss.grouped.column_statistics import MeasuredGroups
from relgauss.grouped.contribution import Contribution
from relgauss.grouped.mean_interval import count_outside, is_whole_range, mean_interval
from relgauss.grouped.measured_quantiles import measure_quantiles
from relgauss.grouped.noisy_measurements import (
    ClippedMeans,
    NoisyCounts,
    NoisySizes,
    NoisySums,
    Present,
    measure_counts,
    measure_sums,
)
from relgauss.grouped.placed_shapes import PlacedShapes, placed_shapes
from relgauss.grouped.posterior_mean import mean_quantiles
from relgauss.grouped.shape_weights import learn_shape_prior
from relgauss.grouped.sides import (
    Composition,
    Side,
    choose_windows,
    compose_groups,
    counts_of_side,
    fit_sides,
)
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.turns import Turns
from relgauss.grouped.usefulness import edges_of, facts_of
from relgauss.records.threads import in_threads

_WEIGHTS = 2**24  # of shapes, in memory at once: groups come in batches that have no more of them
_WEIGHTS_OF_A_DRAW = 2**22  # alike: noise is drawn for the sums of so many groups at a time
_LEARN_FROM = 512  # groups that tell well enough which shapes are common
_ROOM = 1.06  # windows follow the noisy count of missing values, which means divide by


def deviates_of(confidence: float) -> float:
    """How many noise levels an interval reaches to either side: a little more than the normal quantile."""
    return _ROOM * float(ndtri((1 + confidence) / 2))


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be released, and of which groups."""

    totals: CellTotals
    contribution: Contribution
    sizes: NoisySizes
    budget: ColumnBudget
    groups: NDArray[np.intp]
    levels: tuple[float, ...]
    asked: tuple[str, ...]
    confidence: float


@dataclass(frozen=True, eq=False)
class Said:
    """All that is kept of some groups."""

    columns: FloatArray
    facts: FloatArray
    edges: FloatArray
    below: FloatArray | float
    flags: NDArray[np.int8]
    unknown: NDArray[np.bool_]

    @classmethod
    def of(cls, measured: MeasuredGroups, plan: Plan) -> Said:
        """The statistics that are asked for, and what stands beside them."""
        means = measured.mean
        return cls(
            np.array([means if each == "mean" else measured.interval(each) for each in plan.asked]),
            facts_of(measured),
            edges_of(measured),
            measured.below() if plan.levels else 0.0,
            measured.outside.flags,
            is_whole_range(measured.grid, *means[1:]),
        )


def measure_batches(
    plan: Plan, threads: int, rng: np.random.Generator | None
) -> Iterator[tuple[NDArray[np.intp], Said]]:
    """Release counts of all groups, then ramps, windows and sums of some at a time, in threads.

    Noise is drawn for one batch after the other, so that a seed gives the same whatever the threads.
    """
    groups, grid = plan.groups, plan.totals.coarse.grid
    shapes = placed_shapes(grid.magnitudes)
    counts, parts, budget = _find(plan, shapes, threads, rng)
    plan = replace(plan, budget=budget)
    batches, draw_length = _parts(plan, shapes)
    log_prior = _learn(grid, shapes, counts, parts, draw_length, threads)
    turns = Turns()

    def work(place: int) -> tuple[NDArray[np.intp], Said]:
        chosen = batches[place]
        with turns.of(place) as turn:
            some, composition = counts.rows(chosen), parts.rows(chosen)
            sides = fit_sides(grid, shapes, log_prior, some, composition)
            measured = _measure_batch(plan, groups[chosen], some, composition, sides, draw_length, turn, rng)
            return groups[chosen], Said.of(measured, plan)

    yield from in_threads(work, range(len(batches)), threads)


def _parts(plan: Plan, shapes: PlacedShapes) -> tuple[list[slice], int]:
    """Batches of groups, about as long as each other, and for how many groups noise is drawn at a time.

    A batch has several draws only if they are all of sums: ramps and sums take turns.
    """
    drawn = max(_WEIGHTS_OF_A_DRAW // len(shapes.below), 1)
    draws = -(-len(plan.groups) // drawn)
    batches = draws if plan.levels else -(-draws // max(_WEIGHTS // _WEIGHTS_OF_A_DRAW, 1))
    starts = [place * draws // batches * drawn for place in range(batches)]
    ends = [*starts[1:], len(plan.groups)]
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)], drawn


def _measure_batch(
    plan: Plan,
    batch: NDArray[np.intp],
    counts: NoisyCounts,
    parts: Composition,
    sides: tuple[Side, ...],
    draw_length: int,
    turn: AbstractContextManager[None],
    rng: np.random.Generator | None,
) -> MeasuredGroups:
    """Ramps, windows and sums of some groups, and what is said of them."""
    coarse, contribution, size_std = plan.totals.coarse, plan.contribution, plan.sizes.noise_std
    grid, deviates = coarse.grid, deviates_of(plan.confidence)
    ends = (0.5, (1 - plan.confidence) / 2, (1 + plan.confidence) / 2)
    mu_sums, zero = plan.budget.mu_sums[batch], parts.zero_of_present
    number = np.maximum(counts.sizes * (1 - parts.missing), 1.0)
    present = Present.of(grid, counts, size_std)
    look, values = None, Present(number, present.noise_std)
    with turn:
        if plan.levels:
            look = measure_quantiles(
                plan.levels, plan.totals, batch, contribution, plan.budget, sides, zero, values, rng
            )
        noise_per_width = contribution.sum_sensitivity / (number * mu_sums)
        windows = choose_windows(grid, sides, parts, number, noise_per_width)
        draws = (slice(first, first + draw_length) for first in range(0, len(batch), draw_length))
        sums = NoisySums.joined(
            [
                measure_sums(coarse, batch[some], windows.rows(some), contribution, mu_sums[some], rng)
                for some in draws
            ]
        )
    outside = count_outside(grid, sums, counts, sides, zero, number, deviates)
    within = mean_interval(grid, sums, present, outside, deviates)
    means = ClippedMeans.of(grid, sums, values)
    (middle, low, high), located = mean_quantiles(
        sides if look is None else look.sides, zero, number, means, ends, locates=look is not None
    )
    lower, upper = np.minimum(within[0], low), np.maximum(within[1], high)
    return MeasuredGroups(
        grid=grid,
        counts=counts,
        size_std=size_std,
        present=present,
        number=number,
        sums=sums,
        sides=sides,
        zero=zero,
        outside=outside,
        mean=(np.clip(middle, lower, upper), lower, upper),
        quantiles={} if look is None else look.estimates(located),
        reading=None if look is None else look.reading,
        deviates=deviates,
    )


def _find(
    plan: Plan, shapes: PlacedShapes, threads: int, rng: np.random.Generator | None
) -> tuple[NoisyCounts, Composition, ColumnBudget]:
    """Counts of all groups, released again where few values are neither zero nor missing; what they show."""
    grid, groups, sizes = plan.totals.coarse.grid, plan.groups, plan.sizes.values[plan.groups]

    def measure(places: NDArray[np.intp], mu: FloatArray) -> NoisyCounts:
        some = groups[places]
        return measure_counts(plan.totals, some, sizes[places], plan.contribution, mu[some], rng)

    counts = measure(np.arange(len(groups)), plan.budget.mu_counts)
    parts = compose_groups(grid, shapes, counts, threads)
    budget = plan.budget.after_counts(groups, sizes, sizes * (parts.positive + parts.negative))
    few = np.flatnonzero(budget.more[groups])
    if few.size:
        counts = counts.joined(few, measure(few, budget.mu_more))
        parts = compose_groups(grid, shapes, counts, threads)
    return counts, parts, budget


def _learn(
    grid: SignedGrid,
    shapes: PlacedShapes,
    counts: NoisyCounts,
    parts: Composition,
    batch_length: int,
    threads: int,
) -> FloatArray:
    """The log-prior of placed shapes, learned from the larger side of every group."""
    positive = parts.positive >= parts.negative
    batches: list[NoisyCounts] = []
    for sign, share, chosen in ((1, parts.positive, positive), (-1, parts.negative, ~positive)):
        if chosen.any():
            of_side = counts_of_side(grid, counts, sign, share)
            batches += of_side.rows(chosen).at_most(_LEARN_FROM).batches(batch_length)
    return learn_shape_prior(shapes, batches, threads)
