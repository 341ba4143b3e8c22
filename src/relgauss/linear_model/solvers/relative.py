"""Descent with the Relative Gaussian Mechanism at a certified bound: the paper's way, made sound."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from relgauss.accounting import GaussianDP, GaussianPairDP, Guarantee
from relgauss.arrays import FloatArray
from relgauss.budget import Charge
from relgauss.descent.clipped_gradients import GRADIENTS
from relgauss.descent.descend import GradientMechanism, State
from relgauss.descent.quadratic import Quadratic
from relgauss.errors import UnreachableTargetError
from relgauss.linear_model.calibrate_beside import relative_beside
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.solvers.certified import MORE, CertifiedSolver
from relgauss.linear_model.solvers.quadratic import STEPS
from relgauss.mechanisms import RelativeGaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.spending import Noisy, Spending

_OTHER = "Use the mechanism 'clipped', which needs no certificate."
_DESIGN_SQUARE, _DESIGN_EIGENVALUE = 3.0, 0.2  # R² per coordinate and rho that RGM is planned for


def relative_variance_of_rgm(gamma: float, dim: int) -> float:
    """v = 2 d gamma, in the linear form: the variance is gamma (||g|| + r/eta)² in each coordinate."""
    return 2 * dim * gamma


@dataclass(frozen=True, eq=False)
class RelativeGradients:
    """RGM: its guarantee is fixed before the certificate is known, and holds for it or is refused."""

    quadratic: Quadratic
    mechanism: RelativeGaussian
    spending: Spending

    @property
    def relative_variance(self) -> float:
        """The part of the noise that grows with the gradient."""
        return relative_variance_of_rgm(self.mechanism.gamma, self.mechanism.dim)

    def at(self, state: State) -> Self:
        """This mechanism itself: it is the same at every step."""
        return self

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        value = self.spending.release_planned(self.quadratic.pull(theta), self.mechanism)
        sensitivity = self.mechanism.sensitivity
        multiplier = math.sqrt(self.mechanism.gamma) / sensitivity.eta
        return Noisy(value, multiplier * sensitivity.local_scale(float(np.linalg.norm(value))))


class RelativeSolver(CertifiedSolver):
    """RGM, with a guarantee made for eta <= 3 d/(0.2 n): fixed in advance, and refused if rho gives more.

    A bound with a smaller eta satisfies one with a larger, so all steps use the design's eta; fewer
    coordinates than planned cost less.
    """

    @property
    def mu(self) -> float:
        """The whole mu, of which only the share before descent is Gaussian."""
        return self.budget.mu

    def refusal(self) -> Degraded | None:
        """RGM has a least epsilon, whatever its noise."""
        try:
            self._guarantee()
        except UnreachableTargetError:
            count = self.problem.records.count
            return Degraded(f"No noise level of RGM keeps this budget with {count} records.", _OTHER)
        return None

    def open(self, rng: np.random.Generator | None) -> Spending:
        """Gaussian releases before descent, and the RGM releases planned beside them."""
        gradients = Charge(GRADIENTS, self._guarantee(), RelativeGaussian.theorem, (), STEPS)
        return Spending(GaussianDP(self.mu), rng, (self._planned, gradients), self._gaussian_share)

    def _gradients(self, quadratic: Quadratic, spending: Spending) -> GradientMechanism | Degraded:
        sensitivity = self._sensitivity(quadratic, spending)
        if isinstance(sensitivity, Degraded):
            return sensitivity
        bounds, guarantee = quadratic.bounds, spending.planned[-1].guarantee
        assert isinstance(guarantee, GaussianPairDP)
        eta = self._design_eta(bounds.count, guarantee.dim)
        if sensitivity.eta > eta:
            return Degraded(
                f"The certificate gives eta={sensitivity.eta:.3g}, more than the planned {eta:.3g}.", MORE
            )
        gamma = (eta / guarantee.shift) ** 2 * (1 + 1e-15)
        mechanism = RelativeGaussian(replace(sensitivity, eta=eta), bounds.dim, gamma)
        return RelativeGradients(quadratic, mechanism, spending)

    def _guarantee(self) -> Guarantee:
        """RGM's at the design's eta: it depends on public numbers only, and not on the floor r."""
        dim = self.problem.records.columns + self.problem.has_intercept
        eta = self._design_eta(self.problem.records.count, dim)
        if not eta < 1:
            raise UnreachableTargetError("RGM is not planned for eta >= 1.", _OTHER, math.inf)
        gaussian = GaussianDP(self.budget.mu * math.sqrt(self._gaussian_share))
        gamma = relative_beside(self.budget, STEPS, eta, dim, gaussian, self._certificate)
        return RelativeGaussian(RelativeSensitivity(eta, 1.0, "linear"), dim, gamma).guarantee

    @property
    def _gaussian_share(self) -> float:
        """The share of the releases that are not gradients."""
        return self.shares.beside_gradients(self.search)

    def _design_eta(self, count: int, dim: int) -> float:
        """R²/(rho n) with what the user knows, or with what is to be expected of whitened rows."""
        known = self.problem.known
        rho = min(_DESIGN_EIGENVALUE, known.rho or math.inf)
        square = known.clip_radius**2 if known.clip_radius is not None else _DESIGN_SQUARE * dim
        return square / (rho * count) * (1 + 1e-3)  # and some room for float error
