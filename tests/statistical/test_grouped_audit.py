"""Audits of whole releases on neighbouring tables: what is claimed holds, and planted faults are convicted.

A table of many equal groups is as many independent runs: groups share nothing but the shapes that are
learned from all of them, which these audits switch off.
"""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import relgauss as rg
from relgauss.audit import AuditReport, audit_samplers
from relgauss.bounded.exact_sum import BoundedAnswer
from relgauss.grouped import measured_batches as measuring
from relgauss.grouped import release_means
from relgauss.grouped.assumed_spread import estimate_assumed
from relgauss.grouped.column_budget import divide_budget
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.noisy_measurements import measure_counts, measure_ramps, measure_sums
from relgauss.grouped.placed_shapes import placed_shapes
from relgauss.grouped.quantile_places import Levels, choose_ramps
from relgauss.grouped.sides import choose_windows, compose_groups, fit_sides
from relgauss.grouped.signed_grid import Ramps, Windows
from relgauss.grouped.totals import OUTSIDE_WEIGHT, CellTotals, GroupTotals
from relgauss.grouped.value_rule import ValueRule
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity

from .grouped_cases import totals_of

pytestmark = pytest.mark.statistical

EPSILON, DELTA = 8.0, 1e-5
MU = rg.Budget(EPSILON, DELTA).mu
LOW, HIGH = 1e3, 1e4
CONFIDENCE = 1 - 1e-8
MANY = 70_000

OTHERS = 5e3 * np.exp(0.1 * np.random.default_rng(0).normal(size=29))
NEIGHBOURS = totals_of([np.append(OTHERS, LOW)], LOW, HIGH), totals_of([np.append(OTHERS, HIGH)], LOW, HIGH)
GRID = NEIGHBOURS[0].grid
SHAPES = placed_shapes(GRID.magnitudes)


def unclipped_sums(
    self: CellTotals, groups: NDArray[np.intp], windows: Windows, contribution: Contribution
) -> BoundedAnswer:
    """A planted fault: the window sets the noise, but values outside of it are not clipped."""
    low, high = self.grid.edges[windows.lower], self.grid.edges[windows.upper]
    values = (self.sums[groups].sum(axis=1) * 2.0**self.rule.exponent).astype(float)
    total = values - (low + high) / 2 * self.sizes[groups]
    moved = math.hypot(contribution.sum_sensitivity, OUTSIDE_WEIGHT)
    place, counts = np.arange(self.grid.value_cells), self.counts[groups, : self.grid.value_cells]
    is_outside = (place < windows.lower[:, None]) | (place >= windows.upper[:, None])
    answer = np.column_stack([total / (high - low), OUTSIDE_WEIGHT * (counts * is_outside).sum(axis=1)])
    return BoundedAnswer(answer, AbsoluteSensitivity(moved, "enforced"))


class Unclipped(CellTotals):
    window_sums = unclipped_sums


def repeated(totals: CellTotals, count: int, kind: type[CellTotals] = CellTotals) -> CellTotals:
    """A table of this many groups, all equal."""
    return kind(
        tuple(range(count)),
        np.repeat(totals.counts, count, axis=0),
        np.repeat(totals.sums, count, axis=0),
        totals.grid,
        totals.rule,
    )


def in_chunks(run: Callable[[int], np.ndarray], most: int = 2_000) -> Callable[[int], np.ndarray]:
    """Shapes of many groups take memory."""

    def all_of(count: int) -> np.ndarray:
        return np.concatenate([run(min(most, count - start)) for start in range(0, count, most)])

    return all_of


def measurements(
    totals: CellTotals, rng: np.random.Generator | None, kind: type[CellTotals] = CellTotals
) -> Callable[[int], np.ndarray]:
    """Everything that a group releases: noisy counts, its window, the noisy sum in window widths."""

    def run(count: int) -> np.ndarray:
        table = repeated(totals, count, kind)
        groups = np.arange(count)
        sizes = table.sizes.astype(float)
        budget = divide_budget(sizes, MU, GRID.bins, ONE_ROW)
        counts = measure_counts(table, groups, sizes, ONE_ROW, budget.mu_counts, rng)
        parts = compose_groups(GRID, SHAPES, counts)
        sides = fit_sides(GRID, SHAPES, SHAPES.log_prior, counts, parts)
        windows = choose_windows(GRID, sides, parts, sizes, 1 / (sizes * budget.mu_sums))
        sums = measure_sums(table, groups, windows, ONE_ROW, budget.mu_sums, rng)
        return np.column_stack([counts.values, windows.lower, windows.upper, sums.values, sums.outside])

    return in_chunks(run)


def log_ratio(kind: type[CellTotals] = CellTotals) -> Callable[[np.ndarray], np.ndarray]:
    """The exact log-likelihood ratio of what a group releases, the second neighbour over the first."""
    first, second = (repeated(totals, 1, kind) for totals in NEIGHBOURS)
    budget = divide_budget(first.sizes.astype(float), MU, GRID.bins, ONE_ROW)
    counts = [totals.bin_counts(np.array([0]), ONE_ROW).value[0] for totals in (first, second)]
    cells = GRID.value_cells
    sums = np.zeros((2, cells + 1, cells + 1, 2))
    for which, totals in enumerate((first, second)):
        for lower in range(cells):
            for upper in range(lower + 1, cells + 1):
                window = Windows(np.array([lower]), np.array([upper]))
                sums[which, lower, upper] = totals.window_sums(np.array([0]), window, ONE_ROW).value

    def score(outputs: np.ndarray) -> np.ndarray:
        bins = GRID.bins
        lower, upper = outputs[:, bins].astype(int), outputs[:, bins + 1].astype(int)
        moved = counts[1] - counts[0]
        by_counts = (outputs[:, :bins] - (counts[0] + counts[1]) / 2) @ moved * budget.mu_counts[0] ** 2 / 2
        one, other = sums[0, lower, upper], sums[1, lower, upper]
        released = outputs[:, bins + 2 :] * [1.0, OUTSIDE_WEIGHT]
        by_sum = ((released - (one + other) / 2) * (other - one)).sum(axis=1)
        return by_counts + by_sum * budget.mu_sums[0] ** 2 / (1 + OUTSIDE_WEIGHT**2)

    return score


def audit_measurements(
    samples: int, rng: np.random.Generator | None, kind: type[CellTotals] = CellTotals
) -> AuditReport:
    first, second = (measurements(totals, rng, kind) for totals in NEIGHBOURS)
    return audit_samplers(
        first, second, log_ratio(kind), claim=rg.GaussianDP(MU), samples=samples, confidence=CONFIDENCE
    )


@pytest.fixture(scope="module")
def many_measurements() -> list[np.ndarray]:
    """All that 35,000 groups of each neighbour release."""
    rng = np.random.default_rng(1)
    return [measurements(totals, rng)(MANY // 2) for totals in NEIGHBOURS]


def verdict_on(outputs: list[np.ndarray], claim: float) -> AuditReport:
    """The verdict on this claim, as an audit would give that drew these outputs."""

    def again(drawn: np.ndarray) -> Callable[[int], np.ndarray]:
        rows = iter(drawn)
        return lambda count: np.array([next(rows) for _ in range(count)])

    first, second = map(again, outputs)
    return audit_samplers(
        first, second, log_ratio(), claim=rg.GaussianDP(claim), samples=MANY, confidence=CONFIDENCE
    )


def test_everything_released_stays_below_the_claim_and_comes_near_it(many_measurements: list[np.ndarray]):
    report = verdict_on(many_measurements, MU)
    assert report.verdict == "consistent"
    assert report.share > 0.8


def test_everything_released_with_secure_noise_stays_below_the_claim():
    """Convicted by bad luck once in a hundred million runs."""
    assert audit_measurements(6_000, None).verdict == "consistent"


def test_a_window_that_is_not_applied_is_convicted():
    report = audit_measurements(20_000, np.random.default_rng(2), Unclipped)
    assert report.verdict == "convicted"
    assert report.epsilon_lower > 1.5 * report.epsilon_claimed


class Unbounded(CellTotals):
    """A planted fault: a value beyond a ramp counts as far as it lies, as if ramps had no end."""

    def ramp_counts(
        self, groups: NDArray[np.intp], ramps: Ramps, contribution: Contribution
    ) -> BoundedAnswer:
        edges = self.grid.edges
        start, end = edges[ramps.lower], edges[ramps.upper]
        values = np.array([math.ldexp(float(sum(self.sums[group])), self.rule.exponent) for group in groups])
        risen = (values[:, None] - self.sizes[groups, None] * start) / (end - start)
        whole = self.sizes[groups, None].astype(float)
        answer = -np.diff(np.concatenate([whole, risen, 0 * whole], axis=1), axis=1)
        return BoundedAnswer(answer, AbsoluteSensitivity(contribution.count_sensitivity, "enforced"))


FINE = (
    totals_of([np.append(OTHERS, LOW)], LOW, HIGH, fine=True),
    totals_of([np.append(OTHERS, HIGH)], LOW, HIGH, fine=True),
)
QUARTILES = (0.25, 0.5, 0.75)


def looks(
    totals: CellTotals, kind: type[CellTotals], rng: np.random.Generator
) -> Callable[[int], np.ndarray]:
    """The two looks at quantiles, at half of mu² each: noisy counts, the ramps they choose, their numbers."""
    mu = np.full(2_000, MU / math.sqrt(2))

    def run(count: int) -> np.ndarray:
        table = repeated(totals, count, kind)
        groups, sizes = np.arange(count), table.sizes.astype(float)
        counts = measure_counts(table, groups, sizes, ONE_ROW, mu[:count], rng)
        parts = compose_groups(GRID, SHAPES, counts)
        sides = fit_sides(GRID, SHAPES, SHAPES.log_prior, counts, parts)
        places = Levels.of(QUARTILES, sides, parts.zero_of_present)
        ramps = choose_ramps(table.grid, sides, places, np.zeros(count, dtype=np.bool_), 1)
        noisy = measure_ramps(table, groups, ramps, ONE_ROW, mu[:count], rng)
        return np.column_stack([counts.values, ramps.lower, ramps.upper, noisy.values])

    return in_chunks(run)


def log_ratio_of_looks(kind: type[CellTotals]) -> Callable[[np.ndarray], np.ndarray]:
    """The exact log-likelihood ratio of both looks, the second neighbour over the first."""
    first, second = (repeated(totals, 1, kind) for totals in FINE)
    counts = [totals.bin_counts(np.array([0]), ONE_ROW).value[0] for totals in (first, second)]
    bins, levels = GRID.bins, len(QUARTILES)

    def score(outputs: np.ndarray) -> np.ndarray:
        ends = outputs[:, bins : bins + 2 * levels].astype(np.intp)
        ramps = Ramps(ends[:, :levels], ends[:, levels:])
        every = np.arange(len(outputs))
        one, other = (
            repeated(totals, len(outputs), kind).ramp_counts(every, ramps, ONE_ROW)
            for totals in (first, second)
        )
        by_counts = (outputs[:, :bins] - (counts[0] + counts[1]) / 2) @ (counts[1] - counts[0])
        released = outputs[:, bins + 2 * levels :]
        by_ramps = ((released - (one.value + other.value) / 2) * (other.value - one.value)).sum(axis=1)
        return (by_counts / 2 + by_ramps / one.sensitivity.r**2) * MU**2 / 2

    return score


@pytest.mark.parametrize(
    ("kind", "claim", "verdict"),
    [
        (CellTotals, MU, "consistent"),
        (CellTotals, MU / math.sqrt(2), "convicted"),
        (Unbounded, MU, "convicted"),
    ],
    ids=["honest", "one look for two", "ramps without end"],
)
def test_looks_at_quantiles_stay_below_the_claim(kind: type[CellTotals], claim: float, verdict: str):
    rng = np.random.default_rng(6)
    report = audit_samplers(
        *(looks(totals, kind, rng) for totals in FINE),
        log_ratio_of_looks(kind),
        claim=rg.GaussianDP(claim),
        samples=40_000,
        confidence=CONFIDENCE,
    )
    assert report.verdict == verdict
    assert verdict == "convicted" or report.share > 0.7


def audit_published(monkeypatch: pytest.MonkeyPatch) -> AuditReport:
    """The whole way, from two neighbouring tables to published estimates."""
    monkeypatch.setattr(measuring, "learn_shape_prior", lambda shapes, batches, threads: shapes.log_prior)
    rng, options = np.random.default_rng(3), {"epsilon": EPSILON, "delta": DELTA, "value_range": (LOW, HIGH)}

    def sampler(value: float) -> Callable[[int], np.ndarray]:
        group = np.append(OTHERS, value)

        def run(count: int) -> np.ndarray:
            keys = np.repeat(np.arange(count), group.size)
            table = pa.table({"job": keys, "salary": np.tile(group, count)})
            return release_means(table, by="job", value="salary", rng=rng, **options).estimate[:, None]

        return in_chunks(run)

    return audit_samplers(
        sampler(LOW),
        sampler(HIGH),
        lambda rows: rows[:, 0],
        claim=rg.GaussianDP(MU),
        samples=10_000,
        confidence=CONFIDENCE,
    )


def test_published_numbers_stay_below_the_claim(monkeypatch: pytest.MonkeyPatch):
    report = audit_published(monkeypatch)
    assert report.verdict == "consistent"
    assert report.share > 0.3


def test_published_numbers_betray_a_window_that_is_not_applied(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(CellTotals, "window_sums", unclipped_sums)
    report = audit_published(monkeypatch)
    assert report.verdict == "convicted"


def test_assumed_means_stay_below_the_claim_and_come_near_it():
    """One record at each end of the spread, all others at its lower end."""
    spread, size, rule, rng = 0.3, 8, ValueRule(LOW, HIGH), np.random.default_rng(4)

    def released(value: float, count: int = 20_000) -> np.ndarray:
        total = (size - 1) * rule.units(5e3) + rule.units(value)
        totals = GroupTotals(tuple(range(count)), np.full(count, size), (total,) * count, rule)
        return np.log(estimate_assumed(totals, (spread,) * count, MU, 0.95, rng).estimate)

    outputs = released(5e3), released(5e3 * (1 + spread))

    def verdict(claim: float) -> AuditReport:
        first, second = (iter(each.tolist()) for each in outputs)
        return audit_samplers(
            lambda count: np.array([[next(first)] for _ in range(count)]),
            lambda count: np.array([[next(second)] for _ in range(count)]),
            lambda rows: rows[:, 0],
            claim=rg.GaussianDP(claim),
            samples=40_000,
            confidence=CONFIDENCE,
        )

    honest = verdict(MU)
    assert honest.verdict == "consistent"
    assert honest.share > 0.7
    assert verdict(MU / 2).verdict == "convicted"


def test_sizes_taken_after_filtering_are_convicted():
    """A query that drops rows for what they hold: the public sizes alone tell the neighbours apart."""
    people = pd.DataFrame({"job": "clerk", "salary": np.append(OTHERS, np.nan)})
    whole = replace_last(people, 5e3)
    options = {"by": "job", "value": "salary", "epsilon": EPSILON, "delta": DELTA, "value_range": (LOW, HIGH)}

    def sampler(data: pd.DataFrame, query: str | None) -> Callable[[int], np.ndarray]:
        released = release_means(data, query=query, rng=np.random.default_rng(5), **options)
        return lambda count: np.full((count, 1), released.sizes[0], dtype=float)

    def verdict(query: str | None) -> str:
        return audit_samplers(
            sampler(people, query),
            sampler(whole, query),
            lambda rows: rows[:, 0],
            claim=rg.GaussianDP(MU),
            samples=10_000,
            confidence=CONFIDENCE,
        ).verdict

    assert verdict("SELECT * FROM data WHERE salary > 0") == "convicted"
    assert verdict(None) == "consistent"


def replace_last(people: pd.DataFrame, salary: float) -> pd.DataFrame:
    changed = people.copy()
    changed.loc[changed.index[-1], "salary"] = salary
    return changed


def test_a_share_spent_twice_is_convicted(many_measurements: list[np.ndarray]):
    """The audit can tell a budget that is a half too large: both stages at the whole mu."""
    assert verdict_on(many_measurements, MU / math.sqrt(2)).verdict == "convicted"
