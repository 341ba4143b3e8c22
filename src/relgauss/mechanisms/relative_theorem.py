"""What the paper proves of the Relative Gaussian Mechanism: its Theorem 1 and its tCDP statement.

Hendrikx, Mangold, Bellet (2024). Proofs: proofs/exact-pair.md, proofs/conversions.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from relgauss.accounting.gaussian_pair_dp import GaussianPairDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.tcdp import TruncatedConcentratedDP
from relgauss.errors import NoGuaranteeError


def relative_theorem(eta: float, gamma: float, dim: int, alpha: float) -> float:
    """Theorem 1, an upper bound on the exact Rényi divergence of order alpha.

    alpha eta²/(2 gamma) (1 + gamma d (2+eta)² (1+eta)²) / (1 - eta (alpha-1) (2+eta))
    """
    slack = 1 - eta * (alpha - 1) * (2 + eta)
    if not slack > 1e-14:  # with less of it left, its own rounding error is too large a share
        return math.inf
    return alpha * _scale(eta, gamma, dim) / (2 * slack) * (1 + 1e-13 + 1e-15 / slack)


def theorem_for(guarantee: Guarantee) -> Callable[[float], float]:
    """Theorem 1 by its order, for all neighbours of a box; for eta = 0 the exact curve of mu-GDP."""
    if not isinstance(guarantee, GaussianPairDP):
        return guarantee.rdp
    eta, gamma = eta_and_gamma(guarantee)
    return lambda alpha: relative_theorem(eta, gamma, guarantee.dim, alpha)


def eta_and_gamma(box: GaussianPairDP) -> tuple[float, float]:
    """Those of the mechanism whose box this is, eta rounded up: Theorem 1 is stated by them."""
    eta = box.excess / (1 + math.sqrt(1 + box.excess)) * (1 + 2e-15)
    return eta, (eta / box.shift) ** 2 * (1 - 2e-15)


def relative_tcdp(eta: float, gamma: float, dim: int) -> TruncatedConcentratedDP:
    """The main text's statement, which Theorem 1 gives for alpha - 1 <= 1/(2 eta (2+eta)).

    rho = eta² (1/gamma + d (2+eta)² (1+eta)²),   omega = 1 + 1/(2 eta (2+eta))
    """
    omega = 1 + 1 / (2 * eta * (2 + eta)) * (1 - 1e-15)
    omega = math.nextafter(omega, 1.0)
    if not omega > 1:
        raise NoGuaranteeError(
            f"At eta={eta:g} no order above one is bounded.",
            "Use epsilon(), which needs no order, or another mechanism; compare() lists them.",
        )
    return TruncatedConcentratedDP(_scale(eta, gamma, dim) * (1 + 1e-14), omega)


def _scale(eta: float, gamma: float, dim: int) -> float:
    return eta * eta * (1 / gamma + dim * (2 + eta) ** 2 * (1 + eta) ** 2)
