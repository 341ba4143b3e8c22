"""One pass for several columns gives what a pass for each gives, in batches of any length."""

import numpy as np
import pyarrow as pa
import pytest

from relgauss.grouped.cell_tables import (
    ValueColumn,
    count_cells,
    count_column,
    number_groups,
    rows_by_group,
    rows_without_group,
    totals_by_batch,
)
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.table_rows import TableRows
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

COLUMN = ValueColumn(ValueRule(1.0, 1e6, "both"), SignedGrid(LogGrid.over(1.0, 1e6), "both"))


@pytest.fixture(scope="module")
def table() -> pa.Table:
    rng = np.random.default_rng(0)
    jobs = rng.choice(["a", "b", "c", "d", "e"], 500)
    values = rng.choice([0.0, 0.5, -3.0, 1e9, np.nan], 500) * rng.random(500)
    pay = pa.array(np.exp(rng.normal(5, 2, 500)), mask=rng.random(500) < 0.1)
    return pa.table({"job": pa.array(jobs, mask=jobs == "e"), "pay": pay, "gain": values})


@pytest.mark.parametrize("values", [["pay"], ["pay", "gain"], ["gain", "pay", "pay"]])
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_all_columns_at_once(table: pa.Table, values: list[str], batch: int):
    alone = {}
    for value in values:
        with open_table(table) as opened:
            alone[value] = next(count_column(opened, "job", value, COLUMN).batches())
    with open_table(table) as opened:
        rows = TableRows.of(opened, ["job"], values, None)
        count_cells(rows, [COLUMN] * len(values))
        number_groups(rows)
        for place, value in enumerate(values):
            expected = alone[value]
            parts = list(totals_by_batch(rows, place, COLUMN, 4, batch))
            assert np.array_equal(np.concatenate([part.counts for part in parts]), expected.counts)
            assert np.array_equal(np.concatenate([part.sums for part in parts]), expected.sums)
        assert rows_by_group(rows, 4).tolist() == expected.sizes.tolist()
        assert rows_without_group(rows) == table["job"].null_count


def test_sums_beyond_64_bits_are_exact():
    column = ValueColumn(ValueRule(1e-6, 1e12, "both"), SignedGrid(LogGrid.over(1e-6, 1e12), "both"))
    with open_table(pa.table({"job": ["a"] * 6, "pay": [1e12, 1e12, 1e12, -1e12, -1e12, -1.0]})) as opened:
        rows = TableRows.of(opened, ["job"], ["pay"], None)
        count_cells(rows, [column])
        number_groups(rows)
        (found,) = totals_by_batch(rows, 0, column, 1, 10)
    units = column.rule.units
    assert sorted(sum_ for sum_ in found.sums[0] if sum_) == [-2 * units(1e12), -units(1.0), 3 * units(1e12)]


@pytest.mark.parametrize("ends", [(1e-6, 1e12), (2.0**-30 * 1.999, 2.0**34 * 1.999)])
@pytest.mark.parametrize("values", [[np.inf] * 100, [-np.inf] * 100 + [-1.0], [1e300, -1e300] * 100])
def test_no_number_of_rows_at_the_ends_of_the_range_overflows(ends: tuple[float, float], values: list[float]):
    """The second range is the widest, and its end is the most steps of the lattice that there may be."""
    column = ValueColumn(ValueRule(*ends, "both"), SignedGrid(LogGrid.over(*ends), "both"))
    with open_table(pa.table({"job": ["a"] * len(values), "pay": values})) as opened:
        rows = TableRows.of(opened, ["job"], ["pay"], None)
        count_cells(rows, [column])
        number_groups(rows)
        (found,) = totals_by_batch(rows, 0, column, 1, 10)
    ruled = column.rule.apply(np.array(values))
    assert found.sums.sum() == sum(column.rule.units(float(value)) for value in ruled)
    assert max(map(abs, found.sums[0])) == 100 * column.rule.units(ends[1])


@pytest.mark.parametrize("total", [2**126 - 1, 1 - 2**126, -(2**63), 2**63 - 1, -1])
def test_two_halves_make_the_sum_again(total: int):
    with open_table(pa.table({"job": ["a"], "pay": [5.0]})) as opened:
        rows = TableRows.of(opened, ["job"], ["pay"], None)
        count_cells(rows, [COLUMN])
        number_groups(rows)
        opened.connection.execute(f"UPDATE relgauss_cells SET total = CAST('{total}' AS HUGEINT)")
        (found,) = totals_by_batch(rows, 0, COLUMN, 1, 10)
    assert found.sums.sum() == total


def test_groups_without_any_row_have_zero_counts():
    with open_table(pa.table({"job": ["b"], "pay": [5.0]})) as opened:
        rows = TableRows.of(opened, ["job"], ["pay"], None)
        count_cells(rows, [COLUMN])
        opened.connection.execute("CREATE TEMP TABLE relgauss_groups AS SELECT 'b' AS k0, 2 AS g")
        parts = list(totals_by_batch(rows, 0, COLUMN, 5, 2))
    assert [part.counts.sum() for part in parts] == [0, 1, 0]
