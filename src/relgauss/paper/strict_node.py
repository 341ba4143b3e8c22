"""A node that pays for all it learns of its records: norms, whitening, clipping, certificate.

    z = x M (whitened by a released covariance),  w = min(1, R/||z||),  A = mean w² z zᵀ,  b = mean w² z y
    released: A φ̂ - b at the public φ̂ = M^{-1} (theta - shift);   then in public: M^{-T}(·) + reg φ

Its size, the dimension, labels within ±1 and its shift are public. Proofs: proofs/certificates.md,
proofs/nodes.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.budget import Charge
from relgauss.certify import Certified, Refused, certify_by_release
from relgauss.descent.quadratic import Quadratic as ClippedQuadratic
from relgauss.descent.quadratic import clipped_quadratic
from relgauss.estimate.reach import Reach, find_reaches, norms
from relgauss.estimate.spending import Spending
from relgauss.estimate.whitening import whiten_by_release
from relgauss.paper.quadratic import REGULARISER, Quadratic
from relgauss.records.blocks import ArrayRows, Rows

LABEL_BOUND = 1.0
_LONGEST, _SPAN = 1e3, 1e6  # public: norms from 1e-3 to 1e3 are told apart
_BEYOND = 0.05  # the part of rows that is shortened, before and after whitening; far above the noise
_REACH, _COVARIANCE, _RADIUS, _CERTIFICATE = 0.1, 0.5, 0.1, 0.3  # of the setup's mu²


@dataclass(frozen=True, eq=False)
class Setup:
    """What a node has released before descent, and the clipped problem that stays inside."""

    problem: ClippedQuadratic
    whitening: FloatArray
    shift: FloatArray
    certificate: Certified | Refused
    charges: tuple[Charge, ...]

    @cached_property
    def _back(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.whitening), dtype=np.float64)

    def coordinates(self, theta: FloatArray) -> FloatArray:
        """φ̂ of a public point."""
        return self._back @ (np.asarray(theta) - self.shift)

    def in_public(self, theta: FloatArray, released: FloatArray) -> FloatArray:
        """A released gradient in the coordinates of theta, with the regulariser's own."""
        return self._back.T @ np.asarray(released) + REGULARISER * (np.asarray(theta) - self.shift)

    @property
    def largest_eigenvalue(self) -> float:
        """Of the released covariance."""
        return float(1 / np.square(np.linalg.norm(self.whitening, axis=0)).min())


def set_up(node: Quadratic, mu: float, failure: float, rng: np.random.Generator | None) -> Setup:
    """Spend mu, and ``failure`` on the certificate, on everything that descent needs to know."""
    spending = Spending(mu, rng)
    rows: Rows = ArrayRows(node.features.astype(np.float64), node.labels.astype(np.float64))
    reach = Reach(norms, _LONGEST, _SPAN, _BEYOND)
    (longest,) = find_reaches("row norms", rows, [reach], spending, _REACH)
    whitening = whiten_by_release(rows, longest, spending, _COVARIANCE)  # the paper has no intercept
    whitened = rows.changed(lambda block: (block.features @ whitening.matrix, block.labels), node.dim)
    reach = Reach(norms, 10 * math.sqrt(node.dim), 30.0, _BEYOND)
    (radius,) = find_reaches("whitened norms", whitened, [reach], spending, _RADIUS)
    problem = clipped_quadratic(whitened, radius, LABEL_BOUND)
    certificate = certify_by_release(
        problem.least_eigenvalue,
        problem.bounds,
        mu=spending.take(_CERTIFICATE),
        failure=failure,
        rng=rng,
    )
    charges = (*spending.close(), *certificate.charges)
    return Setup(problem, whitening.matrix, node.shift, certificate, charges)
