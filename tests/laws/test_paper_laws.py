"""What the paper's literal constants do bound, and what they do not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from relgauss.paper.constants_not_private import constants_not_private
from relgauss.paper.node_objective import NodeObjective

ROUNDING = 1 + 1e-4  # features are 32-bit


@st.composite
def neighbours(draw: st.DrawFn):
    """Two nodes whose records differ in one, which may be anything."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, dim = draw(st.integers(3, 20)), draw(st.integers(1, 4))
    rows = rng.normal(size=(n, dim)).astype(np.float32)
    labels = rng.choice([-1.0, 1.0], n)
    other_rows, other_labels = rows.copy(), labels.copy()
    other_rows[0] = draw(st.sampled_from([0.0, 1.0, 1e3])) * rng.normal(size=dim)
    other_labels[0] = -labels[0]
    shift = draw(st.sampled_from([0.0, 100.0])) * np.ones(dim)
    theta = draw(st.sampled_from([0.1, 10.0])) * rng.normal(size=dim)
    return NodeObjective(rows, labels, shift), NodeObjective(other_rows, other_labels, shift), theta


@given(neighbours(), st.sampled_from([1e-2, 1.0, 100.0]))
def test_clipped_gradients_move_by_at_most_twice_the_threshold(case, threshold):
    one, other, theta = case
    moved = np.linalg.norm(one.clipped_gradient(theta, threshold) - other.clipped_gradient(theta, threshold))
    assert moved <= 2 * threshold / one.rows * ROUNDING


def test_and_that_is_attained():
    """So the paper's variance, made for half of it, is half of what is needed."""
    rows, labels = np.ones((4, 1), dtype=np.float32), np.ones(4)
    other = np.array([-1.0, 1.0, 1.0, 1.0])
    gradients = [
        NodeObjective(rows, y, np.zeros(1)).clipped_gradient(np.zeros(1), 0.5) for y in (labels, other)
    ]
    assert np.linalg.norm(gradients[0] - gradients[1]) == 2 * 0.5 / 4


@given(neighbours())
def test_other_records_of_the_same_data_stay_within_the_literal_bound(case):
    """Replacing a record by another of the same set moves the gradient at a public point within R and Y."""
    one, _, theta = case
    of = constants_not_private(one)
    rows, labels = one.features.copy(), one.labels.astype(float).copy()
    rows[0], labels[0] = rows[-1], labels[-1]
    moved = np.linalg.norm(one.gradient(theta) - NodeObjective(rows, labels, one.shift).gradient(theta))
    phi = float(np.linalg.norm(theta - one.shift))
    assert moved <= (of.radius**2 * phi + 2 * of.radius * of.label) / one.rows * ROUNDING


def test_a_new_record_breaks_every_literal_constant():
    """Why they are named as not private: a neighbour's record need not look like those that are there."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(50, 2)).astype(np.float32), rng.choice([-1.0, 1.0], 50)
    far = rows.copy()
    far[0] = [1e3, 0.0]
    one, other = (NodeObjective(each, labels, np.zeros(2)) for each in (rows, far))
    of, theta = constants_not_private(one), np.array([1.0, 1.0])
    gradients = one.gradient(theta), other.gradient(theta)
    smaller = min(np.linalg.norm(each) for each in gradients)
    assert np.linalg.norm(gradients[0] - gradients[1]) > 100 * of.sensitivity.local_scale(float(smaller))
    assert constants_not_private(other).radius > 100 * of.radius
