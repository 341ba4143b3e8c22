"""How much noise fits into a budget beside what else a fit spends."""

from __future__ import annotations

from functools import lru_cache

from relgauss.accounting import Guarantee
from relgauss.budget import Budget
from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms import Gaussian, RelativeGaussian, calibrate
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

_LEAST = 1e-3  # of the budget's mu: with less nothing is learned


@lru_cache(maxsize=64)
def mu_beside(budget: Budget, *others: Guarantee) -> float:
    """The largest mu such that mu-GDP and the others together keep the budget."""
    found = calibrate(
        AbsoluteSensitivity(1.0), dim=1, epsilon=budget.epsilon, delta=budget.delta, beside=others
    )
    assert isinstance(found, Gaussian)
    return _enough(found.mu, budget)


@lru_cache(maxsize=64)
def relative_beside(budget: Budget, steps: int, eta: float, dim: int, *others: Guarantee) -> float:
    """The gamma of least noise such that these RGM releases and the others together keep the budget.

    It does not depend on the sensitivity's floor r, so neither does the guarantee.
    """
    found = calibrate(
        RelativeSensitivity(eta, 1.0, "linear"),
        dim=dim,
        epsilon=budget.epsilon,
        delta=budget.delta,
        steps=steps,
        mechanism="relative",
        beside=others,
    )
    assert isinstance(found, RelativeGaussian)
    _enough(eta / found.gamma**0.5, budget)
    return found.gamma


def _enough(signal: float, budget: Budget) -> float:
    """A signal that the others left over, if it is worth a release."""
    if not signal > _LEAST * budget.mu:
        raise UnreachableTargetError(
            f"The other parts of the fit leave no budget at epsilon={budget.epsilon:g}.",
            "Spend more, or take the mechanism 'clipped'.",
            budget.epsilon,
        )
    return signal
