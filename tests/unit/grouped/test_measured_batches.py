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
    monkeypatch.setattr(measured_batches, "_WEIGHTS", 2**17)


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
