"""A certificate by releasing the least eigenvalue."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from relgauss import validate
from relgauss.accounting import Failure, GaussianDP
from relgauss.budget import Charge
from relgauss.certify.outcome import Certified, Refused
from relgauss.certify.row_bounds import RowBounds
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Gaussian
from relgauss.sensitivity import AbsoluteSensitivity

THEOREM = "proofs/certificates.md"
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

    ``floor`` is the least eigenvalue of a public regulariser, in the same coordinates. Costs mu-GDP, and
    ``failure`` once for everything that relies on rho. Proof: proofs/certificates.md.
    """
    failure = validate.probability("failure", failure)
    if failure >= 0.5:
        raise InvalidParameterError("failure", failure, "below 1/2", "Pass a small part of delta.")
    mu = validate.positive("mu", mu, "Pass the GDP parameter to spend on the certificate.")
    floor = validate.nonnegative("floor", floor, "Pass the regulariser's least eigenvalue, or 0.")
    value = rows.checked_eigenvalue(least_eigenvalue)
    step = rows.eigenvalue_sensitivity
    mechanism = Gaussian(AbsoluteSensitivity(step, "enforced"), dim=1, noise_multiplier=1 / mu)
    released = float(np.asarray(mechanism.release(value, rng=rng)))
    margin = mechanism.noise_std * (-float(ndtri(failure)) * (1 + _SLACK) + _SLACK)
    rho = _sum_down(released, -margin, -step, floor)
    charges = (
        Charge("certificate", GaussianDP(mechanism.mu), THEOREM, (rows.condition,)),
        Charge("certificate", Failure(failure), THEOREM, (rows.condition,)),
    )
    simulated = rng is not None
    if not rho > 0:
        return Refused(
            f"The least eigenvalue could not be told from zero: noise of {mechanism.noise_std:.3g} hides it.",
            "Use more records, a smaller clip radius, a larger budget or a mechanism without certificate.",
            charges,
            simulated,
        )
    return Certified(rho, charges, simulated)


def _sum_down(*terms: float) -> float:
    """Round towards privacy: at most the exact sum of these terms."""
    return math.fsum(terms) - 2.0**-50 * math.fsum(map(abs, terms))
