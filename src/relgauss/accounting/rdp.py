"""Rényi curves of the mechanisms, one use each. Proofs: proofs/exact-pair.md, proofs/conversions.md."""

from __future__ import annotations

import math


def gaussian(mu: float, alpha: float) -> float:
    """mu-GDP: D(alpha) = alpha mu²/2."""
    return alpha * mu * mu / 2 * (1 + 1e-15)


def pure(epsilon: float, alpha: float) -> float:
    """epsilon-DP: the divergence of randomised response, which dominates every such mechanism.

    D(alpha) = log( (e^{alpha epsilon} + e^{(1-alpha) epsilon}) / (1 + e^epsilon) ) / (alpha - 1)
    """
    # log ratio = (alpha - 1) epsilon + log(1 + e^{(1 - 2 alpha) epsilon}) - log(1 + e^{-epsilon})
    log_ratio = math.log1p(math.exp((1 - 2 * alpha) * epsilon)) - math.log1p(math.exp(-epsilon))
    bound = epsilon + log_ratio / (alpha - 1)
    # For small (alpha - 1) the two terms cancel; alpha epsilon²/2 (Bun, Steinke 2016) bounds it there.
    return min(epsilon, alpha * epsilon * epsilon / 2, bound + 1e-15 * (epsilon + 1 / (alpha - 1)))


def relative_theorem(eta: float, gamma: float, dim: int, alpha: float) -> float:
    """Theorem 1 of Hendrikx, Mangold, Bellet (2024), an upper bound on the exact divergence.

    alpha eta²/(2 gamma) (1 + gamma d (2+eta)² (1+eta)²) / (1 - eta (alpha-1) (2+eta))
    """
    slack = 1 - eta * (alpha - 1) * (2 + eta)
    if not slack > 1e-14:  # with less of it left, its own rounding error is too large a share
        return math.inf
    scale = eta * eta * (1 / gamma + dim * (2 + eta) ** 2 * (1 + eta) ** 2)
    return alpha * scale / (2 * slack) * (1 + 1e-13 + 1e-15 / slack)
