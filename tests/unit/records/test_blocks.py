"""Rows in blocks: every row once, and the shape is known."""

import numpy as np
import pytest

from relgauss.records.blocks import LEAST_ROWS, MOST_ROWS, ArrayRows, Block, block_rows
from relgauss.records.streamed import slices

BLOCK_ROWS = block_rows(2)


@pytest.mark.parametrize("count", [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 5])
def test_slices_cover_every_row_once(count: int):
    assert [row for part in slices(count, BLOCK_ROWS) for row in range(count)[part]] == list(range(count))


def test_rows_know_their_shape():
    rows = ArrayRows(np.zeros((BLOCK_ROWS + 1, 2)), np.zeros(BLOCK_ROWS + 1))
    assert (rows.count, rows.columns) == (BLOCK_ROWS + 1, 2)
    sizes = []
    rows.total(lambda block: np.array(sizes.append(len(block.labels)) or 0))
    assert sizes == [BLOCK_ROWS, 1]


def test_blocks_are_long_where_columns_are_few_and_all_of_a_stream_are_whole():
    lengths = [block_rows(columns) for columns in range(3000)]
    assert lengths[0] == lengths[1] == MOST_ROWS
    assert lengths[-1] == LEAST_ROWS
    assert lengths == sorted(lengths, reverse=True)
    assert all(MOST_ROWS % length == 0 for length in lengths)  # the chunks that a file is read in


@pytest.mark.parametrize("columns", [1, 3])
def test_scores_are_kept_for_one_point_and_found_anew_at_another(columns: int):
    rng = np.random.default_rng(0)
    block = Block(rng.normal(size=(9, 3)), np.zeros(9))
    theta = rng.normal(size=columns)
    first = block.scores(theta)
    np.testing.assert_array_equal(first, block.features[:, :columns] @ theta)
    assert block.scores(theta.copy()) is first
    theta[0] += 1  # the same array, another point
    np.testing.assert_array_equal(block.scores(theta), block.features[:, :columns] @ theta)


def test_scores_of_changed_rows_are_their_own():
    """A change writes where the rows were: what was kept of those is not used."""
    features, theta = np.random.default_rng(0).normal(size=(50, 2)), np.array([1.0, -2.0])
    rows = ArrayRows(features, np.zeros(50)).changed(lambda block: (block.features, block.labels), 2)
    changed = rows
    for times in (1, 2, 4):
        for _ in range(3):
            found = changed.total(lambda block: block.scores(theta))
            np.testing.assert_array_equal(found, times * features @ theta)
        changed = changed.changed(lambda block: (2 * block.features, block.labels), 2)
