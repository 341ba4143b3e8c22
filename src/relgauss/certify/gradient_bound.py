"""From a certificate to the sensitivity of a regression's gradient."""

from __future__ import annotations

import math

from relgauss import validate
from relgauss.certify.row_bounds import RowBounds
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

_UP = 1 + 2.0**-48
_MOST_FLOAT_ERROR = 0.5


def gradient_sensitivity(
    rho: float, rows: RowBounds, solution_bound: float | None = None
) -> RelativeSensitivity:
    """The gradient A θ - b, at any θ, if the least eigenvalue is at least rho for both neighbours:

        ||g - g'|| <= eta min(||g||, ||g'||) + r,   eta = R²/(rho n),   r = (R² B + 2 R Y)/n

    where B = Y/sqrt(rho) bounds ||A^{-1} b||. Proof: proofs/certificates.md.

    Parameters
    ----------
    rho : float
        The least eigenvalue that a certificate gives, of A or of A and a regulariser.
    rows : RowBounds
        What clipping enforced on every record: n records, norms up to R, labels up to Y.
    solution_bound : float or None
        A bound on ||A^{-1} b|| that the caller knows. If it is below B it takes its place, and makes the
        result *assumed*.

    Returns
    -------
    RelativeSensitivity
        In the linear form, never to be read as the quadratic one; certified, or assumed.
    """
    rho = validate.positive("rho", rho, "Pass the rho of a certificate.")
    radius, label, n = rows.radius, rows.label_bound, rows.count
    bound, assumed = label / math.sqrt(rho), False
    if solution_bound is not None:
        stated = validate.nonnegative("solution_bound", solution_bound, "Pass a bound on ||A^{-1} b||.")
        bound, assumed = min(bound, stated), stated < bound
    eta = radius**2 / (rho * n)
    wrong = rows.float_error
    if not eta * wrong < _MOST_FLOAT_ERROR:
        raise InvalidParameterError(
            "rho", rho, "large enough for floating point to tell neighbours apart", "Certify a larger rho."
        )
    growth = (1 + 2 * wrong) / (1 - eta * wrong) * _UP
    r = (radius**2 * bound + 2 * radius * label) / n
    return RelativeSensitivity(
        eta * growth, r * growth, "linear", provenance="assumed" if assumed else "certified"
    )


def public_iterate_sensitivity(rows: RowBounds, iterate_norm: float) -> AbsoluteSensitivity:
    """The gradient at a public θ: ||g - g'|| <= (R² ||θ|| + 2 R Y)/n, with no certificate.

    As ||θ|| <= ||g||/rho + B, this is never above the relative bound at the same point.

    Parameters
    ----------
    rows : RowBounds
        What clipping enforced on every record: n records, norms up to R, labels up to Y.
    iterate_norm : float
        ||θ||.
    """
    norm = validate.nonnegative("iterate_norm", iterate_norm, "Pass the norm of the public iterate.")
    moved = (rows.radius**2 * norm + 2 * rows.radius * rows.label_bound) / rows.count
    return AbsoluteSensitivity(moved * (1 + 2 * rows.float_error) * _UP, "enforced")
