"""The probes are neighbours under the bound, reach zero and both signs, and find where noise is weakest."""

import math

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import worst_pair
from relgauss.audit.probes import fixed_probes, turned, weakest_probe

Relative = rg.RelativeSensitivity
MECHANISMS = [
    rg.Gaussian(rg.AbsoluteSensitivity(2.0), 1, 1.0),
    rg.Gaussian(rg.AbsoluteSensitivity(2.0), 7, 1.0),
    rg.Gaussian(rg.AbsoluteSensitivity(math.sqrt(2)), 1, 1.0),
    rg.Gaussian(rg.AbsoluteSensitivity(math.sqrt(2)), 5, 1.0),
    rg.Gaussian(rg.AbsoluteSensitivity(11.7), 5, 1.0),
    *(
        rg.RelativeGaussian(Relative(eta, r, form), dim, eta**2)
        for eta in (0.1, 3.0)
        for r in (0.0, 1.0)
        for form in ("quadratic", "linear")
        for dim in (1, 4)
    ),
    rg.IsometricGaussian(Relative(0.1, 1.0, nonnegative=True), 1, 1.0),
    rg.IsometricGaussian(Relative(0.1, nonnegative=True), 1, 1.0),
]


def all_pairs(mechanism: rg.Mechanism, seed: int) -> list:
    rng = np.random.default_rng(seed)
    pairs = [turned(mechanism, worst_pair(mechanism, 1.0), rng), *fixed_probes(mechanism, rng)]
    if mechanism.dim > 1:
        pairs.append(weakest_probe(mechanism, rng.normal(size=(200, mechanism.dim)), rng))
    return pairs


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{type(m).__name__}-{m.sensitivity}-{m.dim}")
@pytest.mark.parametrize("seed", range(3))
def test_probes_are_neighbours_that_the_mechanism_takes(mechanism, seed):
    bound = mechanism.sensitivity
    for pair in all_pairs(mechanism, seed):
        norms = np.linalg.norm(pair.first), np.linalg.norm(pair.second)
        most = bound.r if isinstance(bound, rg.AbsoluteSensitivity) else bound.local_scale(min(norms))
        # Far out an answer's last digits are worth 1e-12 of the distance, which no audit could tell.
        assert 0 < np.linalg.norm(pair.difference) <= most * (1 + 1e-10)
        for answer in (pair.first, pair.second):
            mechanism.simulate(answer, 1, np.random.default_rng(0))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{type(m).__name__}-{m.sensitivity}-{m.dim}")
def test_probes_reach_zero_and_both_signs(mechanism):
    pairs = list(fixed_probes(mechanism, np.random.default_rng(0)))
    assert any(not pair.first.any() for pair in pairs) == (mechanism.sensitivity.r > 0)
    assert any((pair.first > 0).all() and (pair.second > 0).all() for pair in pairs)
    below = any((pair.first < 0).all() and (pair.second < 0).all() for pair in pairs)
    assert below != getattr(mechanism.sensitivity, "nonnegative", False)


def test_the_worst_pair_is_turned_into_every_coordinate_and_keeps_its_shape():
    mechanism = rg.IsometricGaussian(Relative(0.1, 1.0), 6, 1.0)
    pair = worst_pair(mechanism, 1.0)
    moved = turned(mechanism, pair, np.random.default_rng(0))
    assert moved.first.all()
    assert moved.difference.all()
    for before, after in ((pair.first, moved.first), (pair.difference, moved.difference)):
        assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before))


@pytest.mark.parametrize("rows", [30, 5_000])
def test_the_weakest_direction_is_found_by_covariance_or_with_few_outputs_by_variance(rows):
    rng = np.random.default_rng(1)
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 20, 1.0)
    outputs = rng.normal(size=(rows, 20)) * np.where(np.arange(20) == 13, 0.1, 1.0)
    difference = weakest_probe(mechanism, outputs, rng).difference
    assert abs(difference[13]) == pytest.approx(1.0, abs=0.01)


def test_noise_that_two_coordinates_share_is_weakest_in_their_difference():
    rng = np.random.default_rng(2)
    outputs = rng.normal(size=(5_000, 4))
    outputs[:, 3] = outputs[:, 0]
    difference = weakest_probe(rg.Gaussian(rg.AbsoluteSensitivity(1.0), 4, 1.0), outputs, rng).difference
    assert np.abs(difference) == pytest.approx([math.sqrt(0.5), 0, 0, math.sqrt(0.5)], abs=1e-6)
