"""Descent with the isometric mechanism at a certified relative bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.descent.clipped_gradients import GRADIENTS
from relgauss.descent.descend import GradientMechanism, State
from relgauss.descent.quadratic import Quadratic
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.solvers.certified import MORE, CertifiedSolver
from relgauss.mechanisms import IsometricGaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.spending import Noisy, Spending

_MOST_LOG_NOISE = 1.0  # standard deviation of the logarithm of a released size


def relative_variance_of_isometric(eta: float, noise_multiplier: float, dim: int) -> float:
    """v = (e^x - 1) + d x e^x, x = (eta s)²: proofs/isometric.md, with M² <= (eta ||g||)² + r²."""
    x = (eta * noise_multiplier) ** 2
    return math.expm1(x) + dim * x * math.exp(x)


@dataclass(frozen=True, eq=False)
class IsometricGradients:
    """The isometric mechanism at a certified linear sensitivity: mu per step, whatever the certificate.

    A linear bound (eta, r) implies the quadratic (sqrt(1 + t) eta, sqrt(1 + 1/t) r) for every t > 0, whose
    map has the smaller noise; t = r/(eta u) is best at an answer of norm u, which the last release tells.
    """

    quadratic: Quadratic
    sensitivity: RelativeSensitivity
    spending: Spending
    step_share: float

    def at(self, state: State) -> Self:
        """This mechanism itself: it is the same at every step."""
        return self

    def release(self, theta: FloatArray, before: Noisy | None) -> Noisy:
        """Release minus the gradient at theta."""
        sensitivity = self.sensitivity.to_quadratic(1.0 if before is None else self._balance(before))
        pull = self.quadratic.pull(theta)
        value = self.spending.release_by(
            GRADIENTS,
            pull,
            lambda multiplier: IsometricGaussian(sensitivity, pull.size, multiplier),
            self.step_share,
        )
        # The noise at the released norm: a function of what was released.
        local = sensitivity.local_scale(float(np.linalg.norm(value)))
        return Noisy(value, local / self.spending.mu_of(self.step_share))

    @property
    def relative_variance(self) -> float:
        """That of the balanced map; the other maps suit their answers better."""
        multiplier = 1 / self.spending.mu_of(self.step_share)
        eta = math.sqrt(2) * self.sensitivity.eta
        return relative_variance_of_isometric(eta, multiplier, self.quadratic.first.size)

    @property
    def is_mostly_noise(self) -> bool:
        """Whether even the balanced map would leave little of a gradient's size."""
        return self._log_noise(1.0) > _MOST_LOG_NOISE

    def _log_noise(self, t: float) -> float:
        return math.sqrt(1 + t) * self.sensitivity.eta / self.spending.mu_of(self.step_share)

    def _balance(self, before: Noisy) -> float:
        """The best t for an answer like the last, as long as the map does not drown its size in noise."""
        answer = self.sensitivity.eta * float(np.linalg.norm(before.value))
        most = (_MOST_LOG_NOISE / self._log_noise(0.0)) ** 2 - 1
        return min(max(self.sensitivity.r / max(answer, 1e-300), 1e-3), most)


class IsometricSolver(CertifiedSolver):
    """Each step's mu is fixed, whatever rho turns out to be."""

    def _gradients(self, quadratic: Quadratic, spending: Spending) -> GradientMechanism | Degraded:
        sensitivity = self._sensitivity(quadratic, spending)
        if isinstance(sensitivity, Degraded):
            return sensitivity
        gradients = IsometricGradients(quadratic, sensitivity, spending, self._step_share(spending))
        if gradients.is_mostly_noise:
            return Degraded(f"At eta={sensitivity.eta:.3g} a gradient would be mostly noise.", MORE)
        return gradients
