"""A node: one guarantee fixed in advance, simulation only on request."""

from dataclasses import dataclass

import numpy as np
import pytest

import relgauss as rg
from relgauss.arrays.simulated import SimulatedArray
from relgauss.errors import NoGuaranteeError
from relgauss.nodes.node import Answer, GradientQuery, Node

START = np.array([1.0, -2.0])


@dataclass(frozen=True, eq=False)
class Distance(GradientQuery):
    """The gradient of ||theta - target||²/2."""

    target: np.ndarray
    noise_multiplier: float = 1e-9
    growing: bool = False

    def answer(self, theta: np.ndarray) -> Answer:
        multiplier = self.noise_multiplier * (1 + np.abs(theta).max() if self.growing else 1)
        return Answer(theta - self.target, rg.Gaussian(rg.AbsoluteSensitivity(1.0), 2, multiplier))


def node(target, rng=None, **options) -> Node:
    query = Distance(np.array(target, dtype=float), **options)
    return Node(query, rg.GaussianDP(1 / query.noise_multiplier), rng)


def test_a_release_with_another_guarantee_is_refused():
    drifting = node([0.0, 0.0], noise_multiplier=1.0, growing=True)
    with pytest.raises(NoGuaranteeError, match="fixed in advance"):
        drifting.release(START)
    assert node([0.0, 0.0], noise_multiplier=1.0).release(START).shape == (2,)


def test_simulation_is_asked_for_and_marked():
    given = node([0.0, 0.0], np.random.default_rng(0), noise_multiplier=1.0)
    assert isinstance(given.release(START), SimulatedArray)
    assert type(node([0.0, 0.0], noise_multiplier=1.0).release(START)) is np.ndarray


def test_what_is_done_in_public_comes_after_the_noise():
    class Doubled(Distance):
        def finish(self, theta, released):
            return 2 * released + theta

    query = Doubled(np.zeros(2))
    released = Node(query, rg.GaussianDP(1 / 1e-9)).release(START)
    np.testing.assert_allclose(released, 3 * START, atol=1e-6)


def test_the_charge_of_a_run():
    charge = node([0.0, 0.0], noise_multiplier=2.0).charge("proofs/nodes.md", (), 40)
    assert (charge.guarantee, charge.times) == (rg.GaussianDP(0.5), 40)
    assert [(each.provenance, "public" in each.text) for each in charge.conditions] == [("assumed", True)]
