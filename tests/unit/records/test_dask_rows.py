"""Sums over partitions: those of the array, however the rows are cut, with partitions that hold none."""

from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.errors import TableError
from relgauss.estimate.whitening import second_moments
from relgauss.records import blocks
from relgauss.records.blocks import ArrayRows, Block
from relgauss.records.dask_records import DaskRecords
from relgauss.records.dask_rows import DaskRows, Partial

SMALL_BLOCK = 8
SIZES = st.lists(st.integers(0, 20), min_size=1, max_size=9).filter(any)


@pytest.fixture(autouse=True)
def small_blocks_here(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Many blocks of a few rows, in this thread: no pool has to start."""
    for end in ("LEAST_ROWS", "MOST_ROWS"):
        monkeypatch.setattr(blocks, end, SMALL_BLOCK)
    with dask.config.set(scheduler="synchronous"):
        yield


def made(sizes: list[int]) -> tuple[DaskRows, ArrayRows]:
    rng = np.random.default_rng(len(sizes))
    features, labels = rng.normal(size=(sum(sizes), 3)), rng.normal(size=sum(sizes))
    ends = np.cumsum(sizes)[:-1]
    parts = zip(np.split(features, ends), np.split(labels, ends), strict=True)
    partitions = tuple(dask.delayed(part, traverse=False) for part in parts)
    return DaskRows(partitions, sum(sizes), 3, 3), ArrayRows(features, labels)


@settings(max_examples=30)
@given(SIZES)
def test_sums_are_those_of_the_array(sizes: list[int]):
    on_dask, in_memory = made(sizes)
    found, expected = second_moments(on_dask, 1.0), second_moments(in_memory, 1.0)
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-12, atol=1e-15)
    assert found.sensitivity.r >= expected.sensitivity.r


@settings(max_examples=30)
@given(SIZES)
def test_there_are_at_most_so_many_blocks(sizes: list[int]):
    on_dask, _ = made(sizes)
    blocks_and_rows = on_dask.total(lambda block: np.array([1, len(block.labels)]))
    assert blocks_and_rows[0] <= on_dask.most_blocks
    assert blocks_and_rows[1] == on_dask.count


def test_changes_are_applied_where_the_rows_are():
    def doubled(block: Block) -> tuple[np.ndarray, np.ndarray]:
        return 2 * block.features[:, :2], block.labels + 1

    on_dask, in_memory = made([5, 0, 20])
    found = on_dask.changed(doubled, 2)
    assert found.columns == 2
    total = found.total(lambda block: np.append(block.features.sum(axis=0), block.labels.sum()))
    expected = np.append(2 * in_memory.features[:, :2].sum(axis=0), in_memory.labels.sum() + 25)
    np.testing.assert_allclose(total, expected)


def test_a_partial_sum_does_not_grow_with_its_rows():
    returned: list[Any] = []
    compute = dask.compute
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask, "compute", lambda *each: returned.append(compute(*each)) or returned[-1])
        for sizes in ([3, 3], [200, 200]):
            second_moments(made(sizes)[0], 1.0)
    assert [type(each) for (each,) in returned] == [Partial, Partial]
    assert {each.sum.shape for (each,) in returned} == {(6,)}


def test_a_frame_with_empty_partitions_and_missing_values():
    import dask.dataframe

    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0, 4.0], "b": [True, False, True, True], "y": [1, 2, 3, 4]})
    frame = frame.astype({"a": "Float64", "y": "Int64"})
    whole = dask.dataframe.from_pandas(frame, npartitions=2)
    with_empty = dask.dataframe.concat([whole[whole["b"] & ~whole["b"]], whole])
    records = DaskRecords(with_empty, "y", missing=-1.0)
    total = records.rows().total(lambda block: np.append(block.features.sum(axis=0), block.labels.sum()))
    assert (records.names, records.count) == (("a", "b"), 4)
    assert total.tolist() == [1 - 1 + 3 + 4, 3, 1 + 2 + 3 + 4]


@pytest.mark.parametrize(("column", "missing"), [("a", None), ("y", None), ("y", 0.0)])
def test_missing_values_are_refused_by_name_and_labels_in_any_case(column: str, missing: float | None):
    import dask.dataframe

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
    frame.loc[1, column] = np.nan
    with pytest.raises(TableError, match=f"'{column}' holds values .*missing"):
        DaskRecords(dask.dataframe.from_pandas(frame, npartitions=2), "y", missing=missing)
