"""Batches of groups in threads: the same numbers to the last bit, whatever the number of threads."""

import dataclasses

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped import measure_column as column
from relgauss.grouped import measured_batches
from relgauss.grouped.column_estimates import ColumnEstimates
from relgauss.grouped.contribution import ONE_ROW

from .totals_of_values import totals_of

MU = rg.Budget(1.0, 1e-6).mu
ASKED = ["mean", "median", "q90", "std", "zeros", "missing"]


def numbers_of(found: ColumnEstimates) -> list[bytes]:
    """All arrays of a release."""
    parts = [*found.statistics.values(), found.window, found.edges]
    arrays = [getattr(part, field.name) for part in parts for field in dataclasses.fields(part)]
    return [np.asarray(each).tobytes() for each in (*arrays, found.sizes, found.below)]


@pytest.fixture
def few_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few groups, so that there are many."""
    for each in ("_WEIGHTS", "_WEIGHTS_OF_A_DRAW"):
        monkeypatch.setattr(measured_batches, each, 2**17)


@pytest.mark.usefixtures("few_together")
@pytest.mark.parametrize("signs", ["positive", "both"])
def test_threads_change_no_bit(signs: str, monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(0)
    values = rng.normal(300.0, 400.0, (40, 300))
    values[::3] = np.exp(rng.normal(5.0, 1.0, (14, 300)))
    values[::4, ::5], values[::7, ::3] = 0.0, np.nan
    totals, found = totals_of(values, signs), []
    for threads in (1, 2, 4):
        monkeypatch.setattr(column, "thread_count", lambda asked, threads=threads: threads)
        seeded = np.random.default_rng(1)
        found.append(numbers_of(column.measure_column(totals, ONE_ROW, MU, ASKED, 0.95, seeded)))
    assert found[0] == found[1] == found[2]


@pytest.mark.usefixtures("few_together")
@pytest.mark.parametrize("statistics", [["mean"], ["mean", "median"]])
def test_how_many_groups_are_estimated_together_changes_roundings_only(
    statistics: list[str], monkeypatch: pytest.MonkeyPatch
):
    """Groups of all sizes, which divide their budget differently: noise is drawn in one order."""
    sizes = np.random.default_rng(2).integers(30, 3_000, 90)
    values = np.full((90, 3_000), np.nan)
    for row, size in enumerate(sizes):
        values[row, :size] = np.random.default_rng(row).lognormal(5.0, 0.4, size)
    totals, found = totals_of(values, "positive"), []
    totals.counts[:, -1] = 0  # else all were of one size
    for weights in (2**17, 2**19, 2**24):
        monkeypatch.setattr(measured_batches, "_WEIGHTS", weights)
        seeded = np.random.default_rng(1)
        column_found = column.measure_column(totals, ONE_ROW, MU, statistics, 0.95, seeded)
        found.append(np.array([column_found.statistics[each].estimate for each in statistics]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-5)


@pytest.mark.usefixtures("few_together")
def test_a_batch_that_fails_is_told_and_nothing_waits(monkeypatch: pytest.MonkeyPatch):
    counted = []

    def fails(*arguments: object) -> None:
        counted.append(1)
        if len(counted) == 2:
            raise ValueError("planted")
        return fit(*arguments)

    fit = measured_batches.fit_sides
    monkeypatch.setattr(measured_batches, "fit_sides", fails)
    monkeypatch.setattr(column, "thread_count", lambda asked: 3)
    totals = totals_of(np.exp(np.random.default_rng(0).normal(5.0, 1.0, (90, 100))), "positive")
    with pytest.raises(ValueError, match="planted"):
        column.measure_column(totals, ONE_ROW, MU, ["mean"], 0.95, np.random.default_rng(1))
