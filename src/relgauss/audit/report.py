"""What an audit found, beside what was claimed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from relgauss.accounting.compose import Composition
from relgauss.arrays import FloatArray
from relgauss.audit.lower_bound import LowerBound
from relgauss.rounding import round_down, round_up

Verdict = Literal["consistent", "convicted"]

SIMULATED = "SIMULATED: the noise came from a seeded generator; this audits the mathematics, not the sampler"

_POINTS = 81
_LARGEST_EPSILON = 50.0


@dataclass(frozen=True, eq=False)
class Curve:
    """delta against epsilon, claimed and audited: the bounds hold together, with the audit's confidence."""

    epsilon: FloatArray
    delta_lower: FloatArray
    delta_claimed: FloatArray

    @property
    def convicts(self) -> bool:
        """Whether more delta was found somewhere than claimed."""
        return bool((self.delta_lower > self.delta_claimed).any())

    def worst(self) -> str:
        """Where the bound passes the claim by most, in words."""
        at = int(np.argmax(self.delta_lower - self.delta_claimed))
        epsilon, found, claimed = (float(each[at]) for each in vars(self).values())
        return f"delta at least {round_down(found)} at epsilon {epsilon:.4g}, claimed {round_up(claimed)}"


@dataclass(frozen=True, eq=False)
class AuditReport:
    """With probability ``confidence``, the mechanism's epsilon at ``delta`` is at least ``epsilon_lower``.

    The confidence covers this number and the whole curve together.

    Parameters
    ----------
    epsilon_lower
        The lower bound that the outputs show.
    epsilon_claimed
        The epsilon that was promised at this delta.
    delta
        Where both are read.
    confidence
        The probability with which the lower bound holds.
    samples
        The number of outputs that were drawn, in all.
    simulated
        Whether their noise came from a seeded generator.
    curve
        Delta against epsilon, claimed and bounded from below.
    """

    epsilon_lower: float
    epsilon_claimed: float
    delta: float
    confidence: float
    samples: int
    simulated: bool
    curve: Curve

    @property
    def verdict(self) -> Verdict:
        """ "convicted" if the lower bound passes the claim, at this delta or anywhere on the curve."""
        convicted = self.epsilon_lower > self.epsilon_claimed or self.curve.convicts
        return "convicted" if convicted else "consistent"

    @property
    def share(self) -> float:
        """How much of the claimed epsilon was found."""
        return self.epsilon_lower / self.epsilon_claimed if self.epsilon_claimed > 0 else math.inf

    def text(self) -> str:
        """The report as a person reads it."""
        lines = [SIMULATED] if self.simulated else []
        lines += [
            f"Audit: {self.verdict}",
            f"  found       epsilon at least {round_down(self.epsilon_lower)} at delta {self.delta:.3g}",
            f"  claimed     epsilon {round_up(self.epsilon_claimed)} at that delta",
            f"  confidence  {100 * self.confidence:.10g} %",
            f"  samples     {self.samples:,} outputs on neighbouring answers",
        ]
        if self.curve.convicts:
            lines.insert(-2, f"  worst       {self.curve.worst()}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return {
            "verdict": self.verdict,
            "epsilon_lower": self.epsilon_lower,
            "epsilon_claimed": self.epsilon_claimed if math.isfinite(self.epsilon_claimed) else None,
            "delta": self.delta,
            "confidence": self.confidence,
            "samples": self.samples,
            "simulated": self.simulated,
            "curve": {name: values.tolist() for name, values in vars(self.curve).items()},
        }

    def __str__(self) -> str:
        return self.text()


def curve(bound: LowerBound, claim: Composition, rarest: float) -> Curve:
    """Both curves, from epsilon 0 to where the claimed delta is ``rarest``, or as far as any is found."""
    top = max(min(claim.epsilon(rarest), _LARGEST_EPSILON), 1.1 * bound.epsilon(0.0))
    epsilon = np.linspace(0.0, top or 1.0, _POINTS)
    return Curve(
        epsilon,
        np.array([bound.delta(each) for each in epsilon]),
        np.array([claim.delta(each) for each in epsilon]),
    )
