"""How much Gaussian noise fits into a budget beside something that is not Gaussian."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from scipy.optimize import brentq

from relgauss.accounting import GaussianDP, Guarantee, compose
from relgauss.budget import Budget
from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms import RelativeGaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity

_AIM = 1 - 2e-4  # solved for a little less than the target, to end below it


@lru_cache(maxsize=64)
def mu_beside(budget: Budget, *others: Guarantee) -> float:
    """The largest mu such that mu-GDP and the others together keep the budget."""

    def epsilon(mu: float) -> float:
        return compose(GaussianDP(mu), *others).epsilon(budget.delta)

    return _largest(epsilon, budget.mu, budget.epsilon)


@lru_cache(maxsize=64)
def relative_beside(budget: Budget, steps: int, eta: float, dim: int, *others: Guarantee) -> float:
    """The gamma of least noise such that these RGM releases and the others together keep the budget.

    It does not depend on the sensitivity's floor r, so neither does the guarantee.
    """

    def epsilon(c: float) -> float:
        guarantee = RelativeGaussian(RelativeSensitivity(eta, 1.0, "linear"), dim, (eta / c) ** 2).guarantee
        return compose((guarantee, steps), *others).epsilon(budget.delta)

    return (eta / _largest(epsilon, budget.mu, budget.epsilon)) ** 2


def _largest(epsilon: Callable[[float], float], most: float, target: float) -> float:
    """The largest argument, at most about ``most``, at which epsilon keeps the target."""
    least = most * 1e-3
    if epsilon(least) > _AIM * target:
        raise UnreachableTargetError(
            f"The other parts of the fit leave no budget at epsilon={target:g}.",
            "Spend more, or take the mechanism 'clipped'.",
            epsilon(least),
        )
    root = float(
        brentq(
            lambda log_mu: epsilon(math.exp(log_mu)) - _AIM * target,
            math.log(least),
            math.log(most * 1.01),
            xtol=1e-5,
        )
    )
    while epsilon(math.exp(root)) > target:
        root -= 1e-5
    return math.exp(root)
