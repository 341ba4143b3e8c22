"""A certificate that costs nothing: a public regulariser bounds the least eigenvalue by itself."""

from __future__ import annotations

from relgauss import validate
from relgauss.certify.outcome import Certified, Refused


def certify_by_regulariser(regulariser: float, largest_scale: float) -> Certified | Refused:
    """rho = regulariser/largest_scale: no data is looked at, nothing is charged.

    In coordinates whitened by C the penalty (regulariser/2)||theta||² has the matrix regulariser·C^{-1},
    whose least eigenvalue is regulariser over the largest eigenvalue of C. Proof: proofs/certificates.md.

    Parameters
    ----------
    regulariser : float
        The weight of the penalty; public.
    largest_scale : float
        The largest eigenvalue of C, public or already released; 1 if nothing was whitened.

    Returns
    -------
    Certified or Refused
        Certified with rho and no charges, or Refused if the regulariser is zero.
    """
    regulariser = validate.nonnegative("regulariser", regulariser, "Pass the weight of the penalty.")
    fix = "Pass the largest eigenvalue of the whitening matrix."
    largest_scale = validate.positive("largest_scale", largest_scale, fix)
    rho = regulariser / largest_scale * (1 - 2.0**-50)
    if not rho > 0:
        return Refused("There is no regulariser.", "State a positive one, or certify by a release.")
    return Certified(rho)
