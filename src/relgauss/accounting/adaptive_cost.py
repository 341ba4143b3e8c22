"""What one use of a guarantee adds to a budget whose spends are chosen as one goes, exactly.

    mu-GDP                     mu²                      of a Gaussian budget
    epsilon-DP                 (2 Phi^{-1}(e^epsilon/(1 + e^epsilon)))²
    a Rényi curve              D(alpha)                 of a budget at one order

They are fractions, so that neither the order of spends nor their grouping changes a decision. Leaks and
failures are counted apart. Proof: proofs/adaptive-budgets.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from scipy.special import erfinv, ndtri_exp

from relgauss.accounting.approximate import ApproximateDP, Failure
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.guarded import Guarded
from relgauss.accounting.parallel import Parallel

Cost = Fraction | None
"""None is infinite: no budget holds it."""

CostOf = Callable[[Guarantee], Cost]


def gaussian_cost(guarantee: Guarantee) -> Cost:
    """mu² of the least Gaussian guarantee that is known to be as weak; None where none is known."""
    if type(guarantee) is GaussianDP:
        return Fraction(guarantee.mu) ** 2
    if type(guarantee) is ApproximateDP:
        mu = mu_of_pure(guarantee.epsilon)
        return Fraction(mu) ** 2 if math.isfinite(mu) else None
    if type(guarantee) is Parallel:  # the largest of its parts
        costs = [gaussian_cost(part) for part in guarantee.parts]
        return None if None in costs else max(filter(None, costs), default=Fraction(0))
    return Fraction(0) if type(guarantee) is Failure else None


def renyi_cost(guarantee: Guarantee, order: float) -> Cost:
    """The Rényi divergence at this order."""
    divergence = Guarded.of(guarantee).rdp(order)
    return Fraction(divergence) if math.isfinite(divergence) else None


def failure_cost(guarantee: Guarantee) -> Fraction:
    """The probability that the guarantee leaks or fails outright."""
    read = Guarded.of(guarantee)
    return Fraction(read.leak) + Fraction(read.failure)


def pure_cost(guarantee: Guarantee) -> Fraction:
    """The epsilon of pure or (epsilon, delta)-DP; nothing for any other."""
    return Fraction(guarantee.epsilon) if type(guarantee) is ApproximateDP else Fraction(0)


def mu_of_pure(epsilon: float) -> float:
    """The least mu such that every epsilon-DP mechanism is mu-GDP, rounded up."""
    if epsilon < 5:  # 2 Phi(mu/2) - 1 = tanh(epsilon/2), which has all its digits here
        mu = 2 * math.sqrt(2) * float(erfinv(math.tanh(epsilon / 2)))
    else:
        mu = -2 * float(ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
    return mu * (1 + 1e-12) if mu >= 0 else math.inf  # NaN and overflow are no privacy


def total(cost_of: CostOf, uses: tuple[tuple[Guarantee, int], ...]) -> Cost:
    """The cost of all uses together."""
    found = Fraction(0)
    for guarantee, times in uses:
        cost = cost_of(guarantee)
        if cost is None:
            return None
        found += times * cost
    return found


def added(first: Cost, second: Cost) -> Cost:
    """The sum of two costs."""
    return None if first is None or second is None else first + second
