"""What solvers share whose gradients have a relative bound, which a certificate gives."""

from __future__ import annotations

import numpy as np

from relgauss.accounting import ApproximateDP, Failure, GaussianDP, Guarantee
from relgauss.budget import Charge
from relgauss.certify import Certified, Refused, certify_within, gradient_sensitivity, propose_within
from relgauss.certify.outcome import STAGE, THEOREM
from relgauss.descent.quadratic import Quadratic
from relgauss.errors import InvalidParameterError
from relgauss.estimate.whitening import Whitening
from relgauss.linear_model.calibrate_beside import mu_beside
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.solvers.quadratic import QuadraticSolver
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.spending import Spending

MORE = "Use more records, a larger epsilon or the mechanism 'clipped', which needs no certificate."
_FAILURE = 0.1  # of delta, for a released eigenvalue that may be wrong
_TEST = 0.1  # of epsilon and of delta, for the test of a proposed rho
_LEAST_SIGNAL = 0.75  # of a direction's variance must not be noise's floor


class CertifiedSolver(QuadraticSolver):
    """The least eigenvalue is released, or a proposed ``rho`` is tested; a refusal degrades the fit.

    Directions that the covariance does not show are left out, since no certificate covers them: which ones
    they are is known from the release.
    """

    @property
    def mu(self) -> float:
        """The mu that fits beside the certificate."""
        return mu_beside(self.budget, self._certificate)

    def open(self, rng: np.random.Generator | None) -> Spending:
        """Gaussian releases, and the certificate beside them."""
        return Spending(GaussianDP(self.mu), rng, (self._planned,))

    def directions(self, whitening: Whitening) -> Whitening:
        """Those that stand out of the noise."""
        return whitening.clear_directions(_LEAST_SIGNAL)

    @property
    def _certificate(self) -> Guarantee:
        """What the certificate costs beside Gaussian releases."""
        if self.problem.known.rho is not None:
            return ApproximateDP(min(_TEST * self.budget.epsilon, 100.0), _TEST * self.budget.delta)
        return Failure(_FAILURE * self.budget.delta)

    @property
    def _planned(self) -> Charge:
        return Charge(STAGE, self._certificate, THEOREM)

    def _sensitivity(self, quadratic: Quadratic, spending: Spending) -> RelativeSensitivity | Degraded:
        """How far one record moves a gradient, as the certificate says."""
        certificate = self._certify(quadratic, spending)
        if isinstance(certificate, Refused):
            return Degraded(certificate.reason, certificate.fix)
        try:
            return gradient_sensitivity(certificate.rho, quadratic.bounds)
        except InvalidParameterError as error:  # a rho that floating point cannot use
            return Degraded(error.cause, error.fix)

    def _certify(self, quadratic: Quadratic, spending: Spending) -> Certified | Refused:
        value, bounds, cost = quadratic.least_eigenvalue, quadratic.bounds, self._certificate
        rho = self.problem.known.rho
        if isinstance(cost, ApproximateDP) and rho is not None:
            return propose_within(spending, rho, value, bounds, cost)
        return certify_within(spending, self.shares.certificate, value, bounds, cost.failure)
