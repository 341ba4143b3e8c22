"""A privacy budget, split where it is additive: in mu²."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from relgauss import validate
from relgauss.accounting import gdp
from relgauss.accounting.filter import PrivacyFilter
from relgauss.errors import InvalidParameterError

_LARGE_EPSILON = 10.0


@dataclass(frozen=True)
class Budget:
    """(epsilon, delta) for everything together; Gaussian stages share mu² = mu_1² + mu_2² + ...

    ``mu`` is the largest GDP parameter whose profile passes (epsilon, delta): there is no slack to gain.

    Parameters
    ----------
    epsilon, delta
        What everything together may cost.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        fix = "Pass a positive epsilon such as 1.0."
        object.__setattr__(self, "epsilon", validate.positive("epsilon", self.epsilon, fix))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))

    @cached_property
    def mu(self) -> float:
        """The GDP parameter that the whole budget buys, rounded down."""
        return gdp.mu(self.epsilon, self.delta) * (1 - 1e-12)  # past the last step of any search

    def split(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Give each stage its mu: mu·sqrt(share). ``shares`` are of mu² and sum to at most one.

        >>> Budget(1.0, 1e-6).split({"covariance": 0.2, "descent": 0.8})
        """
        if not isinstance(shares, Mapping):
            raise InvalidParameterError(
                "shares", shares, "a mapping of stages to shares", "Pass {'stage': share}."
            )
        for stage, share in shares.items():
            validate.positive(f"share of {stage!r}", share, "Leave out a stage that spends nothing.")
        total = math.fsum(shares.values())
        if not 0 < total <= 1 + 1e-12:
            raise InvalidParameterError(
                "sum of shares", total, "above 0 and at most 1", "Scale the shares down."
            )
        # The factor absorbs the roundings of the shares, of the roots and of their later recombination.
        mu = self.mu * (1 - 1e-14) / math.sqrt(max(total, 1.0))
        return {stage: mu * math.sqrt(share) for stage, share in shares.items()}

    def filter(
        self, *, for_failures: float = 0.0, for_pure: float = 0.0, orders: tuple[float, ...] = ()
    ) -> PrivacyFilter:
        """This budget for spends that are chosen as one goes: proofs/adaptive-budgets.md.

        Parameters
        ----------
        for_failures
            The part of delta that is kept for leaks and failures.
        for_pure
            The part of epsilon that is set aside for pure and (epsilon, delta)-DP.
        orders
            Rényi orders to count at; none counts in mu².

        Examples
        --------
        >>> Budget(1.0, 1e-6).filter().after(GaussianDP(0.1))
        """
        return PrivacyFilter(self.epsilon, self.delta, for_failures, for_pure, orders)

    def after_failure(self, probability: float) -> Budget:
        """What is left for the other stages once a certificate may be wrong with this probability."""
        probability = validate.probability("probability", probability)
        if probability >= self.delta:
            raise InvalidParameterError(
                "probability",
                probability,
                f"below the budget's delta {self.delta}",
                "Use a part of delta, say a tenth.",
            )
        return Budget(self.epsilon, (self.delta - probability) * (1 - 1e-15))


def cautions_of_budget(epsilon: float, delta: float, persons: int, what: str = "result") -> list[str]:
    """What an epsilon and a delta do not protect from, as far as public numbers show, in sentences.

    On an epsilon that protects hardly anybody, and on a delta above one in so many persons; ``what`` is
    published.
    """
    found = []
    if epsilon > _LARGE_EPSILON:
        found.append(
            f"Epsilon {epsilon:.4g} protects hardly anybody: who has the {what} may be next to certain of a "
            "record. Epsilons of 10 and less are in use."
        )
    if delta * persons > 1:
        found.append(
            f"Delta {delta:g} is above one in {persons:,}, the number of persons here: it allows to publish "
            "somebody's record as it is."
        )
    return found
