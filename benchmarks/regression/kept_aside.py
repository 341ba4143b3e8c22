"""Tables kept aside while most rules of a fit were chosen; the last two rules have seen them."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator

import numpy as np

from benchmarks.regression.datasets import DATA
from benchmarks.regression.protocol import Task

_SALARIES = DATA / "baltimore_salaries.csv.gz"


def tasks() -> Iterator[Task]:
    """Five that are made up after kinds of real tables and, where at hand, the pay of a city's staff."""
    for make in (_energy, _visits, _crops, _flights, _answers):
        yield Task.of(make.__name__.removeprefix("_"), *make())
    if _SALARIES.exists():
        yield Task.of("salaries", *_salaries())


def _energy() -> tuple[np.ndarray, np.ndarray]:
    """Use of homes in a year: floor space, insulation, degree days, persons, a pool in one of twelve."""
    rng = np.random.default_rng(201)
    n = 25_000
    space, persons = rng.gamma(6, 20, n), 1 + rng.poisson(1.4, n)
    days, walls = rng.normal(2800, 600, n), rng.beta(2, 3, n)
    pool, built = (rng.random(n) < 1 / 12).astype(float), rng.integers(1900, 2020, n).astype(float)
    heat = space * days * (1.3 - walls) * 0.03
    use = heat + 900 * persons**0.8 + 4000 * pool - 8 * (built - 1960)
    return np.column_stack([space, persons, days, walls, pool, built]), use * np.exp(0.2 * rng.normal(size=n))


def _visits() -> tuple[np.ndarray, np.ndarray]:
    """Visits to a doctor: counts, half of them zero, by age, chronic illness, income and distance."""
    rng = np.random.default_rng(202)
    n = 18_000
    age, income = rng.uniform(18, 95, n), np.exp(rng.normal(10.2, 0.7, n))
    ill, distance = rng.poisson(0.02 * age - 0.3 * (age < 40)), rng.exponential(8, n)
    insured = rng.integers(0, 3, n)
    chance = np.exp(-0.8 + 0.012 * age + 0.45 * np.minimum(ill, 4) - 0.01 * distance)
    visits = rng.negative_binomial(1.2, 1.2 / (1.2 + chance)).astype(float)
    groups = [(insured == k).astype(float) for k in (1, 2)]
    return np.column_stack([age, income, ill, distance, *groups]), visits


def _crops() -> tuple[np.ndarray, np.ndarray]:
    """Yields of fields by 15 measurements of soil and weather, which hang together; a bent answer to rain."""
    rng = np.random.default_rng(203)
    n = 14_000
    common = rng.normal(size=(n, 5))
    soil = common @ rng.normal(size=(5, 15)) + 0.8 * rng.standard_t(5, size=(n, 15))
    rain = soil[:, 0] / soil[:, 0].std()
    signal = soil[:, 1:] @ rng.normal(size=14)
    labels = 5 * signal / signal.std() + 3 * np.minimum(rain, 0.5) + 3 * rng.normal(size=n)
    return soil * np.logspace(-2, 4, 15) + np.logspace(4, -2, 15), labels


def _flights() -> tuple[np.ndarray, np.ndarray]:
    """Delays: most near zero, some of hours; hour, distance, load, wind, twelve carriers."""
    rng = np.random.default_rng(204)
    n = 60_000
    hour, distance = rng.triangular(5, 17, 24, n), np.exp(rng.normal(6.5, 0.7, n))
    load, wind, carrier = rng.beta(8, 2, n), rng.weibull(2, n) * 12, rng.integers(0, 12, n)
    base = 0.8 * (hour - 12) + 12 * (load - 0.8) + 0.4 * np.maximum(wind - 12, 0) + 0.5 * (carrier - 6)
    late = np.where(rng.random(n) < 0.12, rng.exponential(60, n), 0.0)
    one_hot = np.eye(12)[carrier][:, 1:]
    return np.column_stack([hour, distance, load, wind, one_hot]), base + 9 * rng.normal(size=n) + late


def _answers() -> tuple[np.ndarray, np.ndarray]:
    """A questionnaire: 20 answers from 1 to 5, and a score from 0 to 10 that follows a few of them."""
    rng = np.random.default_rng(205)
    n = 12_000
    mood = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 20))
    answers = np.clip(np.rint(3 + 0.8 * mood / mood.std(axis=0) + 0.7 * rng.normal(size=(n, 20))), 1, 5)
    score = answers[:, :6] @ np.array([0.9, -0.7, 0.5, 0.5, -0.4, 0.3])
    return answers, np.clip(np.rint(5 + 1.5 * (score - score.mean()) + 1.5 * rng.normal(size=n)), 0, 10)


def _salaries() -> tuple[np.ndarray, np.ndarray]:
    """What a city paid by the salary agreed, the year, and the 15 agencies with most staff."""
    with gzip.open(_SALARIES, "rt", newline="") as lines:
        staff = [row for row in csv.DictReader(lines) if row["gross_pay"] and row["annual_salary"]]
    agencies = np.array([row["agency"].strip().split("-")[0].lower() for row in staff])
    names, counts = np.unique(agencies, return_counts=True)
    largest = names[np.argsort(counts)[-15:]]
    numbers = [[float(row["annual_salary"]), float(row["year"])] for row in staff]
    features = np.column_stack([np.array(numbers), (agencies[:, None] == largest).astype(float)])
    return features, np.array([float(row["gross_pay"]) for row in staff])
