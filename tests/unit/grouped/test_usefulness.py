"""When an interval is of use: by ends that are made up, and on columns that no rule was made for. Seeded."""

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.usefulness import Yardsticks, said_of

from .totals_of_values import totals_of

ASKED = ["count", "sum", "mean", "q5", "q25", "median", "std", "zeros", "missing"]


def usable(name: str, ends: list[tuple[float, float]], rarer_sign: float = 0.0) -> list[bool]:
    """For groups of 100 values of a typical magnitude of 60."""
    lower, upper = np.array(ends).T
    shape = len(ends)
    width = upper - lower
    by = Yardsticks(np.full(shape, 60.0), np.full(shape, 100.0), np.full(shape, rarer_sign), width, width)
    flags = np.zeros(shape, dtype=np.int8)
    return said_of(name, ((lower + upper) / 2, lower, upper), flags, by).usable.tolist()


def test_ends_of_one_sign_are_a_factor_of_two_apart_at_most():
    for name in ("mean", "median", "sum", "std", "count"):
        assert usable(name, [(10.0, 20.0), (10.0, 20.1), (-20.0, -10.0), (-20.1, -10.0)])[:2] == [True, False]
        assert usable(name, [(-20.0, -10.0), (-20.1, -10.0)]) == [True, False]


@pytest.mark.parametrize("name", ["mean", "q5", "sum", "std", "count"])
def test_up_to_so_much_is_no_number(name: str):
    assert usable(name, [(0.0, 30.0), (0.0, 0.001), (-1e-6, 30.0)]) == [False] * 3


def test_what_is_surely_zero_is_known():
    assert usable("median", [(0.0, 0.0)]) == [True]


def test_values_of_both_signs_are_known_to_a_part_of_their_magnitude():
    ends = [(-20.0, 20.0), (-21.0, 20.0), (1.0, 41.0), (0.0, 30.0)]
    assert usable("mean", ends, rarer_sign=0.3) == [True, False, True, True]
    assert usable("median", ends, rarer_sign=0.3) == [True, False, True, True]
    assert usable("sum", [(-2_000.0, 2_000.0), (-2_000.0, 2_001.0)], rarer_sign=0.3) == [True, False]
    assert usable("std", [(0.0, 30.0)], rarer_sign=0.3) == [False]
    assert usable("count", [(0.0, 30.0)], rarer_sign=0.3) == [False], "a count has no magnitude of values"
    assert usable("mean", ends, rarer_sign=0.01) == [False] * 4


def test_noise_alone_decides_whether_a_share_is_of_use_wherever_its_interval_ends():
    ends = np.array([[0.0, 0.0], [0.0, 0.02], [0.3, 0.4], [0.96, 1.0]])
    nothing, noise = np.zeros(4), np.array([0.1, 0.11, 0.1, 0.11])
    for name, width in (("zeros", (noise, nothing)), ("missing", (nothing, noise))):
        by = Yardsticks(nothing, nothing, nothing, *width)
        said = said_of(name, (ends.mean(axis=1), *ends.T), nothing.astype(np.int8), by)
        assert said.usable.tolist() == [True, False] * 2


@pytest.mark.parametrize(
    ("size", "epsilon", "share"), [(100, 3.0, 0.1), (300, 3.0, 0.01), (1_000, 1.0, 0.05), (1_000, 0.3, 0.1)]
)
def test_shares_of_use_are_in_their_intervals_as_often_as_all(size: int, epsilon: float, share: float):
    """Were a share of use where noise made it look so, only 70 to 90 % of these would be."""
    rng = np.random.default_rng([size, 3])
    draws = rng.random((400, size))
    values = np.where(draws < share, 0.0, 700 * np.exp(0.5 * rng.normal(size=draws.shape)))
    values[draws > 1 - share] = np.nan
    totals = totals_of(values)
    mu = rg.Budget(epsilon, 1e-6).mu
    found = measure_column(totals, ONE_ROW, mu, ["zeros", "missing"], 0.95, rng).statistics
    truths = {
        "zeros": (values == 0).sum(axis=1) / (~np.isnan(values)).sum(axis=1),
        "missing": np.isnan(values).mean(axis=1),
    }
    for name, truth in truths.items():
        one = found[name]
        held = ((one.lower <= truth) & (truth <= one.upper))[one.usable]
        assert held.size in (0, 400), "all groups have the same noise and size"
        if held.size:
            assert held.mean() >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / held.size)


COLUMNS = {
    "donations, 97 % zeros": lambda rng, n: np.where(
        rng.random(n) < 0.97, 0.0, 50 * np.exp(rng.normal(size=n))
    ),
    "ratings from 1 to 5": lambda rng, n: rng.choice(
        [1.0, 2.0, 3.0, 4.0, 5.0], n, p=[0.1, 0.1, 0.2, 0.3, 0.3]
    ),
    "heaped pay, some missing": lambda rng, n: np.where(
        rng.random(n) < 0.06, np.nan, np.round(3e4 * np.exp(0.4 * rng.normal(size=n)), -3)
    ),
    "a third pays nothing": lambda rng, n: np.where(rng.random(n) < 0.33, 0.0, rng.uniform(5, 40, n)),
    "temperatures": lambda rng, n: rng.normal(8.0, 9.0, n),
    "two currencies": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, 150.0) * rng.gamma(4.0, 10.0, n),
}


def measured(values: np.ndarray, rng: np.random.Generator):
    signs = "both" if (values < 0).any() else "positive"
    totals = totals_of(values, signs, 0.01, 1e7)
    return measure_column(totals, ONE_ROW, rg.Budget(1.0, 1e-6).mu, ASKED, 0.95, rng).statistics


@pytest.mark.parametrize("column", COLUMNS)
def test_what_is_usable_is_near_the_truth(column: str):
    """An estimate and the truth lie in one interval, so a usable one is off by a factor of two at most."""
    rng = np.random.default_rng(5)
    values = np.concatenate(
        [COLUMNS[column](rng, 900).reshape(3, 300), COLUMNS[column](rng, 900).reshape(3, 300)]
    )
    found = measured(values, rng)
    levels = {"q5": 0.05, "q25": 0.25, "median": 0.5}
    typical = np.nanmean(np.abs(values), axis=1)
    for name, level in levels.items():
        truth, one = np.nanquantile(values, level, axis=1, method="inverted_cdf"), found[name]
        for group in np.flatnonzero(one.usable):
            off = abs(one.estimate[group] - truth[group])
            assert off <= max(abs(truth[group]), 2 / 3 * typical[group] * (values < 0).any()), name
    for name, truth in (
        ("zeros", (values == 0).sum(axis=1) / (~np.isnan(values)).sum(axis=1)),
        ("missing", np.isnan(values).mean(axis=1)),
    ):
        one = found[name]
        assert (np.abs(one.estimate - truth)[one.usable] <= 0.1).all()


def test_a_share_of_missing_values_does_not_lean_low_where_it_is_usable():
    """Few groups, which teach nothing of how often values are missing: a tenth is, of a thousand rows."""
    rng, found = np.random.default_rng(6), []
    for _ in range(12):
        values = np.where(
            rng.random((3, 1_000)) < 0.1, np.nan, 1e3 * np.exp(0.3 * rng.normal(size=(3, 1_000)))
        )
        one = measured(values, rng)["missing"]
        found += (one.estimate - np.isnan(values).mean(axis=1))[one.usable].tolist()
    assert len(found) > 25
    error = np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found)) < 4 * error


def test_small_shares_are_not_taken_for_none_where_noise_could_be_as_large():
    """Three in a hundred, in groups whose noise is about as large: estimates lie about them."""
    rng, found = np.random.default_rng(7), []
    for _ in range(20):
        values = np.where(rng.random((12, 600)) < 0.03, 0.0, 1e3 * np.exp(0.3 * rng.normal(size=(12, 600))))
        one = measured(values, rng)["zeros"]
        found.append(one.estimate.mean())
        assert (one.upper - one.lower)[one.usable].max(initial=0.0) <= 0.12
    assert np.mean(found) == pytest.approx(0.03, abs=0.009)
