"""The clipped quadratic: its moments stay in their bounds, its gradients move as certified."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.arrays import row_norms
from relgauss.bounded.answer import clip_weights
from relgauss.certify import gradient_sensitivity, public_iterate_sensitivity
from relgauss.descent.quadratic import Quadratic, clipped_quadratic
from relgauss.records.blocks import ArrayRows

RADIUS, LABEL = 2.0, 1.5


def quadratic_of(features: np.ndarray, labels: np.ndarray) -> Quadratic:
    return clipped_quadratic(ArrayRows(features, labels), RADIUS, LABEL)


def pair(seed: int, count: int, dim: int, size: float) -> tuple[Quadratic, Quadratic]:
    """Neighbours: a record of this size, or another one."""
    rng = np.random.default_rng(seed)
    features, labels = rng.normal(size=(count, dim)), rng.normal(size=count)
    quadratics = []
    for _ in range(2):
        features[0] = size * rng.normal(size=dim)
        labels[0] = size * rng.choice([-1.0, 0.0, 1.0])
        quadratics.append(quadratic_of(features, labels))
    return quadratics[0], quadratics[1]


seeds, counts, dims = st.integers(0, 2**32), st.integers(1, 60), st.integers(1, 4)
sizes = st.sampled_from([0.0, 1e-160, 1.0, 100.0, 1e150])


@given(seeds, counts, dims, sizes)
def test_moments_are_within_what_the_rows_are_bounded_by(seed: int, count: int, dim: int, size: float):
    first, second = pair(seed, count, dim, size)
    assert first.bounds == second.bounds
    step = first.bounds.eigenvalue_sensitivity
    moved = np.linalg.eigvalsh(first.second) - np.linalg.eigvalsh(second.second)
    assert np.abs(moved).max() <= step
    for each in (first, second):
        assert np.trace(each.second) <= RADIUS**2 * (1 + 1e-12)
        assert np.linalg.norm(each.first) <= RADIUS * LABEL * (1 + 1e-12)


@given(seeds, counts, dims, sizes, st.floats(0, 1e6))
def test_gradients_at_public_points_stay_within_their_bound(
    seed: int, count: int, dim: int, size: float, norm: float
):
    first, second = pair(seed, count, dim, size)
    theta = np.random.default_rng(seed + 1).normal(size=dim)
    theta *= norm / np.linalg.norm(theta)
    bound = public_iterate_sensitivity(first.bounds, float(np.linalg.norm(theta)) * (1 + 1e-12))
    assert np.linalg.norm(first.pull(theta) - second.pull(theta)) <= bound.r


@given(seeds, st.integers(30, 200), dims, sizes, st.floats(1e-3, 1e6))
@settings(max_examples=100)
def test_gradients_move_as_certified(seed: int, count: int, dim: int, size: float, norm: float):
    first, second = pair(seed, count, dim, size)
    rho = min(first.least_eigenvalue, second.least_eigenvalue)
    theta = np.random.default_rng(seed + 1).normal(size=dim)
    theta *= norm / np.linalg.norm(theta)
    sensitivity = gradient_sensitivity(rho, first.bounds)
    one, other = first.pull(theta), second.pull(theta)
    smaller = min(np.linalg.norm(one), np.linalg.norm(other))
    assert sensitivity.form == "linear"
    assert np.linalg.norm(one - other) <= sensitivity.local_scale(float(smaller))


def worst_pair(count: int) -> tuple[Quadratic, Quadratic]:
    """One coordinate: all rows are short but one, which is as long as may be or zero; labels are zero."""
    features, labels = np.full((count, 1), 0.5), np.zeros(count)
    features[0], labels[0] = RADIUS, LABEL
    first = quadratic_of(features, labels)
    features[0], labels[0] = 0.0, 0.0
    return first, quadratic_of(features, labels)


def test_constants_of_the_linear_form_are_no_quadratic_ones():
    """The planted mistake: the same (eta, r) read as quadratic is refuted, far from the minimum."""
    first, second = worst_pair(50)
    rho = second.least_eigenvalue
    sensitivity = gradient_sensitivity(rho, first.bounds)
    theta = np.array([-1e4])
    one, other = first.pull(theta), second.pull(theta)
    smaller = float(min(np.linalg.norm(one), np.linalg.norm(other)))
    moved = float(np.linalg.norm(one - other))
    assert moved <= sensitivity.local_scale(smaller)
    assert moved > math.hypot(sensitivity.eta * smaller, sensitivity.r)
    for t in (1e-3, 1.0, 1e3):  # the proper conversion holds
        assert moved <= sensitivity.to_quadratic(t).local_scale(smaller)


def test_the_certified_bound_is_nearly_attained():
    first, second = worst_pair(50)
    sensitivity = gradient_sensitivity(second.least_eigenvalue, first.bounds)
    theta = np.array([-1e4])
    moved = float(np.linalg.norm(first.pull(theta) - second.pull(theta)))
    assert moved > 0.99 * sensitivity.local_scale(float(np.linalg.norm(second.pull(theta))))


def test_the_bound_at_public_points_is_nearly_attained():
    features, labels = np.zeros((20, 2)), np.zeros(20)
    features[0], labels[0] = [RADIUS, 0.0], -9.0
    first = quadratic_of(features, labels)
    second = quadratic_of(np.zeros((20, 2)), labels)
    theta = np.array([100.0, 0.0])
    bound = public_iterate_sensitivity(first.bounds, 100.0).r
    assert np.linalg.norm(first.pull(theta) - second.pull(theta)) > 0.99 * bound


@given(seeds)
def test_weighting_labels_with_their_rows_keeps_a_true_model(seed: int):
    """Rows are clipped and labels with them: the true coefficients stay the minimiser.

    With labels left as they are, the planted mistake, they do not.
    """
    rng = np.random.default_rng(seed)
    features, true = rng.normal(size=(200, 3)), rng.normal(size=3)
    features *= 10.0 ** rng.uniform(-1, 1, size=(200, 1))
    true *= LABEL / (1 + np.abs(features @ true).max())
    labels = features @ true
    quadratic = quadratic_of(features, labels)
    assert quadratic.pull(true) == pytest.approx(np.zeros(3), abs=1e-12)

    weights = clip_weights(row_norms(features), RADIUS)
    assert (weights < 1).any()
    unweighted = (weights[:, None] * features).T @ labels / 200
    assert np.linalg.norm(unweighted - quadratic.second @ true) > 1e-3 * np.linalg.norm(quadratic.first)


def test_a_gradient_too_small_to_have_a_norm_is_zero():
    """Else the mechanism would refuse it, which tells that all records are tiny."""
    quadratic = quadratic_of(np.full((5, 2), 0.5), np.full(5, 1e-160))
    assert quadratic.pull(np.zeros(2)).tolist() == [0.0, 0.0]
    assert np.abs(quadratic_of(np.full((5, 2), 0.5), np.full(5, 1e-100)).pull(np.zeros(2))).min() > 0
