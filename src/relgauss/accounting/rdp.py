"""Rényi curves, one use each. Proof: proofs/conversions.md."""

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
