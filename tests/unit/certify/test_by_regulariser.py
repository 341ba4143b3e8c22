"""Certificates as a user has them who clips records and releases gradients by hand: docs/regression.md."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import relgauss as rg
from relgauss.certify import (
    Certified,
    Refused,
    RowBounds,
    certify_by_regulariser,
    certify_by_release,
    gradient_sensitivity,
    propose_test_release,
)
from relgauss.mechanisms.sensitivity import RelativeSensitivity

COUNT, PENALTY = 400, 0.3
ROWS = RowBounds(COUNT, 2, 2.0, 1.0)
DOCS = Path(__file__).parents[3] / "docs" / "regression.md"


def clipped(seed: int, row: tuple[float, float], label: float) -> tuple[np.ndarray, np.ndarray]:
    """Records of norm at most 2 and labels within ±1, of which the first is chosen; nearly one direction."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(COUNT, 2)) * [1.0, 1e-3]
    features[0] = row
    features *= np.minimum(1, 2.0 / np.linalg.norm(features, axis=1))[:, None]
    labels = np.clip(features[:, 0] + 0.1 * rng.normal(size=COUNT), -1, 1)
    labels[0] = label
    return features, labels


def second_moments(features: np.ndarray) -> np.ndarray:
    return features.T @ features / COUNT


def gradient(data: tuple[np.ndarray, np.ndarray], theta: np.ndarray) -> np.ndarray:
    features, labels = data
    return features.T @ (features @ theta - labels) / COUNT + PENALTY * theta


NEIGHBOURS = clipped(0, (0.0, 2.0), 1.0), clipped(0, (0.0, 2.0), -1.0), clipped(0, (-2.0, 0.0), 1.0)
POINTS = [*np.random.default_rng(1).normal(size=(200, 2)) * 10.0 ** np.linspace(-3, 3, 200)[:, None]]


def excess(bound: RelativeSensitivity) -> float:
    """How far some pair of neighbours is apart, at the worst of many points, in units of the bound."""
    found = 0.0
    minimisers = [
        np.linalg.solve(second_moments(x) + PENALTY * np.eye(2), x.T @ y / COUNT) for x, y in NEIGHBOURS
    ]
    for theta in (*POINTS, *minimisers):
        gradients = [gradient(data, theta) for data in NEIGHBOURS]
        for first, second in ((0, 1), (0, 2), (1, 2)):
            a, b = gradients[first], gradients[second]
            smaller = min(float(np.linalg.norm(a)), float(np.linalg.norm(b)))
            found = max(found, float(np.linalg.norm(a - b)) / (bound.eta * smaller + bound.r))
    return found


def test_a_penalty_certifies_the_gradients_of_a_ridge_regression():
    certificate = certify_by_regulariser(PENALTY, largest_scale=1.0)
    assert isinstance(certificate, Certified)
    assert certificate.charges == ()
    bound = gradient_sensitivity(certificate.rho, ROWS)
    assert bound.provenance == "certified"
    assert 0.1 < excess(bound) <= 1
    wrong = RelativeSensitivity(bound.eta / 20, bound.r / 20, "linear")
    assert excess(wrong) > 1  # a constant twenty times too small would be found out
    released = rg.IsometricGaussian(bound, 2, 10.0).release(gradient(NEIGHBOURS[0], np.ones(2)))
    assert np.isfinite(released).all()


def test_a_whitened_penalty_certifies_its_weight_over_the_largest_scale():
    """In the coordinates of z = x C^{-1/2} the penalty's matrix is PENALTY C^{-1}."""
    covariance = np.array([[4.0, 1.0], [1.0, 2.0]])
    largest = float(np.linalg.eigvalsh(covariance)[-1])
    certificate = certify_by_regulariser(PENALTY, largest)
    assert isinstance(certificate, Certified)
    least = float(np.linalg.eigvalsh(PENALTY * np.linalg.inv(covariance))[0])
    assert certificate.rho <= least
    assert certificate.rho == pytest.approx(least, rel=1e-12)


@pytest.mark.parametrize("floor", [0.0, PENALTY])
def test_a_penalty_is_the_floor_of_a_release_and_of_a_test(floor: float):
    """The data alone shows next to nothing in its second direction: only with the penalty is there a rho."""
    least = float(np.linalg.eigvalsh(second_moments(NEIGHBOURS[2][0]))[0])
    found = (
        certify_by_release(least, ROWS, mu=1.0, failure=1e-9, floor=floor, rng=np.random.default_rng(0)),
        propose_test_release(
            0.2, least, ROWS, epsilon=2.0, delta=1e-6, floor=floor, rng=np.random.default_rng(0)
        ),
    )
    assert [type(each) for each in found] == [Certified if floor else Refused] * 2
    for certificate in found:
        if isinstance(certificate, Certified):
            for features, _ in NEIGHBOURS:
                with_penalty = second_moments(features) + PENALTY * np.eye(2)
                assert certificate.rho <= float(np.linalg.eigvalsh(with_penalty)[0])
            assert excess(gradient_sensitivity(certificate.rho, ROWS)) <= 1


def test_a_bound_on_the_solution_that_the_user_vouches_for_makes_the_floor_smaller():
    largest = max(
        float(np.linalg.norm(np.linalg.solve(second_moments(x) + PENALTY * np.eye(2), x.T @ y / COUNT)))
        for x, y in NEIGHBOURS
    )
    plain = gradient_sensitivity(PENALTY, ROWS)
    vouched = gradient_sensitivity(PENALTY, ROWS, solution_bound=largest)
    assert vouched.r < plain.r
    assert vouched.eta == plain.eta
    assert excess(vouched) <= 1
    statement = rg.IsometricGaussian(vouched, 2, 10.0).statement(1e-6)
    assert "assumed" in [condition.provenance for condition in statement.conditions()]
    assert vouched.describe() in statement.text()


def test_the_example_of_the_docs_runs():
    (example,) = re.findall(r"## Certificates by hand.*?```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)
    assert np.shape(names["released"]) == (5,)
    assert names["rho"] == pytest.approx(0.5)
    assert math.isfinite(names["bound"].eta)
