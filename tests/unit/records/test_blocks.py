"""Rows in blocks: every row once, and the shape is known."""

import numpy as np
import pytest

from relgauss.records.blocks import BLOCK_ROWS, ArrayRows
from relgauss.records.streamed import slices


@pytest.mark.parametrize("count", [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS + 5])
def test_slices_cover_every_row_once(count: int):
    assert [row for part in slices(count) for row in range(count)[part]] == list(range(count))


def test_rows_know_their_shape():
    rows = ArrayRows(np.zeros((BLOCK_ROWS + 1, 2)), np.zeros(BLOCK_ROWS + 1))
    assert (rows.count, rows.columns) == (BLOCK_ROWS + 1, 2)
    sizes = []
    rows.total(lambda block: np.array(sizes.append(len(block.labels)) or 0))
    assert sizes == [BLOCK_ROWS, 1]
