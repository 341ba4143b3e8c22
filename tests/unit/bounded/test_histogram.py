"""The cells of a histogram over sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relgauss.bounded.histogram import (
    CELLS_PER_SIGN,
    SIGNED_EDGES,
    count_cells,
    log_cells,
    log_cells_between,
    log_edges,
    signed_cells,
)
from relgauss.records.blocks import ArrayRows, Block, block_rows
from relgauss.records.storage import Room


@given(st.floats(0, 1e300), st.floats(1e-6, 1e3), st.floats(1.1, 1e4), st.integers(1, 40))
def test_each_size_has_one_cell_and_lies_in_it(value: float, low: float, ratio: float, count: int):
    high = low * ratio
    (cell,) = log_cells(np.array([value]), low, high, count)
    assert 0 <= cell <= count
    edges = np.concatenate([[0.0], log_edges(low, high, count)])
    slack = 1e-9 * value
    assert value >= edges[cell] - slack
    assert value <= edges[cell + 1] + slack or cell == count


def test_cells_grow_with_the_value():
    values = np.concatenate([[0.0, 5e-324], np.geomspace(1e-12, 1e300, 20_000)])
    cells = log_cells(values, 0.5, 20.0, 24)
    assert (np.diff(cells) >= 0).all()
    assert set(cells) == set(range(25))


@pytest.mark.parametrize("at_once", [1, 2, 3, 6])
@pytest.mark.parametrize("cells", [4, 40, 256])
@pytest.mark.parametrize("histograms", [1, 2, 5, 6])
def test_counts_are_those_of_each_histogram_by_itself(histograms: int, cells: int, at_once: int):
    """Pairs are counted by a table of both, where cells are few, and the last one alone."""
    count = 2 * block_rows(histograms) + 17
    values = np.random.default_rng(0).integers(cells, size=(count, histograms))
    rows = ArrayRows(values.astype(float), np.zeros(count))

    def some_at_a_time(block: Block) -> list[np.ndarray]:
        places = block.features.T.astype(np.uint8)
        return [places[start : start + at_once] for start in range(0, histograms, at_once)]

    answer = count_cells(rows, some_at_a_time, histograms, cells)
    expected = np.concatenate([np.bincount(column, minlength=cells) for column in values.T])
    np.testing.assert_array_equal(answer.value, expected)


@pytest.mark.parametrize("cells", [4, 40])
@pytest.mark.parametrize("given", [0, 1, 3, 4])
def test_as_many_histograms_as_were_announced(given: int, cells: int):
    """The sensitivity is that of the number announced."""
    rows = ArrayRows(np.zeros((5, 1)), np.zeros(5))
    with pytest.raises(ValueError, match="announced"):
        count_cells(rows, lambda block: [np.zeros(5, dtype=int)] * given, 2, cells)


@pytest.mark.parametrize("cell", [-1, 4, 2**40])
@pytest.mark.parametrize("histograms", [1, 2, 3])
def test_a_cell_that_is_none_is_refused(histograms: int, cell: int):
    """It would be counted in another histogram, or outside of the memory of all."""
    rows = ArrayRows(np.zeros((5, 1)), np.zeros(5))
    places = np.zeros((histograms, 5), dtype=int)
    places[-1, 2] = cell
    with pytest.raises(ValueError, match="announced"):
        count_cells(rows, lambda block: [places], histograms, 4)


def test_cells_of_the_signed_grid_are_those_of_the_edges():
    values = np.concatenate([[0.0, 5e-324, 1e308], SIGNED_EDGES, SIGNED_EDGES * 1.01, SIGNED_EDGES * 0.99])
    values = np.concatenate([values, -values])[:, None]
    cells = signed_cells(np.hstack([values, values[::-1]]).T)  # not contiguous
    size = np.minimum(np.searchsorted(SIGNED_EDGES, np.abs(values[:, 0]), "right"), CELLS_PER_SIGN)
    expected = CELLS_PER_SIGN + np.sign(values[:, 0]) * size
    np.testing.assert_array_equal(cells, [expected, expected[::-1]])


def test_cells_in_the_memory_of_the_last_block_are_those_of_this_one():
    room, random = Room(), np.random.default_rng(3)
    for rows in (40, 40, 7):
        values = random.standard_normal((3, rows)) * 10.0 ** random.integers(-200, 200, (3, rows))
        np.testing.assert_array_equal(signed_cells(values, room), signed_cells(values))


def test_log_cells_of_several_values_are_those_of_each():
    several = np.exp(np.random.default_rng(4).normal(size=(3, 500)) * 4)
    ends = [(0.1, 5.0), (1e-3, 1e3), (0.5, 0.6)]
    cells = log_cells_between(list(several), ends, 24)
    for values, (low, high), row in zip(several, ends, cells, strict=True):
        np.testing.assert_array_equal(row, log_cells(values, low, high, 24))
