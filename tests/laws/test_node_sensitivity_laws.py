"""No replaced record, however wild, moves a node's gradient further than its own noise is made for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.certify import gradient_sensitivity
from relgauss.descent.quadratic import clipped_quadratic
from relgauss.nodes.table import rows_of, whitened_rows
from relgauss.nodes.whitened_gradients import AtCertifiedBound, AtPublicPoint, Coordinates, LogisticGradient

DIM = 3
wild = st.floats(-1e6, 1e6) | st.floats(-1.0, 1.0) | st.just(0.0)
vectors = st.lists(wild, min_size=DIM, max_size=DIM).map(np.array)
points = st.lists(st.floats(-100, 100), min_size=DIM, max_size=DIM).map(np.array)
seeds = st.integers(0, 10**6)


def neighbours(seed: int, first: np.ndarray, second: np.ndarray, labels: tuple[float, float]):
    """Two tables that differ in one record, whitened by a matrix that is far from the identity."""
    rng = np.random.default_rng(seed)
    others, other_labels = rng.normal(size=(20, DIM)), np.sign(rng.normal(size=20))
    whitening = rng.normal(size=(DIM, DIM)) + 2 * np.eye(DIM)
    tables = [
        whitened_rows(rows_of(np.vstack([others, row]), np.append(other_labels, label)), whitening)
        for row, label in zip((first, second), labels, strict=True)
    ]
    return tables, Coordinates(whitening, np.full(DIM, 0.5), 0.1)


def check(queries, theta: np.ndarray) -> None:
    first, second = (query.answer(theta) for query in queries)
    assert first.mechanism == second.mechanism
    distance = float(np.linalg.norm(first.gradient - second.gradient))
    bound = first.mechanism.sensitivity
    if isinstance(bound, rg.RelativeSensitivity):
        least = min(float(np.linalg.norm(each.gradient)) for each in (first, second))
        assert distance <= bound.eta * least + bound.r
    else:
        assert distance <= bound.r


@given(seeds, vectors, vectors, points, st.floats(0.1, 10))
def test_logistic(seed, first, second, theta, radius):
    tables, coordinates = neighbours(seed, first, second, (1.0, -1.0))
    check([LogisticGradient(coordinates, rows, radius, 1.0) for rows in tables], theta)


@given(seeds, vectors, vectors, points, st.floats(0.1, 10), st.tuples(wild, wild))
def test_ridge_at_a_public_point(seed, first, second, theta, radius, labels):
    tables, coordinates = neighbours(seed, first, second, labels)
    problems = [clipped_quadratic(rows, radius, 1.0) for rows in tables]
    check([AtPublicPoint(coordinates, problem, 1.0) for problem in problems], theta)


@given(seeds, vectors, vectors, points, st.floats(0.1, 10), st.tuples(wild, wild))
def test_ridge_at_a_certified_bound(seed, first, second, theta, radius, labels):
    tables, coordinates = neighbours(seed, first, second, labels)
    problems = [clipped_quadratic(rows, radius, 1.0) for rows in tables]
    rho = min(problem.least_eigenvalue for problem in problems) * (1 - 1e-9)
    if rho <= 1e-6 * radius**2:
        return
    bound = gradient_sensitivity(rho, problems[0].bounds)
    mechanism = rg.IsometricGaussian(bound, DIM, 1e-9)
    check([AtCertifiedBound(coordinates, problem, mechanism) for problem in problems], theta)


def test_the_bound_is_reached():
    """Two records that pull to opposite ends of the ball: a bound that is any smaller would be seen."""
    row = np.array([1e6, 0.0, 0.0])
    tables, coordinates = neighbours(0, row, row, (1.0, -1.0))
    answers = [LogisticGradient(coordinates, rows, 1.0, 1.0).answer(coordinates.shift) for rows in tables]
    distance = float(np.linalg.norm(answers[0].gradient - answers[1].gradient))
    assert distance > (1 - 1e-9) * answers[0].mechanism.sensitivity.r
