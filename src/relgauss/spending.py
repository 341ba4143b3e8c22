"""The one way to draw and charge: whatever a fit releases is drawn here, and written down as it is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from relgauss.accounting import GaussianDP, Guarantee
from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.budget import Charge, Condition
from relgauss.errors import InvalidParameterError, NoGuaranteeError
from relgauss.mechanisms import Gaussian
from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.noise import discrete_laplace, simulated

THEOREM = "proofs/regression.md"
_CLIPPED = Condition(
    "each record's contribution is clipped to the bound that its noise is made for", "enforced"
)
_CERTIFIED = Condition("gradients move by no more than the certificate allows", "certified")


class Noisy(NamedTuple):
    """A released answer and the standard deviation of its noise, which is public."""

    value: FloatArray
    noise_std: float


class Basis(NamedTuple):
    """What the charge of a release rests on: a page of proofs/, and what was enforced or certified."""

    theorem: str
    conditions: tuple[Condition, ...] = ()


class Spending:
    """Gaussian releases out of one mu, in shares of mu²:

        mu_1² + mu_2² + ... <= mu²,   mu_k² = share_k mu²

    Shares may depend on earlier releases, never on the records: whatever they are, all releases together are
    mu-GDP (proofs/regression.md). For that the whole mu counts as spent; ``close`` charges what is left.

    Parameters
    ----------
    whole : GaussianDP
        What all Gaussian releases together may spend.
    rng : numpy.random.Generator or None
        Asks for simulated noise; None, for secure noise.
    planned : tuple of Charge
        Charges beside the whole, which count whether they are used or not.
    left : float
        The share of mu² that Gaussian releases may take, if planned charges have the rest.
    """

    def __init__(
        self,
        whole: GaussianDP,
        rng: np.random.Generator | None,
        planned: tuple[Charge, ...] = (),
        left: float = 1.0,
    ) -> None:
        self.mu = whole.mu
        self.rng = rng
        self.planned = planned
        self.left = left  # the share of mu² not yet spent, nor set aside
        self._aside = 0.0
        self.has_drawn = False  # whether anything was released
        self._tally: dict[tuple[str, Guarantee, Basis], int] = {}  # how often each was drawn

    def set_aside(self, share: float) -> None:
        """Keep a share for later: it is not left for what comes before ``take_back``."""
        if not 0 <= share <= self.left:
            raise InvalidParameterError("share", share, "at least 0 and at most what is left", "Plan anew.")
        self.left -= share
        self._aside += share

    def take_back(self) -> float:
        """What was set aside, which is left again."""
        share, self._aside = self._aside, 0.0
        self.left += share
        return share

    def mu_of(self, share: float) -> float:
        """The mu that a share of mu² buys."""
        return self.mu * math.sqrt(share)

    def release(self, stage: str, answer: BoundedAnswer, share: float, basis: Basis | None = None) -> Noisy:
        """Release an answer with noise for the sensitivity it carries, and count it under this stage."""
        released, guarantee = draw(answer, self.mu_of(self._take(share)), self.rng)
        self._count(stage, guarantee, basis or Basis(THEOREM, (_bound_of(answer.sensitivity),)))
        return released

    def release_by(
        self, stage: str, value: FloatArray, mechanism_of: Callable[[float], Mechanism], share: float
    ) -> FloatArray:
        """Release an answer by a mechanism that is GDP with the inverse of its noise multiplier."""
        mechanism = mechanism_of(1 / self.mu_of(self._take(share)))
        guarantee = mechanism.guarantee
        if not (isinstance(guarantee, GaussianDP) and guarantee.mu <= self.mu_of(share)):
            raise NoGuaranteeError(
                f"The release would cost {guarantee.describe()}, more than its share of the budget.",
                "Use a mechanism that is mu-GDP with mu = 1/noise_multiplier.",
            )
        drawn = np.asarray(mechanism.release(value, rng=self.rng), dtype=np.float64)
        self._count(stage, guarantee, Basis(THEOREM, (_bound_of(mechanism.sensitivity),)))
        return drawn

    def release_planned(self, value: FloatArray, mechanism: Mechanism) -> FloatArray:
        """Release by a mechanism whose charge was planned."""
        drawn = np.asarray(mechanism.release(value, rng=self.rng), dtype=np.float64)
        self.has_drawn = True
        return drawn

    def release_distance(self, distance: int, epsilon: float) -> int:
        """Release a whole number that one record moves by at most 1, for a test whose charge was planned."""
        drawn = draw_distance(distance, epsilon, self.rng)
        self.has_drawn = True
        return drawn

    def at_most(self, stage: str) -> tuple[Charge, ...]:
        """What everything that may still be drawn costs at most, for a ledger to reserve."""
        return Charge(stage, GaussianDP(self.mu_of(self.left)), THEOREM), *self.planned

    def close(self, conditions: tuple[Condition, ...] = ()) -> tuple[Charge, ...]:
        """All charges, of which the first names the ``conditions`` of the whole.

        What was not spent is charged too, since how much is left may depend on releases.
        """
        self.take_back()
        charges = [
            Charge(stage, guarantee, basis.theorem, basis.conditions, times)
            for (stage, guarantee, basis), times in self._tally.items()
        ]
        if self.left > 1e-9:
            charges.append(Charge("left over", GaussianDP(self.mu_of(self._take(self.left))), THEOREM))
        first, *others = (*charges, *self.planned)
        return replace(first, conditions=(*conditions, *first.conditions)), *others

    def _count(self, stage: str, guarantee: Guarantee, basis: Basis) -> None:
        """Count a release; repetitions of a stage at one price become one charge."""
        entry = stage, guarantee, basis
        self._tally[entry] = self._tally.get(entry, 0) + 1
        self.has_drawn = True

    def _take(self, share: float) -> float:
        if not 0 < share <= self.left + 1e-9:
            raise InvalidParameterError("share", share, "above 0 and at most what is left", "Plan anew.")
        share = min(share, self.left)
        self.left -= share
        return share * (1 - 1e-12)  # the roundings of roots and of their recombination


def _bound_of(sensitivity: AbsoluteSensitivity | RelativeSensitivity) -> Condition:
    return _CERTIFIED if sensitivity.provenance == "certified" else _CLIPPED


def draw(answer: BoundedAnswer, mu: float, rng: np.random.Generator | None) -> tuple[Noisy, GaussianDP]:
    """Release an answer at mu-GDP, with noise for the sensitivity it carries; and what that promises."""
    mechanism = Gaussian(answer.sensitivity, answer.value.size, 1 / mu)
    drawn = np.asarray(mechanism.release(answer.value, rng=rng), dtype=np.float64)
    return Noisy(drawn, mechanism.noise_std), mechanism.guarantee


def draw_distance(distance: int, epsilon: float, rng: np.random.Generator | None) -> int:
    """A whole number that one record moves by at most 1, plus discrete Laplace noise: epsilon-DP."""
    if rng is None:
        return distance + discrete_laplace.draw(epsilon)
    return distance + simulated.discrete_laplace(epsilon, rng)
