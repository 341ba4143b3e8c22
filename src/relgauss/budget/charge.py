"""One stage's spend: what it promises, how often, by which theorem and on which conditions."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss import validate
from relgauss.accounting.guarantees import Guarantee
from relgauss.errors import InvalidParameterError
from relgauss.sensitivity import PROVENANCES, Provenance


@dataclass(frozen=True)
class Condition:
    """Something that the guarantee rests on: assumed by the user, enforced or certified by the code."""

    text: str
    provenance: Provenance

    def __post_init__(self) -> None:
        validate.choice("provenance", self.provenance, PROVENANCES)


@dataclass(frozen=True)
class Charge:
    """``guarantee`` spent ``times`` times in ``stage``; ``theorem`` names the page in proofs/."""

    stage: str
    guarantee: Guarantee
    theorem: str
    conditions: tuple[Condition, ...] = ()
    times: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.guarantee, Guarantee):
            raise InvalidParameterError(
                "guarantee",
                self.guarantee,
                "a guarantee",
                "Pass for example GaussianDP(0.5), or mechanism.guarantee.",
            )
        object.__setattr__(self, "times", validate.count("times", self.times))

    @property
    def uses(self) -> tuple[tuple[Guarantee, int], ...]:
        """What composition needs to know."""
        return ((self.guarantee, self.times),)
