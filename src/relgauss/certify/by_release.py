"""A certificate from a noisy release of the least eigenvalue, less what the noise may have added."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from relgauss import validate
from relgauss.accounting import Failure
from relgauss.bounded.answer import BoundedAnswer
from relgauss.budget import Charge
from relgauss.certify.outcome import STAGE, THEOREM, Certified, Refused
from relgauss.certify.row_bounds import RowBounds
from relgauss.errors import InvalidParameterError
from relgauss.spending import Basis, Noisy, Spending, draw

_SLACK = 2.0**-30  # of a standard deviation: covers the lattice and the rounding of the quantile


def certify_by_release(
    least_eigenvalue: float,
    rows: RowBounds,
    *,
    mu: float,
    failure: float,
    floor: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Certified | Refused:
    """Release a lower bound on the least eigenvalue of A and of every neighbour's A:

        lower = lambda_min(A) + N(0, s²) - s Phi^{-1}(1 - failure),   s = radius²/(n mu)
        rho   = lower - radius²/n + floor

    Costs mu-GDP, and ``failure`` once for everything that relies on rho. Proof: proofs/certificates.md.

    Parameters
    ----------
    least_eigenvalue : float
        lambda_min(A) of the clipped records' second moments A: private, and never shown.
    rows : RowBounds
        What clipping enforced on every record.
    mu : float
        The GDP parameter to spend on the release.
    failure : float
        The probability with which rho may be wrong, a small part of delta.
    floor : float
        The least eigenvalue of a public regulariser that is added to A, in the same coordinates.
    rng : numpy.random.Generator or None
        Asks for simulated noise; None, for secure noise.

    Returns
    -------
    Certified or Refused
        Certified with rho, or Refused if noise hides the eigenvalue; either way with what it cost.
    """
    failure = _checked_failure(failure)
    mu = validate.positive("mu", mu, "Pass the GDP parameter to spend on the certificate.")
    floor = validate.nonnegative("floor", floor, "Pass the regulariser's least eigenvalue, or 0.")
    released, guarantee = draw(_eigenvalue_answer(least_eigenvalue, rows), mu, rng)
    charges = (
        Charge(STAGE, guarantee, THEOREM, (rows.condition,)),
        Charge(STAGE, Failure(failure), THEOREM, (rows.condition,)),
    )
    return _read(released, rows, failure, floor, charges, simulated=rng is not None)


def certify_within(
    spending: Spending, share: float, least_eigenvalue: float, rows: RowBounds, failure: float
) -> Certified | Refused:
    """As ``certify_by_release``, for a share of the mu² of ``spending``.

    The release is charged there, so the outcome carries no charges.

    Parameters
    ----------
    spending
        What is left of the budget, and where the noise comes from.
    share
        The part of the mu² of ``spending`` that the release costs.
    least_eigenvalue
        The exact least eigenvalue, which is private.
    rows
        What is enforced of every record.
    failure
        The probability with which the certificate may be wrong; the caller charges it.
    """
    failure = _checked_failure(failure)
    basis = Basis(THEOREM, (rows.condition,))
    released = spending.release(STAGE, _eigenvalue_answer(least_eigenvalue, rows), share, basis)
    return _read(released, rows, failure, 0.0, (), simulated=spending.rng is not None)


def _checked_failure(failure: float) -> float:
    failure = validate.probability("failure", failure)
    if failure >= 0.5:
        raise InvalidParameterError("failure", failure, "below 1/2", "Pass a small part of delta.")
    return failure


def _eigenvalue_answer(least_eigenvalue: float, rows: RowBounds) -> BoundedAnswer:
    value = np.array([rows.checked_eigenvalue(least_eigenvalue)])
    return BoundedAnswer.enforced(value, rows.eigenvalue_sensitivity)


def _read(
    released: Noisy,
    rows: RowBounds,
    failure: float,
    floor: float,
    charges: tuple[Charge, ...],
    *,
    simulated: bool,
) -> Certified | Refused:
    """The certificate that a released eigenvalue gives; post-processing."""
    margin = released.noise_std * (-float(ndtri(failure)) * (1 + _SLACK) + _SLACK)
    rho = _sum_down(float(released.value[0]), -margin, -rows.eigenvalue_sensitivity, floor)
    if rho > 0:
        return Certified(rho, charges, simulated)
    return Refused(
        f"The least eigenvalue could not be told from zero: noise of {released.noise_std:.3g} hides it.",
        "Use more records, a smaller clip radius, a larger budget or a mechanism without certificate.",
        charges,
        simulated,
    )


def _sum_down(*terms: float) -> float:
    """Round towards privacy: at most the exact sum of these terms."""
    return math.fsum(terms) - 2.0**-50 * math.fsum(map(abs, terms))
