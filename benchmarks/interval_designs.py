"""How often 95 % intervals hold the truth in designs that are drawn at random, by the recipe below.

The truth is what the intervals speak of, of a million further records of the same population with the
ranges that the very model released: least squares of the clipped label on clipped features or, where the fit
says so, the robust line. Beside it stand least squares and the slopes of the line that labels are made by,
whatever the fit says. Run alone, with a number of designs, fits of each and a first design:
``python -m benchmarks.interval_designs 100 4 0``.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.special import stdtrit
from scipy.stats import norm

from relgauss.budget import Budget
from relgauss.linear_model import Fitted, PrivateRidge
from tests.statistical.interval_lines import least_squares, robust_line, watched

POPULATION = 1_000_000
DESIGNS, FITS = 100, 4
COUNTS = 1_000, 2_000, 5_000, 10_000, 20_000, 50_000
EPSILONS = 0.5, 1.0, 2.0, 5.0, 10.0
R2S = 0.05, 0.3, 0.7, 0.9, 0.97, 0.99, 0.999
COLUMNS = 1, 2, 3, 4, 6
ENDS = 0.0005, 0.9995  # quantiles that bounds are
GIVEN = "nothing", "nothing", "nothing", "bounds", "bounds", "no clip"

Rng = np.random.Generator
# What a uniform number becomes, so that features may be correlated as normal numbers are.
FEATURES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "uniform": lambda u: u,
    "normal": norm.ppf,
    "lognormal .3": lambda u: np.exp(0.3 * norm.ppf(u)),
    "lognormal .5": lambda u: np.exp(0.5 * norm.ppf(u)),
    "lognormal 1": lambda u: np.exp(norm.ppf(u)),
    "exponential": lambda u: -np.log1p(-u),
    "gamma": lambda u: norm.ppf(u) ** 2 / 2 - np.log1p(-u),
    "t3": lambda u: stdtrit(3.0, np.clip(u, 1e-12, 1 - 1e-12)),
    "pareto": lambda u: (1 - u) ** -0.4,
    "binary": lambda u: (u > 0.7).astype(float),
    "counts": lambda u: np.floor(np.exp(0.8 + 0.5 * norm.ppf(u))),
    "mostly zero": lambda u: np.where(u < 0.6, 0.0, np.exp(0.5 * norm.ppf((u - 0.6) / 0.4 + 1e-12))),
}
ERRORS: dict[str, Callable[[int, Rng], np.ndarray]] = {
    "normal": lambda count, rng: rng.normal(size=count),
    "t3": lambda count, rng: rng.standard_t(3, count) / math.sqrt(3),
    "skewed": lambda count, rng: rng.exponential(size=count) - 1,
    "lognormal": lambda count, rng: (rng.lognormal(0, 0.7, count) - math.exp(0.245)) / 1.018,
}


@dataclass(frozen=True)
class Design:
    """A population, and what a fit to records of it is told; all of it follows from its number."""

    number: int
    families: tuple[str, ...]
    root: np.ndarray  # of the correlations
    units: np.ndarray
    shifts: np.ndarray
    slopes: np.ndarray  # of features of variance one
    errors: str
    grow: bool
    r2: float
    label_unit: float
    count: int
    epsilon: float
    given: str

    @classmethod
    def drawn(cls, number: int) -> Design:
        """The recipe."""
        rng = np.random.default_rng([number, 14])
        dim = int(rng.choice(COLUMNS))
        families = tuple(str(each) for each in rng.choice(list(FEATURES), size=dim))
        root = np.eye(dim)
        if rng.random() < 0.4:
            shared = rng.uniform(0.2, 0.8)
            root = np.linalg.cholesky(shared * np.ones((dim, dim)) + (1 - shared) * np.eye(dim))
        return cls(
            number,
            families,
            root,
            10.0 ** rng.uniform(-3, 5, dim),
            np.where(rng.random(dim) < 0.3, rng.normal(0, 5, dim), 0.0),
            rng.normal(size=dim) + np.where(rng.random(dim) < 0.5, 0.5, -0.5),
            str(rng.choice(list(ERRORS))),
            bool(rng.random() < 0.3),
            float(rng.choice(R2S)),
            float(10.0 ** rng.uniform(-3, 5)),
            int(rng.choice(COUNTS)),
            float(rng.choice(EPSILONS)),
            str(rng.choice(GIVEN)),
        )

    def records(self, count: int, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        """So many records: features in units of their own, labels of which the features explain ``r2``."""
        uniform = norm.cdf(rng.normal(size=(count, len(self.families))) @ self.root.T)
        uniform = np.clip(uniform, 1e-15, 1 - 1e-15)
        raw = np.column_stack(
            [FEATURES[name](column) for name, column in zip(self.families, uniform.T, strict=True)]
        )
        middles, deviations = np.transpose([_MOMENTS[name] for name in self.families])
        plain = (raw - middles) / deviations
        explained = plain @ self.slopes
        errors = ERRORS[self.errors](count, rng)
        if self.grow:
            errors *= np.abs(plain[:, 0] - _LOW) / math.hypot(1, _LOW)
        errors *= math.sqrt((1 - self.r2) / self.r2) * self._deviation
        return self.units * (plain + self.shifts), self.label_unit * (explained + errors)

    @property
    def _deviation(self) -> float:
        """What the explained part would have of independent features."""
        return float(np.linalg.norm(self.slopes))

    @property
    def beta(self) -> np.ndarray:
        """The slopes in the features' units."""
        return self.label_unit * self.slopes / self.units


_LOW = -1.2  # where errors that grow with the first feature, in its deviations, are none
_GRID = norm.cdf(np.random.default_rng(0).normal(size=POPULATION))
_MOMENTS = {name: (float(make(_GRID).mean()), float(make(_GRID).std())) for name, make in FEATURES.items()}


class Held(NamedTuple):
    """Of a slope or an intercept: the miss in standard errors, the interval's width over least squares'."""

    what: str
    miss: float
    wide: float
    squares_miss: float
    plain_miss: float
    is_robust: bool


def fit(design: Design, seed: int, population: tuple[np.ndarray, np.ndarray]) -> list[Held] | str:
    """What a fit's intervals hold, or why it has none."""
    features, labels = design.records(design.count, np.random.default_rng([design.number, seed, 1]))
    options: dict[str, Any] = {}
    if design.given == "bounds":
        options["feature_bounds"] = tuple(np.quantile(population[0], ENDS, axis=0))
        options["label_bounds"] = tuple(np.quantile(population[1], ENDS).tolist())
    if design.given == "no clip":
        options["clip_features"] = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with watched() as seen:
            model = PrivateRidge(design.epsilon, random_state=seed, **options).fit(features, labels)
    if not isinstance(model.outcome_, Fitted):
        return "degraded"
    if model.outcome_.no_intervals:
        return "no intervals"
    is_robust = model.outcome_.robust_beyond is not None
    squares, _ = least_squares(*population, model)
    if is_robust and model.outcome_.ignored:
        return "robust, but with ignored features"
    truth = robust_line(*population, seen) if is_robust else squares
    _, sandwich = least_squares(features, labels, model)
    errors, found = model.standard_errors_, np.append(model.coef_, model.intercept_)
    beta = np.append(design.beta, math.nan)
    return [
        Held(
            "intercept" if place == truth.size - 1 else design.families[place],
            float(abs(found[place] - truth[place]) / errors[place]),
            float(errors[place] / sandwich[place]),
            float(abs(found[place] - squares[place]) / errors[place]),
            float(abs(found[place] - beta[place]) / errors[place]),
            is_robust,
        )
        for place in range(truth.size)
    ]


def run(designs: int = DESIGNS, fits: int = FITS, first: int = 0) -> None:
    """All designs from the first on, and how often intervals held, by what they are made of."""
    groups: dict[str, list[Held]] = defaultdict(list)
    outcomes: dict[str, int] = defaultdict(int)
    for number in range(first, first + designs):
        design = Design.drawn(number)
        population = design.records(POPULATION, np.random.default_rng([number, 2]))
        for seed in range(fits):
            found = fit(design, seed, population)
            if isinstance(found, str):
                outcomes[found] += 1
                continue
            outcomes["with intervals"] += 1
            for each in found:
                for group in _groups(design, each):
                    groups[group].append(each)
    table = Table(
        title=f"95 % intervals: {designs} designs from {first} on, {fits} fits each: {dict(outcomes)}"
    )
    for header in (
        "of",
        "intervals",
        "held",
        "least squares held",
        "the line's slopes",
        "width over least squares', median",
        "mean",
    ):
        table.add_column(header, justify="left" if header == "of" else "right")
    for group in sorted(groups):
        table.add_row(group, *_row(groups[group]))
    Console(width=140).print(table)


def _groups(design: Design, each: Held) -> Iterable[str]:
    if each.what == "intercept":
        yield "intercepts"
        return
    signal = design.count * Budget(design.epsilon, 1e-6).mu
    low = max(edge for edge in (0, 900, 2_000, 5_000, 20_000) if edge <= signal)
    grown = ", growing" if design.grow else ""
    yield " all slopes"
    yield " for the robust line" if each.is_robust else " for least squares"
    yield f"errors: {design.errors}{grown}"
    yield f"feature: {each.what}"
    yield f"given: {design.given}"
    yield f"n mu from {low:6,}"
    yield f"r2: {design.r2}"


def _row(several: list[Held]) -> list[str]:
    misses, wide, squares, plain, _ = np.transpose([each[1:] for each in several])
    known = ~np.isnan(misses)
    if not known.any():
        return ["0"]
    return [
        str(int(known.sum())),
        f"{(misses[known] <= 2).mean():.1%}",
        f"{(squares[known] <= 2).mean():.1%}",
        f"{(plain[known] <= 2).mean():.1%}",
        f"{np.median(wide[known]):.2f}",
        f"{wide[known].mean():.2f}",
    ]


if __name__ == "__main__":
    run(*(int(each) for each in sys.argv[1:]))
