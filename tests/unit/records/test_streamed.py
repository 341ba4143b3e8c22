"""Rows that are read anew in every pass: their sums, their blocks, and streams that change."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.bounded import answer as bounded_answer
from relgauss.errors import TableError
from relgauss.estimate.whitening import mean_row, second_moments
from relgauss.records import blocks
from relgauss.records.blocks import ArrayRows, Block, CountedRows
from relgauss.records.streamed import Stream, StreamedRows
from relgauss.records.table_records import full_chunks

COLUMNS, SMALL_BLOCK = 3, 8
SIZES = st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any)


class Sized(Stream):
    """Random rows in chunks of these sizes."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes, self.most_chunks_claimed = sizes, len(sizes)
        self.count, self.columns = sum(sizes), COLUMNS
        rng = np.random.default_rng(len(sizes))
        self.features = rng.normal(size=(self.count, COLUMNS)) * [1.0, 1e3, 1e-3]
        self.labels = rng.normal(size=self.count)

    @property
    def most_chunks(self) -> int:
        return self.most_chunks_claimed

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        start = 0
        for size in self.sizes:
            yield self.features[start : start + size], self.labels[start : start + size]
            start += size


def rows_of(stream: Stream) -> StreamedRows:
    return StreamedRows(stream, COLUMNS)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a few rows are many blocks."""
    for end in ("LEAST_ROWS", "MOST_ROWS"):
        monkeypatch.setattr(blocks, end, SMALL_BLOCK)


def test_the_blocks_are_small_here():
    """Otherwise all tests below would see one block."""
    assert len(list(rows_of(Sized([30])).blocks())) == math.ceil(30 / SMALL_BLOCK)


@given(SIZES)
def test_there_are_at_most_so_many_blocks_and_none_is_larger(sizes: list[int]):
    rows = rows_of(Sized(sizes))
    found = [len(block.labels) for block in rows.blocks()]
    assert len(found) <= rows.most_blocks
    assert max(found) <= SMALL_BLOCK
    assert sum(found) == rows.count


@given(SIZES)
def test_sums_are_those_of_the_array(sizes: list[int]):
    stream = Sized(sizes)
    for answer in (lambda rows: mean_row(rows, 2.0, 1.0), lambda rows: second_moments(rows, 2.0)):
        found, expected = answer(rows_of(stream)), answer(ArrayRows(stream.features, stream.labels))
        np.testing.assert_allclose(found.value, expected.value, rtol=1e-12, atol=1e-14)


@given(SIZES)
def test_a_mean_is_as_near_the_exact_one_as_its_sensitivity_says(sizes: list[int]):
    """proofs/float-sums.md, 1: the drift in the sensitivity is twice the error of one sum."""
    rows, bound = rows_of(Sized(sizes)), 1.5
    answer = bounded_answer.bounded_mean(
        rows, lambda block: np.clip(block.labels, -bound, bound).sum(), largest=bound, apart=2 * bound
    )
    labels = np.clip(rows.stream.labels, -bound, bound)
    exact = sum(map(Fraction, labels.tolist())) / rows.count
    drift = (answer.sensitivity.r - 2 * bound / rows.count) / 2
    assert abs(Fraction(float(answer.value[0])) - exact) <= drift


@given(SIZES)
def test_more_chunks_widen_the_sensitivity(sizes: list[int]):
    stream = Sized(sizes)
    in_memory = mean_row(ArrayRows(stream.features, stream.labels), 2.0, 1.0).sensitivity.r
    as_one = mean_row(rows_of(Sized([stream.count])), 2.0, 1.0).sensitivity.r
    assert in_memory <= as_one <= mean_row(rows_of(stream), 2.0, 1.0).sensitivity.r


@given(SIZES)
def test_changes_are_applied_in_order_to_each_row(sizes: list[int]):
    stream = Sized(sizes)

    def widen(block: Block) -> tuple[np.ndarray, np.ndarray]:
        return np.column_stack([block.features, block.norms]), block.labels + 1

    def shrink(block: Block) -> tuple[np.ndarray, np.ndarray]:
        return block.features[:, 1:] * block.labels[:, None], block.labels * 2

    def everything(block: Block) -> np.ndarray:
        return np.append(block.features.sum(axis=0), [block.labels.sum(), block.norms.sum()])

    found, expected = (
        rows.changed(widen, COLUMNS + 1).changed(shrink, COLUMNS)
        for rows in (rows_of(stream), ArrayRows(stream.features, stream.labels))
    )
    assert found.columns == expected.columns == COLUMNS
    np.testing.assert_allclose(found.total(everything), expected.total(everything), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("before", "after"), [([9, 9], [9]), ([9], [9, 9]), ([9], [0]), ([16], [1] * 16), ([3, 3], [3, 4])]
)
def test_a_stream_that_changes_is_refused(before: list[int], after: list[int]):
    stream = Sized(before)
    rows = rows_of(stream)
    other = Sized(after)
    stream.features, stream.labels, stream.sizes = other.features, other.labels, after
    with pytest.raises(TableError, match="changed while"):
        rows.total(lambda block: block.labels.sum())


def test_passes_are_counted_across_changes():
    counted = CountedRows(rows_of(Sized([5, 20])))
    changed = counted.changed(lambda block: (block.features[:, :1], block.labels), 1)
    total = changed.total(lambda block: block.labels.sum())
    counted.total(lambda block: block.labels.sum())
    assert counted.passes.made == changed.passes.made == 2
    assert (changed.columns, changed.count, changed.most_blocks) == (1, 25, counted.rows.most_blocks)
    assert total == pytest.approx(counted.rows.stream.labels.sum())


@given(st.lists(st.integers(0, 25), max_size=12), st.integers(1, 20))
def test_chunks_are_full_whatever_the_batches(sizes: list[int], rows: int):
    matrix = np.random.default_rng(0).normal(size=(sum(sizes), 2))
    ends = np.cumsum([0, *sizes])
    batches = [list(matrix[start:stop].T) for start, stop in pairwise(ends)]
    chunks = list(full_chunks(batches, rows))
    assert [len(chunk) for chunk in chunks[:-1]] == [rows] * (len(chunks) - 1)
    assert all(0 < len(chunk) <= rows for chunk in chunks)
    np.testing.assert_array_equal(np.concatenate([np.empty((0, 2)), *chunks]), matrix)
