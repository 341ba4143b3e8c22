"""Laws of certificates, on random and adversarial neighbours; each check also sees a planted violation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.certify import (
    RowBounds,
    gradient_sensitivity,
    linear_form,
    public_iterate_sensitivity,
    quadratic_form,
)
from relgauss.certify.by_test import distance_to_failure, threshold
from relgauss.paper.procedure_not_private import delta_plus_not_private

ROUNDING = 1 + 1e-10


def moments(rows: np.ndarray, labels: np.ndarray, floor: float) -> tuple[np.ndarray, np.ndarray]:
    n, dim = rows.shape
    return rows.T @ rows / n + floor * np.eye(dim), rows.T @ labels / n


def least(matrix: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(matrix)[0])


@st.composite
def neighbours(draw: st.DrawFn):
    """Clipped records and the same with one replaced, each at the edge of what clipping allows or inside."""
    dim, n = draw(st.integers(1, 4)), draw(st.integers(2, 30))
    radius, label = draw(st.floats(0.1, 10)), draw(st.floats(0.1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = rng.normal(size=(n, dim)) * draw(st.sampled_from([0.3, 1.0, 5.0])) * radius
    labels = np.clip(rng.normal(size=n) * 2 * label, -label, label)
    weights = np.minimum(1, radius / np.linalg.norm(rows, axis=1))
    rows, labels = rows * weights[:, None], labels * weights
    other_rows, other_labels = rows.copy(), labels.copy()
    direction = rng.normal(size=dim)
    size = draw(st.sampled_from([0.0, 0.5, 1.0]))
    other_rows[0] = size * radius * direction / np.linalg.norm(direction)
    other_labels[0] = draw(st.sampled_from([-1.0, 1.0])) * label
    if draw(st.booleans()):  # opposite labels on the same row move b the most
        other_rows[0], other_labels[0] = rows[0], -np.sign(labels[0] + 1e-300) * label
    floor = draw(st.sampled_from([0.0, 0.01, 1.0]))
    return RowBounds(n, dim, radius, label), floor, (rows, labels), (other_rows, other_labels), rng


@given(neighbours())
def test_one_record_moves_the_least_eigenvalue_by_at_most_its_sensitivity(case):
    rows, _, one, other, _ = case
    a, b = (least(moments(*data, 0.0)[0]) for data in (one, other))
    assert abs(a - b) <= rows.eigenvalue_sensitivity * ROUNDING


def test_that_sensitivity_is_attained():
    """All other records vanish along the axis that the replaced one lies on."""
    rows = RowBounds(4, 2, 3.0, 1.0)
    data = np.array([[3.0, 0.0], [0.0, 3.0], [0.0, 3.0], [0.0, 3.0]])
    gone = data.copy()
    gone[0] = 0.0
    moved = least(data.T @ data / 4) - least(gone.T @ gone / 4)
    assert moved == pytest.approx(rows.eigenvalue_sensitivity, rel=1e-12)


@given(neighbours(), st.floats(0.01, 0.9))
def test_the_distance_to_failure_moves_by_at_most_one(case, part):
    rows, _, one, other, _ = case
    values = [max(0.0, least(moments(*data, 0.0)[0])) for data in (one, other)]
    rho = part * max(values) + 1e-9
    first, second = (distance_to_failure(rho, value, rows) for value in values)
    assert abs(first - second) <= 1


@given(neighbours())
def test_the_distance_never_exceeds_the_records_that_must_be_replaced(case):
    """Replacing that many records, the worst for the weakest direction first, still leaves rho."""
    rows, _, (data, labels), _, _ = case
    matrix = moments(data, labels, 0.0)[0]
    rho = 0.3 * max(least(matrix), 0.0) + 1e-9
    distance = distance_to_failure(rho, max(least(matrix), 0.0), rows)
    weakest = np.linalg.eigh(matrix)[1][:, 0]
    worst = np.argsort(-((data @ weakest) ** 2))[:distance]
    left = data.copy()
    left[worst] = 0.0
    assert distance <= len(data)
    if distance:
        assert least(left.T @ left / len(data)) >= rho * (1 - 1e-9)


def test_the_paper_s_count_is_no_such_distance():
    n, rho = 200, 0.5
    first, second = 9.016 + rho, 9.085 + rho
    big = 0.856 * n * 9.016
    points = np.zeros((n, 2))
    points[0, 0] = math.sqrt(big)
    points[1:112, 0] = math.sqrt((n * first - big) / 111)
    points[112:, 1] = math.sqrt(n * second / 88)
    without = points.copy()
    without[0] = 0.0
    counts = [delta_plus_not_private(data, rho, np.eye(2)) for data in (points, without)]
    assert counts == [14, 81]
    radius = float(np.linalg.norm(points, axis=1).max())
    bounds = RowBounds(n, 2, radius, 1.0)
    ours = [distance_to_failure(rho, least(data.T @ data / n), bounds) for data in (points, without)]
    assert abs(ours[0] - ours[1]) <= 1


def test_the_paper_s_clipping_constant_is_too_small():
    """A >= C, but A^{-2} is not below C^{-2}: squaring does not keep the order."""
    c = np.diag([1.0, 1e-6])
    v = np.array([[1.0], [-1e-3]])
    a = c + v @ v.T
    assert least(a - c) >= -1e-12
    assert np.linalg.inv(a @ a)[0, 0] > 1.1e5 * np.linalg.inv(c @ c)[0, 0]


def exceeds(bound: rg.RelativeSensitivity, one: np.ndarray, other: np.ndarray) -> bool:
    smaller = min(np.linalg.norm(one), np.linalg.norm(other))
    return bool(np.linalg.norm(one - other) > bound.local_scale(float(smaller)) * ROUNDING)


@st.composite
def gradients(draw: st.DrawFn):
    """Two neighbouring gradients at one point: near the solution, far away or where records differ most."""
    rows, floor, one, other, rng = draw(neighbours())
    (a, b), (a2, b2) = moments(*one, floor), moments(*other, floor)
    rho = min(least(a), least(a2))
    scale = draw(st.sampled_from([0.0, 0.1, 1.0, 100.0]))
    if draw(st.booleans()):
        theta = scale * np.linalg.eigh(a - a2)[1][:, -1]
    else:
        theta = scale * rng.normal(size=rows.dim)
    if rho > 0 and draw(st.booleans()):
        theta = theta + np.linalg.solve(a, b)
    return rows, rho, theta, a @ theta - b, a2 @ theta - b2


@given(gradients())
@settings(max_examples=150)
def test_no_neighbour_exceeds_the_certified_sensitivity(case):
    rows, rho, _, one, other = case
    if rho > 1e-6 * rows.radius**2:
        assert not exceeds(gradient_sensitivity(rho, rows), one, other)


@given(gradients())
def test_no_neighbour_exceeds_the_sensitivity_at_a_public_iterate(case):
    rows, _, theta, one, other = case
    bound = public_iterate_sensitivity(rows, float(np.linalg.norm(theta)))
    assert np.linalg.norm(one - other) <= bound.r * ROUNDING


@given(gradients())
def test_a_public_iterate_is_never_worse_than_the_relative_bound(case):
    rows, rho, theta, one, other = case
    if rho > 1e-6 * rows.radius**2:
        smaller = float(min(np.linalg.norm(one), np.linalg.norm(other)))
        relative = gradient_sensitivity(rho, rows).local_scale(smaller)
        assert public_iterate_sensitivity(rows, float(np.linalg.norm(theta))).r <= relative * ROUNDING


def one_dimension(labels: tuple[float, float], rows: tuple[float, float], theta: float):
    """n = 2 records (1, y), one of them replaced; R = Y = 1."""
    data = np.array([1.0, rows[0]]), np.array([1.0, rows[1]])
    ys = np.array([1.0, labels[0]]), np.array([1.0, labels[1]])
    return [np.array([x @ x / 2 * theta - x @ y / 2]) for x, y in zip(data, ys, strict=True)]


def test_linear_constants_used_as_quadratic_are_caught():
    """The search that finds nothing against the linear bound finds neighbours against the same numbers."""
    bounds = RowBounds(2, 1, 1.0, 1.0)
    linear = gradient_sensitivity(0.5, bounds)  # the first record alone gives rho = 1/2
    misread = rg.RelativeSensitivity(linear.eta, linear.r, "quadratic", provenance="certified")
    convicted = [
        theta
        for theta in np.linspace(-30, 30, 601)
        for labels in ((1.0, -1.0), (-1.0, 1.0))
        if exceeds(misread, *one_dimension(labels, (1.0, 0.0), theta))
    ]
    assert not any(
        exceeds(linear, *one_dimension((a, b), (1.0, c), theta))
        for theta in np.linspace(-30, 30, 61)
        for a in (1.0, -1.0)
        for b in (1.0, -1.0)
        for c in (0.0, 1.0, -1.0)
    )
    assert convicted


@pytest.mark.parametrize("fault", ["an unclipped row", "an unweighted label", "half the records"])
def test_planted_faults_exceed_the_bound(fault):
    n, theta = 10, np.array([0.0])
    rows = np.ones((n, 1))
    labels = np.ones(n)
    other_rows, other_labels = rows.copy(), labels.copy()
    other_labels[0] = -1.0
    bounds = RowBounds(n, 1, 1.0, 1.0)
    if fault == "an unclipped row":
        other_rows[0] = 10.0
    elif fault == "an unweighted label":
        other_labels[0] = -10.0
    else:
        bounds = RowBounds(4 * n, 1, 1.0, 1.0)
    one, other = (x.T @ x / n @ theta - x.T @ y / n for x, y in ((rows, labels), (other_rows, other_labels)))
    assert exceeds(gradient_sensitivity(0.9, bounds), one, other)


@given(
    st.floats(0.01, 100),
    st.floats(0.01, 100),
    st.floats(0.01, 1),
    st.one_of(st.just(0.0), st.floats(1e-6, 10)),
    st.floats(0, 1e3),
)
def test_the_linear_form_of_general_objectives_is_never_larger(smooth, relative, convex, gap, norm):
    options = {
        "smoothness": smooth,
        "relative_smoothness": relative,
        "strong_convexity": convex,
        "gap": gap,
    }
    linear, quadratic = linear_form(50, **options), quadratic_form(50, **options)
    assert linear.local_scale(norm) <= quadratic.local_scale(norm) * ROUNDING


@given(st.integers(0, 2**32), st.floats(0.05, 1.0), st.sampled_from([0.0, 1.0, 30.0]))
def test_regularised_logistic_regression_obeys_both_general_forms(seed, reg, scale):
    """Losses log(1+e^{-y xᵀθ}) + (reg/2)||θ||²: L = R²/4 + reg, mu = reg, L_rel = (R²/4 + reg)/reg."""
    from scipy.optimize import minimize
    from scipy.special import expit

    rng = np.random.default_rng(seed)
    n, dim, radius = 12, 2, 2.0
    rows = rng.normal(size=(n + 1, dim))
    rows *= radius / np.linalg.norm(rows, axis=1)[:, None]
    labels = rng.choice([-1.0, 1.0], n + 1)
    sets = (np.arange(n), np.array([n, *range(1, n)]))

    def record(i, theta):
        return -labels[i] * rows[i] * expit(-labels[i] * (rows[i] @ theta)) + reg * theta

    def gradient(chosen, theta):
        return np.mean([record(i, theta) for i in chosen], axis=0)

    def loss(chosen, theta):
        return np.logaddexp(0, -labels[chosen] * (rows[chosen] @ theta)).mean() + reg / 2 * theta @ theta

    best = [
        minimize(lambda t, c=c: loss(c, t), np.zeros(dim), jac=lambda t, c=c: gradient(c, t), tol=1e-12).x
        for c in sets
    ]
    gap = max(np.linalg.norm(record(0, t) - record(n, t)) for t in best)
    smooth = radius**2 / 4 + reg
    options = {
        "smoothness": smooth,
        "relative_smoothness": smooth / reg,
        "strong_convexity": reg,
        "gap": float(gap) * (1 + 1e-6),
    }
    theta = best[0] + scale * rng.normal(size=dim)
    one, other = (gradient(c, theta) for c in sets)
    assert not exceeds(linear_form(n, **options), one, other)
    assert not exceeds(quadratic_form(n, **options), one, other)


@given(st.floats(1e-3, 5), st.floats(1e-12, 0.4))
def test_the_threshold_is_the_least_that_keeps_delta(epsilon, delta):
    def passes(least_noise: int) -> float:
        return math.exp(-epsilon * least_noise) / (1 + math.exp(-epsilon))

    needed = threshold(epsilon, delta)
    assert passes(needed) <= delta
    if needed > 1:
        assert passes(needed - 1) > delta * (1 - 1e-9)
