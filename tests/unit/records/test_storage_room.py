"""Memory that blocks share: the right shape and order, used again, and never in each other's way."""

import numpy as np
import pytest

from relgauss.records.blocks import ArrayRows, Block, block_rows
from relgauss.records.storage import Room, rooms_for
from relgauss.records.streamed import changed_blocks

COUNT = 2 * block_rows(2) + 100


@pytest.mark.parametrize("order", ["C", "F"])
def test_room_is_like_what_it_is_for(order):
    features = np.zeros((5, 3), order=order)
    room = Room().like(features)
    assert room.shape == (5, 3)
    assert room.strides == features.strides


def test_a_slice_of_columns_is_held_by_columns():
    assert Room().like(np.zeros((100, 3), order="F")[10:20]).flags.f_contiguous


def test_memory_is_used_again():
    room = Room()
    first = room.columnwise(8, 3)
    assert np.shares_memory(first, room.columnwise(5, 3))
    assert np.shares_memory(first, room.like(np.zeros((4, 2))))
    assert room.columnwise(100, 3).shape == (100, 3)


def grow(block: Block) -> tuple[np.ndarray, np.ndarray]:
    return np.add(block.features, 1.0, out=block.room.like(block.features)), block.labels


def turn(block: Block) -> tuple[np.ndarray, np.ndarray]:
    turned = block.room.columnwise(*block.features.shape)
    return np.matmul(block.features, np.array([[0.0, 1.0], [1.0, 0.0]]), out=turned), -block.labels


def outer(block: Block) -> np.ndarray:
    """Uses the room of the block itself."""
    doubled = np.multiply(block.features, 2.0, out=block.room.like(block.features))
    return doubled.T @ block.features


@pytest.mark.parametrize("order", ["C", "F"])
def test_changes_and_sums_do_not_overwrite_each_other(order):
    features = np.asarray(np.random.default_rng(0).normal(size=(COUNT, 2)), order=order)
    before, labels = features.copy(), np.ones(COUNT)
    expected = (before[:, ::-1] + 1).T @ (before[:, ::-1] + 1) * 2
    changes = (grow, turn)
    blocks = changed_blocks(features, labels, changes, rooms_for(changes))
    assert sum(outer(block) for block in blocks) == pytest.approx(expected, rel=1e-12)
    in_memory = ArrayRows(features, labels).changed(grow, 2).changed(turn, 2)
    assert in_memory.total(outer) == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(features, before)


def test_one_room_for_all_changes_would_be_noticed():
    features, labels = np.random.default_rng(0).normal(size=(COUNT, 2)), np.ones(COUNT)
    apart = sum(
        outer(block) for block in changed_blocks(features, labels, (grow, turn), rooms_for((grow, turn)))
    )
    shared = sum(outer(block) for block in changed_blocks(features, labels, (grow, turn), (Room(),) * 3))
    assert not np.allclose(apart, shared)
