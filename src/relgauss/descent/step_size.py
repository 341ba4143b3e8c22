"""The step size that noisy descent allows."""

from __future__ import annotations

import math


def step_size(smoothness: float, relative_variance: float) -> float:
    """1/(L (1 + v)), for gradient noise of mean square v ||g||² + s², summed over all coordinates.

    The paper's 1/(L + gamma) leaves out that noise has d coordinates: v = d gamma. Proof: proofs/utility.md.
    """
    return 1 / (smoothness * (1 + relative_variance))


def relative_variance_of_rgm(gamma: float, dim: int) -> float:
    """v = 2 d gamma, in the linear form: the variance is gamma (||g|| + r/eta)² in each coordinate."""
    return 2 * dim * gamma


def relative_variance_of_isometric(eta: float, noise_multiplier: float, dim: int) -> float:
    """v = (e^x - 1) + d x e^x, x = (eta s)²: proofs/isometric.md, with M² <= (eta ||g||)² + r²."""
    x = (eta * noise_multiplier) ** 2
    return math.expm1(x) + dim * x * math.exp(x)
