"""A node that pays for all it learns of its records: norms, whitening, clipping, certificate.

    z = x M (whitened by a released covariance),  w = min(1, R/||z||),  A = mean w² z zᵀ,  b = mean w² z y
    released: A φ̂ - b at the public φ̂ = M^{-1} (theta - shift);   then in public: M^{-T}(·) + reg φ

Its size, the dimension, labels within ±1 and its shift are public. Proofs: proofs/certificates.md,
proofs/nodes.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.budget import Charge
from relgauss.certify import Certified, Refused
from relgauss.descent.quadratic import Quadratic, clipped_quadratic
from relgauss.nodes.set_up import LocalSetup, release_setup
from relgauss.nodes.table import rows_of, whitened_rows
from relgauss.nodes.whitened_gradients import Coordinates
from relgauss.paper.node_objective import REGULARISER, NodeObjective

LABEL_BOUND = 1.0


@dataclass(frozen=True, eq=False)
class Setup:
    """What a node has released before descent, and the clipped problem that stays inside."""

    problem: Quadratic
    coordinates: Coordinates
    certificate: Certified | Refused
    charges: tuple[Charge, ...]

    @property
    def whitening(self) -> FloatArray:
        """M, by which rows are multiplied to whiten them."""
        return self.coordinates.whitening


def set_up(node: NodeObjective, mu: float, failure: float, rng: np.random.Generator | None) -> Setup:
    """Spend mu, and ``failure`` on the certificate, on everything that descent needs to know."""
    rows = rows_of(node.features, node.labels)
    return setup_of(node, release_setup(rows, mu, failure, rng, LABEL_BOUND))


def setup_of(node: NodeObjective, released: LocalSetup) -> Setup:
    """The node's problem, clipped as its releases say."""
    rows = whitened_rows(rows_of(node.features, node.labels), released.whitening)
    problem = clipped_quadratic(rows, released.clip_radius, LABEL_BOUND)
    coordinates = Coordinates(released.whitening, node.shift, REGULARISER)
    return Setup(problem, coordinates, released.certificate, released.charges)
