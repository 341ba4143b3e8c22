"""Rows in memory: changed in place, held column by column, and the same answers as row by row."""

import numpy as np
import pytest

from relgauss.descent.clipped_gradients import clipped_pull
from relgauss.descent.objectives import Squared
from relgauss.records.blocks import SPARE, ArrayRows, Block, HeldRows, Rows, block_rows
from relgauss.records.storage import MemoryStorage

COLUMNS = 3
BLOCK_ROWS = block_rows(COLUMNS)
COUNT = BLOCK_ROWS + 77


@pytest.fixture
def features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(COUNT, COLUMNS))


def doubled(block: Block) -> tuple[np.ndarray, np.ndarray]:
    return 2 * block.features, block.labels + 1


def with_ones(block: Block) -> tuple[np.ndarray, np.ndarray]:
    return np.column_stack([block.features, np.ones(len(block.labels))]), block.labels


def seen_by(rows: Rows) -> Block:
    """All rows as one pass sees them."""
    seen = []

    def part(block: Block) -> np.ndarray:
        assert block.features.flags.f_contiguous
        seen.append((block.features.copy(), block.labels.copy(), block.norms.copy()))
        return np.zeros(1)

    rows.total(part)
    return Block(*map(np.concatenate, zip(*seen, strict=True)))


@pytest.mark.parametrize("passes", [0, 1])
def test_changed_rows_take_the_place_of_those_they_come_from(features, passes: int):
    """In whichever of the passes the changes are made."""
    given = features.copy()
    rows = first = ArrayRows(features, np.zeros(COUNT))
    for change, columns in ((doubled, COLUMNS), (doubled, COLUMNS), (with_ones, COLUMNS + 1)):
        for _ in range(passes):
            seen_by(rows)
        rows = rows.changed(change, columns)
    assert rows.columns == COLUMNS + 1
    for _ in range(2):  # as they are changed, and as they are held then
        found = seen_by(rows)
        assert np.array_equal(found.features, np.column_stack([4 * given, np.ones(COUNT)]))
        assert np.array_equal(found.labels, np.full(COUNT, 2.0))
        assert found.norms == pytest.approx(np.linalg.norm(found.features, axis=1), rel=1e-14)
    assert np.array_equal(seen_by(first).labels, np.zeros(COUNT))  # what a constant is fitted to
    assert np.array_equal(features, given)  # these belong to the user


@pytest.mark.parametrize("passes", [0, 1])
def test_other_labels_are_kept_beside_those_of_later_changes(features, passes: int):
    """A constant is fitted to them after the features have been changed."""
    rows = ArrayRows(features, np.zeros(COUNT)).relabelled(lambda labels: labels + 5)
    for _ in range(passes):
        seen_by(rows)
    changed = rows.changed(doubled, COLUMNS)
    assert set(seen_by(changed).labels) == {6.0}
    assert set(seen_by(rows).labels) == {5.0}


@pytest.mark.parametrize("passes", [0, 1])
def test_other_labels_of_rows_in_storage_are_kept_whichever_rows_are_read_first(features, passes: int):
    """Those that are changed are held where these were: what made other labels is not made of theirs."""
    storage = MemoryStorage(COLUMNS + SPARE, BLOCK_ROWS)
    for part in (slice(BLOCK_ROWS), slice(BLOCK_ROWS, COUNT)):
        storage.add(np.asfortranarray(features[part]), np.ones(len(features[part])))
    rows = HeldRows(storage, COLUMNS).relabelled(lambda labels: labels + 5)
    for _ in range(passes):
        assert set(seen_by(rows).labels) == {6.0}
    changed = rows.changed(doubled, COLUMNS).changed(doubled, COLUMNS)
    for _ in range(2):
        assert set(seen_by(changed).labels) == {8.0}
        assert set(seen_by(rows).labels) == {6.0}
    assert set(seen_by(changed.changed(doubled, COLUMNS)).labels) == {9.0}
    assert set(seen_by(rows).labels) == {6.0}


def test_more_columns_than_were_spared_are_held_too(features):
    rows = ArrayRows(features, np.zeros(COUNT))
    seen_by(rows)
    wide = rows.changed(lambda block: (np.hstack([block.features] * 3), block.labels), 3 * COLUMNS)
    for _ in range(2):
        assert np.array_equal(seen_by(wide).features, np.hstack([features] * 3))


def test_changed_rows_use_no_more_memory(features):
    rows = ArrayRows(features, np.zeros(COUNT))
    places = []

    def place(block: Block) -> np.ndarray:
        places.append(block.features.__array_interface__["data"][0])
        return np.zeros(1)

    for _ in range(3):
        rows.total(place)
        rows.total(place)
        rows = rows.changed(doubled, COLUMNS)
    assert len(set(places[2:4] + places[6:8])) == 2  # the two blocks, as they are held


@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_do_not_depend_on_the_layout(features, order: str):
    theta, labels = np.array([1.0, -0.5, 2.0]), np.ones(COUNT)
    residuals = labels - features @ theta
    gradients = features * residuals[:, None]
    norms = np.linalg.norm(gradients, axis=1)
    expected = (gradients * np.minimum(1, 0.7 / norms)[:, None]).mean(axis=0)
    found = clipped_pull(ArrayRows(np.array(features, order=order), labels), theta, Squared(), 0.7)
    assert found.value == pytest.approx(expected, rel=1e-12)
