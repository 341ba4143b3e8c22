"""Groups are read some at a time, and what is said of them is the same."""

import gc
import weakref

import numpy as np
import pyarrow as pa
import pytest

from relgauss.grouped import cell_tables, release_means
from relgauss.grouped.cell_tables import ValueColumn, count_column
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

COLUMN = ValueColumn(ValueRule(1.0, 1e6), SignedGrid(LogGrid.over(1.0, 1e6)))


@pytest.fixture
def table() -> pa.Table:
    rng = np.random.default_rng(0)
    jobs = np.repeat([f"job {k:02}" for k in range(20)], 100)
    pay = np.exp(rng.normal(5, 0.3, 2_000)) * np.repeat(np.arange(1, 21), 100)
    return pa.table({"job": jobs, "pay": pay})


def test_no_batch_holds_more_groups_than_it_may_and_all_are_there(
    table: pa.Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cell_tables, "_BATCH", 6)
    with open_table(table) as opened:
        counted = count_column(opened, "job", "pay", COLUMN)
        batches = list(counted.batches())
    assert [len(each.groups) for each in batches] == [6, 6, 6, 2]
    assert tuple(group for each in batches for group in each.groups) == counted.keys
    assert [int(n) for each in batches for n in each.sizes] == [100] * 20


def test_means_by_batches_are_near_the_truth_group_by_group(table: pa.Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cell_tables, "_BATCH", 6)
    rng = np.random.default_rng(1)
    found = release_means(
        table, by="job", value="pay", epsilon=30.0, delta=1e-6, value_range=(1.0, 1e6), rng=rng
    )
    truth = table.group_by("job").aggregate([("pay", "mean")]).sort_by("job")
    assert list(found.groups) == truth["job"].to_pylist()
    assert np.median(np.abs(found.estimate / np.array(truth["pay_mean"]) - 1)) < 0.02
    assert found.sizes.tolist() == [100] * 20


@pytest.mark.parametrize("grid", [COLUMN.grid, COLUMN.grid.fine], ids=["wide cells", "narrow cells"])
def test_the_cells_of_a_batch_leave_memory_with_it(table: pa.Table, grid: SignedGrid):
    """At once, not when Python next looks for objects that hold each other: batches would pile up."""
    with open_table(table) as opened:
        cells = next(count_column(opened, "job", "pay", ValueColumn(COLUMN.rule, grid)).batches())
    measure_column(cells, ONE_ROW, 1.0, ["mean"], 0.95, np.random.default_rng(0))
    gone = weakref.ref(cells.counts)
    gc.disable()
    try:
        del cells
        assert gone() is None
    finally:
        gc.enable()
