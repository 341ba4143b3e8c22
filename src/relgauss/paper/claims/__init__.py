"""The paper's claims as checks: each computes, and says whether the claim holds."""

from __future__ import annotations

from collections.abc import Callable

from relgauss.paper.claims import certificates, descent, mechanism
from relgauss.paper.claims.claim import Claim, Verdict

CHECKS: tuple[Callable[[], Claim], ...] = (
    mechanism.theorem_one,
    mechanism.corollary,
    mechanism.tcdp_main_text,
    mechanism.tcdp_appendix,
    mechanism.loss_decomposition,
    mechanism.tightness,
    descent.utility,
    certificates.orthogonal_data,
    certificates.operator_monotonicity,
    certificates.delta_plus,
    certificates.threshold,
    certificates.gaussian_features,
    descent.clipping_variance,
)

__all__ = ["CHECKS", "Claim", "Verdict"]
