"""The one way by which a fit releases anything: each release is charged as it is drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from relgauss.accounting import GaussianDP
from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.budget import Charge, Condition
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Gaussian, IsometricGaussian
from relgauss.mechanisms.base import Mechanism
from relgauss.sensitivity import RelativeSensitivity

THEOREM = "proofs/regression.md"
_CLIPPED = Condition(
    "each record's contribution is clipped to the bound that its noise is made for", "enforced"
)
_CERTIFIED = Condition("gradients move by no more than the certificate allows", "certified")


class Noisy(NamedTuple):
    """A released answer and the standard deviation of its noise, which is public."""

    value: FloatArray
    noise_std: float


class Spending:
    """Gaussian releases out of one mu, in shares of mu²:

        mu_1² + mu_2² + ... <= mu²,   mu_k² = share_k mu²

    Shares may depend on earlier releases, never on the records: whatever they are, all releases together are
    mu-GDP (proofs/regression.md). For that the whole mu counts as spent; ``close`` charges what is left.
    ``planned`` are charges beside this mu, which count whether they are used or
    not; then only the share ``left`` of mu² may be for Gaussian releases.
    """

    def __init__(
        self,
        mu: float,
        rng: np.random.Generator | None,
        planned: tuple[Charge, ...] = (),
        left: float = 1.0,
    ) -> None:
        self.mu = mu
        self.rng = rng
        self.planned = planned
        self._charges: dict[Charge, Charge] = {}
        self.left = left  # the share of mu² not yet spent

    def mu_of(self, share: float) -> float:
        """What a share buys."""
        return self.mu * math.sqrt(share)

    def release(self, stage: str, answer: BoundedAnswer, share: float) -> Noisy:
        """Release an answer with noise for the sensitivity it carries, and charge the stage."""
        mechanism = Gaussian(answer.sensitivity, answer.value.size, 1 / self.mu_of(self._take(share)))
        return Noisy(self._draw(stage, mechanism, answer.value), mechanism.noise_std)

    def release_relative(
        self, stage: str, value: FloatArray, sensitivity: RelativeSensitivity, share: float
    ) -> FloatArray:
        """Release an answer whose bound is relative, by the isometric mechanism."""
        multiplier = 1 / self.mu_of(self._take(share))
        return self._draw(stage, IsometricGaussian(sensitivity, value.size, multiplier), value)

    def release_planned(self, value: FloatArray, mechanism: Mechanism) -> FloatArray:
        """Release by a mechanism whose charge was planned."""
        return np.asarray(mechanism.release(value, rng=self.rng), dtype=np.float64)

    def take(self, share: float) -> float:
        """The mu of a share that a release elsewhere spends; its charge is to be added."""
        return self.mu_of(self._take(share))

    def add(self, charge: Charge) -> None:
        """Charge a release; repetitions of a stage at one price are one charge."""
        key = replace(charge, times=1)
        before = self._charges.get(key)
        times = charge.times if before is None else before.times + charge.times
        self._charges[key] = replace(charge, times=times)

    def close(self) -> tuple[Charge, ...]:
        """All charges; what was not spent is charged too, since how much is left may depend on releases."""
        if self.left > 1e-9:
            self.add(Charge("left over", GaussianDP(self.take(self.left)), THEOREM))
        return (*self._charges.values(), *self.planned)

    def _draw(self, stage: str, mechanism: Mechanism, value: FloatArray) -> FloatArray:
        drawn = mechanism.release(value, rng=self.rng)
        condition = _CERTIFIED if mechanism.sensitivity.provenance == "certified" else _CLIPPED
        self.add(Charge(stage, mechanism.guarantee, THEOREM, (condition,)))
        return np.asarray(drawn, dtype=np.float64)

    def _take(self, share: float) -> float:
        if not 0 < share <= self.left + 1e-9:
            raise InvalidParameterError("share", share, "above 0 and at most what is left", "Plan anew.")
        share = min(share, self.left)
        self.left -= share
        return share * (1 - 1e-12)  # the roundings of roots and of their recombination
