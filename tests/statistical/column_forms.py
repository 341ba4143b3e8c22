"""Columns as they are: tables of groups of one form, at scales that nobody knows, with seeded noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import relgauss as rg
from relgauss.grouped.column_estimates import ColumnEstimates
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid, Signs
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

GROUPS, DELTA = 400, 1e-6
RANGE, SCALES = (1.0, 1e8), (1e2, 1e4)

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


@dataclass(frozen=True)
class Form:
    """How the values of a group lie, up to a scale; ``far`` says whether records far out decide the mean."""

    draw: Draw
    signs: Signs = "positive"
    far: bool = False
    scaled: bool = True


def _lognormal(spread: float) -> Draw:
    return lambda rng, shape: np.exp(spread * rng.normal(size=shape))


def _zeros(share: float) -> Draw:
    return lambda rng, shape: np.where(rng.random(shape) < share, 0.0, np.exp(rng.normal(size=shape)))


def _far(share: float, ratio: float) -> Draw:
    spread = 0.3
    return lambda rng, shape: (
        np.where(rng.random(shape) < share, ratio, 1.0) * np.exp(spread * rng.normal(size=shape))
    )


def _profit_and_loss(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.where(rng.random(shape) < 0.6, 1.0, -1.5) * np.exp(0.8 * rng.normal(size=shape))


FORMS = {
    "normal around 0": Form(lambda rng, shape: rng.normal(size=shape), "both"),
    "profit and loss": Form(_profit_and_loss, "both"),
    "lognormal 0.3": Form(_lognormal(0.3)),
    "lognormal 1": Form(_lognormal(1.0)),
    "lognormal 2": Form(_lognormal(2.0), far=True),
    "Pareto 1.1": Form(lambda rng, shape: 1 + rng.pareto(1.1, shape), far=True),
    "Pareto 1.5": Form(lambda rng, shape: 1 + rng.pareto(1.5, shape), far=True),
    "Pareto 2": Form(lambda rng, shape: 1 + rng.pareto(2.0, shape)),
    "exponential": Form(lambda rng, shape: rng.exponential(size=shape)),
    "uniform": Form(lambda rng, shape: rng.uniform(size=shape)),
    "constant": Form(lambda rng, shape: np.ones(shape)),
    **{f"{share} % zeros": Form(_zeros(share / 100)) for share in (10, 40, 60, 90)},
    **{
        f"{share} % at ×{ratio}": Form(_far(share / 100, ratio), far=True)
        for ratio in (20, 100)
        for share in (1, 5, 20)
    },
    "two far peaks": Form(_far(0.5, 1_000)),
    "integers 0 to 5": Form(lambda rng, shape: rng.integers(0, 6, shape).astype(float), scaled=False),
}


@dataclass(frozen=True, eq=False)
class Cell:
    """One table of groups: their values after the rule, and what was said of them."""

    values: np.ndarray
    found: ColumnEstimates
    count_std: float

    @property
    def means(self) -> np.ndarray:
        """The true means."""
        return self.values.mean(axis=1)

    @property
    def unflagged(self) -> np.ndarray:
        """The groups whose interval nothing speaks against."""
        return self.found.statistics["mean"].flags == 0

    def held(self, narrower: float = 1.0) -> np.ndarray:
        """Whether the interval of each mean holds it; it may be narrowed, to see whether this is noticed."""
        mean = self.found.statistics["mean"]
        return _holds(mean.lower, mean.upper, self.means, narrower)

    def clipped_held(self, narrower: float = 1.0) -> np.ndarray:
        """Whether the interval of each clipped mean holds it."""
        window = self.found.window
        clipped = np.clip(self.values, window.low[:, None], window.high[:, None]).mean(axis=1)
        return _holds(window.clipped_lower, window.clipped_upper, clipped, narrower)

    @property
    def far_records(self) -> float:
        """How many records of a group lie above ten times its median magnitude, in a typical group."""
        typical = np.median(np.abs(self.values), axis=1, keepdims=True)
        return float(np.median((np.abs(self.values) > 10 * typical).sum(axis=1)))

    @property
    def width(self) -> float:
        """The typical width of intervals of means, in widths of those of clipped means: of noise alone."""
        mean, window = self.found.statistics["mean"], self.found.window
        noise = window.clipped_upper - window.clipped_lower
        return float(np.nanmedian((mean.upper - mean.lower) / noise))

    def error(self, signs: Signs) -> float:
        """The median error of means, relative to them, or to the standard deviation where signs differ."""
        scale = self.values.std(axis=1) if signs == "both" else np.abs(self.means)
        return float(np.nanmedian(np.abs(self.found.statistics["mean"].estimate - self.means) / scale))


def _holds(lower: np.ndarray, upper: np.ndarray, truth: np.ndarray, narrower: float) -> np.ndarray:
    middle, half = (lower + upper) / 2, narrower * (upper - lower) / 2
    room = 1e-9 * np.abs(truth)
    return np.abs(truth - middle) <= half + room


def simulate(form: str, size: int, epsilon: float, groups: int = GROUPS, seed: int = 1) -> Cell:
    """One table of groups of this form and size."""
    chosen, rng = FORMS[form], np.random.default_rng([seed, size, round(10 * epsilon), len(form)])
    scales = np.exp(rng.uniform(*np.log(SCALES), (groups, 1))) if chosen.scaled else 1.0
    rule = ValueRule(*RANGE, chosen.signs)
    values = rule.apply(scales * chosen.draw(rng, (groups, size)))
    mu = rg.Budget(epsilon, DELTA).mu
    totals = totals_of(values, SignedGrid(LogGrid.over(*RANGE), chosen.signs), rule)
    found = measure_column(totals, ONE_ROW, mu, ["mean"], 0.95, rng)
    return Cell(values, found, math.sqrt(2) / (mu * math.sqrt(0.3)))


def totals_of(values: np.ndarray, grid: SignedGrid, rule: ValueRule) -> CellTotals:
    """What the pass over the records would make of these groups, but for the rounding of sums."""
    groups = len(values)
    place = (np.arange(groups)[:, None] * grid.cells + grid.cells_of(values)).ravel()
    counts = np.bincount(place, minlength=groups * grid.cells).reshape(groups, -1)
    units = values.ravel() * 2.0**-rule.exponent
    sums = np.bincount(place, weights=units, minlength=groups * grid.cells).reshape(groups, -1)
    return CellTotals(tuple(range(groups)), counts, sums, grid, rule)
