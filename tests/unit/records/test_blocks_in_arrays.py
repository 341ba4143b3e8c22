"""Rows in memory: changed in place, held column by column, and the same answers as row by row."""

import numpy as np
import pytest

from relgauss.descent.clipped_gradients import clipped_pull
from relgauss.descent.objectives import Squared
from relgauss.records.blocks import BLOCK_ROWS, ArrayRows, Block

COUNT, COLUMNS = BLOCK_ROWS + 77, 3


@pytest.fixture
def features() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(COUNT, COLUMNS))


def doubled(block: Block) -> tuple[np.ndarray, np.ndarray]:
    return 2 * block.features, block.labels + 1


def with_ones(block: Block) -> tuple[np.ndarray, np.ndarray]:
    return np.column_stack([block.features, np.ones(len(block.labels))]), block.labels


def test_changed_rows_take_the_place_of_those_they_come_from(features):
    given = features.copy()
    first = ArrayRows(features, np.zeros(COUNT)).changed(doubled, COLUMNS)
    second = first.changed(doubled, COLUMNS)
    third = second.changed(with_ones, COLUMNS + 1)
    assert np.array_equal(features, given)  # these belong to the user
    assert not np.shares_memory(first.features, features)
    assert np.shares_memory(second.features, first.features)
    assert np.shares_memory(third.features, first.features)
    assert np.array_equal(third.features, np.column_stack([4 * given, np.ones(COUNT)]))
    assert np.array_equal(third.labels, np.full(COUNT, 2.0))
    assert third.norms == pytest.approx(np.linalg.norm(third.features, axis=1), rel=1e-14)
    assert all(rows.features.flags.f_contiguous for rows in (first, second, third))


@pytest.mark.parametrize("order", ["C", "F"])
def test_answers_do_not_depend_on_the_layout(features, order: str):
    theta, labels = np.array([1.0, -0.5, 2.0]), np.ones(COUNT)
    residuals = labels - features @ theta
    gradients = features * residuals[:, None]
    norms = np.linalg.norm(gradients, axis=1)
    expected = (gradients * np.minimum(1, 0.7 / norms)[:, None]).mean(axis=0)
    found = clipped_pull(ArrayRows(np.array(features, order=order), labels), theta, Squared(), 0.7)
    assert found.value == pytest.approx(expected, rel=1e-12)
