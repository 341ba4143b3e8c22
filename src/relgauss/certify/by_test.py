"""Propose-Test-Release: a proposed rho, tested by its noisy distance to the data that it is wrong for."""

from __future__ import annotations

import math

import numpy as np

from relgauss import validate
from relgauss.accounting import ApproximateDP
from relgauss.budget import Charge
from relgauss.certify.outcome import STAGE, THEOREM, Certified, Refused
from relgauss.certify.row_bounds import RowBounds
from relgauss.errors import InvalidParameterError
from relgauss.spending import Spending, draw_distance

_EPSILONS = (1e-9, 500.0)  # whose noise neither overflows nor vanishes
_SLACK = 1e-12  # covers the rounding of the threshold and of the noise's scale


def propose_test_release(
    rho: float,
    least_eigenvalue: float,
    rows: RowBounds,
    *,
    epsilon: float,
    delta: float,
    floor: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Certified | Refused:
    """Test whether lambda_min(A) + floor >= rho, for the data and for every neighbour:

        Delta = max(0, n (lambda_min(A) + floor - rho)/radius²)     moves by at most 1 with one record
        pass  if  ⌊Delta⌋ + X >= ⌈log(1/(delta (1 + e^-epsilon)))/epsilon⌉

    with X discrete Laplace, P[X = k] ∝ e^{-epsilon |k|}. Costs (epsilon, delta), passed or not.
    Proof: proofs/certificates.md.

    Parameters
    ----------
    rho : float
        The bound on the least eigenvalue that is proposed; public.
    least_eigenvalue : float
        lambda_min(A) of the clipped records' second moments A: private, and never shown.
    rows : RowBounds
        What clipping enforced on every record.
    epsilon, delta : float
        What the test may spend.
    floor : float
        The least eigenvalue of a public regulariser that is added to A, in the same coordinates.
    rng : numpy.random.Generator or None
        Asks for simulated noise; None, for secure noise.

    Returns
    -------
    Certified or Refused
        Certified with the proposed rho, or Refused; either way with what it cost.
    """
    rho = validate.positive("rho", rho, "Propose a positive bound on the least eigenvalue.")
    floor = validate.nonnegative("floor", floor, "Pass the regulariser's least eigenvalue, or 0.")
    needed = threshold(epsilon, delta)
    value = rows.checked_eigenvalue(least_eigenvalue)
    charges = (Charge(STAGE, ApproximateDP(epsilon, delta), THEOREM, (rows.condition,)),)
    seen = draw_distance(distance_to_failure(rho - floor, value, rows), epsilon, rng)
    return _judge(rho, seen, needed, charges, simulated=rng is not None)


def propose_within(
    spending: Spending, rho: float, least_eigenvalue: float, rows: RowBounds, cost: ApproximateDP
) -> Certified | Refused:
    """As ``propose_test_release``, for a cost that is among the planned charges of ``spending``.

    Parameters
    ----------
    spending
        What is left of the budget, and where the noise comes from.
    rho
        The proposed lower bound, which must not come from the records.
    least_eigenvalue
        The exact least eigenvalue, which is private.
    rows
        What is enforced of every record.
    cost
        What the test spends; the caller has charged it.
    """
    needed = threshold(cost.epsilon, cost.delta)
    distance = distance_to_failure(rho, rows.checked_eigenvalue(least_eigenvalue), rows)
    seen = spending.release_distance(distance, cost.epsilon)
    return _judge(rho, seen, needed, (), simulated=spending.rng is not None)


def _judge(
    rho: float, seen: int, needed: int, charges: tuple[Charge, ...], *, simulated: bool
) -> Certified | Refused:
    """Whether a noisy distance is enough; post-processing."""
    if seen >= needed:
        return Certified(rho, charges, simulated)
    return Refused(
        f"The proposed rho={rho:.6g} did not pass its test, which needs about {needed} records to spare.",
        "Propose a smaller rho, use more records or spend more on the test.",
        charges,
        simulated,
    )


def distance_to_failure(rho: float, least_eigenvalue: float, rows: RowBounds) -> int:
    """⌊Delta⌋, at most n: so many records can be replaced, and still lambda_min >= rho."""
    distance = (least_eigenvalue - rho) / rows.eigenvalue_sensitivity
    return math.floor(min(max(distance, 0.0), rows.count))


def threshold(epsilon: float, delta: float) -> int:
    """The least T with P[X >= T] = e^{-epsilon T}/(1 + e^-epsilon) <= delta, rounded up."""
    epsilon = validate.positive("epsilon", epsilon, "Pass the epsilon to spend on the test.")
    if not _EPSILONS[0] <= epsilon <= _EPSILONS[1]:
        raise InvalidParameterError(
            "epsilon",
            epsilon,
            f"between {_EPSILONS[0]:g} and {_EPSILONS[1]:g}",
            "Spend a usual part of the budget.",
        )
    delta = validate.probability("delta", delta)
    if delta >= 0.5:
        raise InvalidParameterError("delta", delta, "below 1/2", "Pass a small probability such as 1e-7.")
    log_odds = -math.log(delta) - math.log1p(math.exp(-epsilon)) + _SLACK
    return max(1, math.ceil(log_odds / epsilon * (1 + _SLACK)))
