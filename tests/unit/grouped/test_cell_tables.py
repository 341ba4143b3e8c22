"""One pass for several columns gives what a pass for each gives, in batches of any length."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

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


def test_columns_of_a_text_and_of_a_frame_are_counted_alike(table: pa.Table, tmp_path: Path):
    """A text is read once, with all columns; in a frame each column is read by itself."""
    file = tmp_path / "pay.csv"
    csv.write_csv(table, file)
    counted = []
    for data in (file, table):
        with open_table(data) as opened:
            rows = TableRows.of(opened, ["job"], ["pay", "gain"], None)
            count_cells(rows, [COLUMN] * 2)
            counted.append(
                sorted(map(repr, opened.rows("SELECT k0, value, place, n, total FROM relgauss_cells")))
            )
    assert counted[0] == counted[1]
    assert len(counted[0]) > 50


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


@pytest.mark.parametrize("signs", ["positive", "both"])
@pytest.mark.parametrize("ends", [(1e-6, 1e12), (1.0, 2.0**64), (1.0, 1.000001), (1e-99, 1e-98), (5.0, 6.0)])
def test_places_are_the_cells_of_values_of_zeros_and_of_missing_ones(ends: tuple[float, float], signs: str):
    column = ValueColumn(ValueRule(*ends, signs), SignedGrid(LogGrid.over(*ends), signs))
    centres, (low, high) = column.grid.magnitudes.cell_centres, ends
    given = [*centres, *-centres, low, high, -low, -high, 0.0, -0.0, low / 3, 3 * high, np.inf, np.nan]
    with open_table(pa.table({"job": np.arange(len(given)), "pay": np.array(given)})) as opened:
        (found,) = count_column(opened, "job", "pay", column).batches()
    ruled = column.rule.apply(np.array(given))
    assert np.array_equal(found.counts.argmax(axis=1), column.grid.cells_of(ruled))
    assert (found.counts.sum(axis=1) == 1).all()
    assert found.sums.sum(axis=1).tolist() == [
        0 if np.isnan(each) else column.rule.units(float(each)) for each in ruled
    ]


def test_counts_of_a_file_are_read_without_pandas(tmp_path: Path):
    file = tmp_path / "pay.csv"
    file.write_text("job,pay\n" + "a,2.0\n" * 9)
    script = (
        "import sys; from relgauss.grouped import release_table; "
        "release_table(sys.argv[1], by='job', values={'pay': ['mean']}, epsilon=1, delta=1e-6); "
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, str(file)], check=True)
