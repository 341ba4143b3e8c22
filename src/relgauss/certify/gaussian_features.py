"""Which rho to propose if features are Gaussian: a closed form in public numbers."""

from __future__ import annotations

from scipy.special import gammainc, gammaincc

from relgauss import validate


def expected_eigenvalue(dim: int, radius: float) -> float:
    """Every eigenvalue of E[z zᵀ] for z standard normal in R^dim, clipped to this radius:

        F_{d+2}(R²) + (R²/d) (1 - F_d(R²)),   F_k the chi-square(k) distribution function.

    Half of it is the paper's proposal for rho (proofs/certificates.md, which says what it does not promise).

    Parameters
    ----------
    dim
        The number of features d.
    radius
        The clip radius R, in whitened coordinates.
    """
    dim = validate.count("dim", dim)
    radius = validate.positive("radius", radius, "Pass the clip radius in whitened coordinates.")
    half = radius**2 / 2
    return float(gammainc(dim / 2 + 1, half) + radius**2 / dim * gammaincc(dim / 2, half))
