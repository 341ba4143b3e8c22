"""Every statistic of a column: near the truth, inside its interval, and the interval holds. Seeded."""

import math
from itertools import pairwise

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError
from relgauss.grouped.contribution import ONE_ROW, Contribution
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule

from .totals_of_values import totals_of

MU = rg.Budget(1.0, 1e-6).mu
ASKED = ["count", "sum", "mean", "median", "q25", "q90", "std", "zeros", "missing"]
PERSON = Contribution(math.sqrt(2), 1.0, sizes_public=False)


def truth_of(values: np.ndarray) -> dict[str, np.ndarray]:
    quantiles = {"q25": 0.25, "median": 0.5, "q90": 0.9}
    return {
        "count": (~np.isnan(values)).sum(axis=1),
        "sum": np.nansum(values, axis=1),
        "mean": np.nanmean(values, axis=1),
        "std": np.nanstd(values, axis=1),
        "zeros": np.nanmean(np.where(np.isnan(values), np.nan, values == 0), axis=1),
        "missing": np.isnan(values).mean(axis=1),
        **{
            name: np.nanquantile(values, level, axis=1, method="inverted_cdf")
            for name, level in quantiles.items()
        },
    }


FORMS = {
    "lognormal": (lambda rng, shape: 1e3 * np.exp(0.5 * rng.normal(size=shape)), "positive"),
    "four in ten are 0": (
        lambda rng, shape: np.where(rng.random(shape) < 0.4, 0.0, 1e3 * np.exp(rng.normal(size=shape))),
        "positive",
    ),
    "either sign": (lambda rng, shape: rng.normal(500.0, 1e3, shape), "both"),
}


@pytest.mark.parametrize("contribution", [ONE_ROW, PERSON], ids=["one row", "sizes not public"])
@pytest.mark.parametrize("form", FORMS)
def test_every_interval_holds(form: str, contribution: Contribution):
    draw, signs = FORMS[form]
    rng = np.random.default_rng(1)
    values = draw(rng, (60, 1_000))
    values[rng.random(values.shape) < 0.05] = np.nan
    found = measure_column(totals_of(values, signs), contribution, MU, ASKED, 0.95, rng)
    for name, truth in truth_of(values).items():
        statistic = found.statistics[name]
        assert (statistic.lower <= statistic.estimate).all()
        assert (statistic.estimate <= statistic.upper).all()
        room = 1e-9 * np.abs(truth)
        held = (statistic.lower <= truth + room) & (truth - room <= statistic.upper)
        assert held.mean() >= 0.86, name  # three standard errors of 60 intervals
        assert (statistic.flags == 0).mean() > 0.9, name
    assert found.statistics["median"].estimate == pytest.approx(truth_of(values)["median"], rel=0.5, abs=200)


def test_clipped_means_and_shares_outside_hold_whatever_the_values_are():
    rng = np.random.default_rng(2)
    values = 1e3 * (1 + rng.pareto(1.1, (200, 300)))
    found = measure_column(totals_of(values), ONE_ROW, MU, ["mean"], 0.95, rng)
    window = found.window
    clipped = np.clip(np.minimum(values, 1e8), window.low[:, None], window.high[:, None]).mean(axis=1)
    held = (window.clipped_lower <= clipped) & (clipped <= window.clipped_upper)
    assert held.mean() >= 0.92
    middle, half = (
        (window.clipped_lower + window.clipped_upper) / 2,
        (window.clipped_upper - window.clipped_lower) / 2,
    )
    assert np.mean(np.abs(clipped - middle) <= 0.8 * half) < 0.92, "a fifth too narrow would be seen"
    outside = ((values < window.low[:, None]) | (values > window.high[:, None])).mean(axis=1)
    assert np.mean(outside <= window.outside) >= 0.95


def test_a_slow_tail_and_records_far_outside_are_flagged():
    rng = np.random.default_rng(3)
    slow = 1e3 * (1 + rng.pareto(1.1, (40, 3_000)))
    found = measure_column(totals_of(slow), ONE_ROW, MU, ["mean", "median"], 0.95, rng).statistics
    flags = [found["mean"].flag(group) for group in range(40)]
    assert sum(flag is not None and flag.name == "slow tail" for flag in flags) > 30
    assert not found["mean"].usable[[flag is not None for flag in flags]].any()
    assert (found["median"].flags == 0).mean() > 0.9


@pytest.mark.parametrize("contribution", [ONE_ROW, PERSON], ids=["one row", "sizes not public"])
def test_a_count_is_of_values_that_are_there_and_whole(contribution: Contribution):
    rng = np.random.default_rng(4)
    values = 1e3 * np.exp(0.2 * rng.normal(size=(50, 400)))
    values[:, :150] = np.nan
    count = measure_column(totals_of(values), contribution, MU, ["count"], 0.95, rng).statistics["count"]
    assert (count.estimate == np.rint(count.estimate)).all()
    assert len(set(count.estimate)) > 10
    assert np.mean((count.lower <= 250) & (count.upper >= 250)) > 0.85


def test_a_standard_deviation_counts_those_far_above():
    """A few at two to three times the rest, too few to widen windows: clipped, their spread would be less."""
    rng = np.random.default_rng(5)
    far = np.where(rng.random((60, 600)) < 0.04, rng.uniform(2, 3, (60, 600)), 1.0)
    values = 5e4 * far * np.exp(0.2 * rng.normal(size=far.shape))
    found = measure_column(totals_of(values), ONE_ROW, MU, ["mean", "std"], 0.95, rng)
    window, std, truth = found.window, found.statistics["std"], values.std(axis=1)
    assert np.mean((std.lower <= truth) & (truth <= std.upper)) >= 0.9
    assert np.clip(values, window.low[:, None], window.high[:, None]).std() < 0.85 * values.std()
    assert not std.usable[std.lower == 0].any()


def test_sums_are_means_times_counts_and_have_their_signs():
    rng = np.random.default_rng(6)
    values = np.where(rng.random((40, 120)) < 0.7, 0.0, 1e3 * np.exp(2 * rng.normal(size=(40, 120))))
    found = measure_column(totals_of(values), PERSON, MU, ["sum", "mean", "count"], 0.95, rng).statistics
    total, mean, count = found["sum"], found["mean"], found["count"]
    known = ~np.isnan(total.estimate)
    assert known.sum() > 20
    assert (total.lower[known] >= 0).all()
    assert total.estimate[known] == pytest.approx((mean.estimate * count.estimate)[known])
    assert total.upper[known] == pytest.approx((mean.upper * count.upper)[known])
    truth = values.sum(axis=1)
    assert np.mean(((total.lower <= truth) & (truth <= total.upper))[known]) >= 0.9


@pytest.mark.parametrize("statistic", ["mode", "q0", "q100", "q", "q5x", "quartile", 3])
def test_what_is_no_statistic(statistic: object):
    with pytest.raises(InvalidParameterError, match="the name of a statistic"):
        measure_column(totals_of(np.ones((1, 50))), ONE_ROW, MU, [statistic], 0.95, None)


def test_a_share_of_missing_values_needs_that_they_are_left_out():
    grid, rule = SignedGrid(LogGrid.over(1.0, 1e8), "positive", False), ValueRule(1.0, 1e8, "positive", 5.0)
    counts = np.ones((1, grid.cells), dtype=np.int64)
    totals = CellTotals(("a",), counts, np.zeros(counts.shape), grid, rule)
    with pytest.raises(InvalidParameterError, match="left out"):
        measure_column(totals, ONE_ROW, MU, ["missing"], 0.95, None)


@pytest.mark.parametrize("contribution", [ONE_ROW, PERSON], ids=["one row", "sizes not public"])
def test_quantiles_of_rising_levels_rise(contribution: Contribution):
    """Few values, each of a step of its own, are where a look at each quantile alone goes wrong."""
    rng, asked = np.random.default_rng(3), ["q90", "q5", "median", "q10"]
    for values in (rng.poisson(3.0, (60, 600)).astype(float), rng.choice([10.0, 1e3, 5e3], (60, 600))):
        found = measure_column(totals_of(values), contribution, MU, asked, 0.95, rng).statistics
        for first, second in pairwise(["q5", "q10", "median", "q90"]):
            for part in ("lower", "estimate", "upper"):
                assert (getattr(found[first], part) <= getattr(found[second], part)).all(), part


def test_counts_of_values_and_shares_of_missing_ones_say_the_same():
    """Noise often says that less than none is missing: the count then still leaves room for some."""
    rng = np.random.default_rng(4)
    values = rng.gamma(3.0, 1e3, (400, 150))
    values[rng.random(values.shape) < 0.02] = np.nan
    found = measure_column(totals_of(values), ONE_ROW, MU, ["count", "missing"], 0.95, rng).statistics
    count, missing = found["count"], found["missing"]
    assert count.estimate == pytest.approx(150 * (1 - missing.estimate), abs=1)
    assert (count.lower <= 150 * (1 - missing.upper)).all()


def test_no_estimate_is_shown_of_a_quantile_that_may_lie_anywhere():
    rng = np.random.default_rng(6)
    values = rng.gamma(3.0, 1e3, (60, 45))
    found = measure_column(totals_of(values, "both"), ONE_ROW, MU, ["mean", "median"], 0.95, rng).statistics
    median = found["median"]
    anywhere = (median.lower == -1e8) & (median.upper == 1e8)
    assert 0 < anywhere.mean() < 1
    assert (np.isnan(median.shown) == anywhere).all()
    assert not np.isnan(found["mean"].shown[anywhere]).all()
