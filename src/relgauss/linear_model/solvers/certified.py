"""Descent where a certificate makes the gradient's bound relative: the paper's route, made sound."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from relgauss.accounting import ApproximateDP, Failure, GaussianDP, GaussianPairDP, Guarantee
from relgauss.budget import Charge
from relgauss.certify import (
    Certified,
    Refused,
    certify_by_release,
    gradient_sensitivity,
    propose_test_release,
)
from relgauss.descent.clipped_gradients import GRADIENTS
from relgauss.descent.descend import GradientMechanism
from relgauss.descent.quadratic import IsometricGradients, Quadratic, RelativeGradients
from relgauss.errors import InvalidParameterError, UnreachableTargetError
from relgauss.estimate.whitening import Whitening
from relgauss.linear_model.beside import mu_beside, relative_beside
from relgauss.linear_model.budget_shares import Shares
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Problem
from relgauss.linear_model.solvers.public_iterate import STEPS, QuadraticRoute
from relgauss.mechanisms import RelativeGaussian
from relgauss.sensitivity import RelativeSensitivity
from relgauss.spending import Spending

_MORE = "Use more records, a larger epsilon or the mechanism 'clipped', which needs no certificate."
_OTHER = "Use the mechanism 'clipped', which needs no certificate."
_CERTIFICATES = "proofs/certificates.md"
_FAILURE = 0.1  # of delta, for a released eigenvalue that may be wrong
_TEST = 0.1  # of epsilon and of delta, for the test of a proposed rho
_WELL_KNOWN = 0.75  # of a direction's variance must not be noise's floor
_DESIGN_SQUARE, _DESIGN_EIGENVALUE = 3.0, 0.2  # R² per coordinate and rho that RGM is planned for


class CertifiedRoute(QuadraticRoute):
    """The least eigenvalue is released, or a proposed ``rho`` is tested; a refusal degrades the fit.

    Directions that the covariance does not show are left out, since no certificate covers them: which ones
    they are is known from the release.
    """

    def directions(self, whitening: Whitening) -> Whitening:
        """Those that are well known."""
        return whitening.well_known(_WELL_KNOWN)

    @property
    def _certificate(self) -> Guarantee:
        """What the certificate costs beside Gaussian releases."""
        if self.rho is not None:
            return ApproximateDP(min(_TEST * self.budget.epsilon, 100.0), _TEST * self.budget.delta)
        return Failure(_FAILURE * self.budget.delta)

    @property
    def _planned(self) -> Charge:
        return Charge("certificate", self._certificate, _CERTIFICATES)

    @property
    def mu(self) -> float:
        """The mu that fits beside the certificate."""
        return mu_beside(self.budget, self._certificate)

    def open(self, problem: Problem, shares: Shares, rng: np.random.Generator | None) -> Spending:
        """Gaussian releases, and the certificate beside them."""
        return Spending(self.mu, rng, (self._planned,))

    def _sensitivity(
        self, quadratic: Quadratic, spending: Spending, shares: Shares
    ) -> RelativeSensitivity | Degraded:
        """How far one record moves a gradient, as the certificate says."""
        certified = self._certify(quadratic, spending, shares)
        if isinstance(certified, Degraded):
            return certified
        try:
            return gradient_sensitivity(certified.rho, quadratic.bounds)
        except InvalidParameterError as error:  # a rho that floating point cannot use
            return Degraded(error.cause, error.fix)

    def _certify(self, quadratic: Quadratic, spending: Spending, shares: Shares) -> Certified | Degraded:
        value, bounds, cost = quadratic.least_eigenvalue, quadratic.bounds, self._certificate
        outcome: Certified | Refused
        if isinstance(cost, ApproximateDP) and self.rho is not None:
            outcome = propose_test_release(
                self.rho, value, bounds, epsilon=cost.epsilon, delta=cost.delta, rng=spending.rng
            )
        else:
            outcome = certify_by_release(
                value, bounds, mu=spending.take(shares.certificate), failure=cost.failure, rng=spending.rng
            )
            spending.add(outcome.charges[0])
        return Degraded(outcome.reason, outcome.fix) if isinstance(outcome, Refused) else outcome


class IsometricRoute(CertifiedRoute):
    """Each step's mu is fixed, whatever rho turns out to be."""

    def _gradients(
        self, quadratic: Quadratic, spending: Spending, shares: Shares
    ) -> GradientMechanism | Degraded:
        sensitivity = self._sensitivity(quadratic, spending, shares)
        if isinstance(sensitivity, Degraded):
            return sensitivity
        gradients = IsometricGradients(
            quadratic, sensitivity, spending, (spending.left - shares.check) / STEPS
        )
        if gradients.is_mostly_noise:
            return Degraded(f"At eta={sensitivity.eta:.3g} a gradient would be mostly noise.", _MORE)
        return gradients


class RelativeRoute(CertifiedRoute):
    """RGM, with a guarantee made for eta <= 3 d/(0.2 n): fixed in advance, and refused if rho gives more.

    A bound with a smaller eta satisfies one with a larger, so all steps use the design's eta; fewer
    coordinates than planned cost less.
    """

    @property
    def mu(self) -> float:
        """The whole mu, of which only the share before descent is Gaussian."""
        return self.budget.mu

    def refusal(self, problem: Problem, shares: Shares) -> Degraded | None:
        """RGM has a least epsilon, whatever its noise."""
        try:
            self._guarantee(problem, shares)
        except UnreachableTargetError:
            return Degraded(f"No noise level of RGM keeps this budget with {problem.count} records.", _OTHER)
        return None

    def open(self, problem: Problem, shares: Shares, rng: np.random.Generator | None) -> Spending:
        """Gaussian releases before descent, and the RGM releases planned beside them."""
        gradients = Charge(GRADIENTS, self._guarantee(problem, shares), RelativeGaussian.theorem, (), STEPS)
        return Spending(self.mu, rng, (self._planned, gradients), _before(problem, shares))

    def _gradients(
        self, quadratic: Quadratic, spending: Spending, shares: Shares
    ) -> GradientMechanism | Degraded:
        sensitivity = self._sensitivity(quadratic, spending, shares)
        if isinstance(sensitivity, Degraded):
            return sensitivity
        bounds, guarantee = quadratic.bounds, spending.planned[-1].guarantee
        assert isinstance(guarantee, GaussianPairDP)
        eta = self._design_eta(bounds.count, guarantee.dim)
        if sensitivity.eta > eta:
            return Degraded(
                f"The certificate gives eta={sensitivity.eta:.3g}, more than the planned {eta:.3g}.", _MORE
            )
        gamma = (eta / guarantee.shift) ** 2 * (1 + 1e-15)
        mechanism = RelativeGaussian(replace(sensitivity, eta=eta), bounds.dim, gamma)
        return RelativeGradients(quadratic, mechanism, spending)

    def _guarantee(self, problem: Problem, shares: Shares) -> Guarantee:
        """RGM's at the design's eta: it depends on public numbers only, and not on the floor r."""
        eta, dim = self._design_eta(problem.count, problem.dim), problem.dim
        if not eta < 1:
            raise UnreachableTargetError("RGM is not planned for eta >= 1.", _OTHER, math.inf)
        gaussian = GaussianDP(self.budget.mu * math.sqrt(_before(problem, shares)))
        gamma = relative_beside(self.budget, STEPS, eta, dim, gaussian, self._certificate)
        return RelativeGaussian(RelativeSensitivity(eta, 1.0, "linear"), dim, gamma).guarantee

    def _design_eta(self, count: int, dim: int) -> float:
        """R²/(rho n) with what the user knows, or with what is to be expected of whitened rows."""
        rho = min(_DESIGN_EIGENVALUE, self.rho or math.inf)
        square = self.clip_radius**2 if self.clip_radius is not None else _DESIGN_SQUARE * dim
        return square / (rho * count) * (1 + 1e-3)  # and some room for float error


def _before(problem: Problem, shares: Shares) -> float:
    """The share of the releases that are not gradients."""
    return shares.beside_planned_gradients(searched=problem.searched.count > 0)
