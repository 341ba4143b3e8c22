"""One stage's spend: what it promises, how often, by which theorem and on which conditions."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from relgauss import validate
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.guarantee_text import guarantee_from_dict, guarantee_to_dict, has_kind
from relgauss.budget.parts import part
from relgauss.errors import InvalidParameterError

Provenance = Literal["assumed", "enforced", "certified"]
PROVENANCES: tuple[Provenance, ...] = ("assumed", "enforced", "certified")


@dataclass(frozen=True)
class Condition:
    """Something that the guarantee rests on.

    Parameters
    ----------
    text
        What has to hold, in a sentence for a privacy statement.
    provenance
        "assumed" if the user says so, "enforced" or "certified" if the code sees to it.
    """

    text: str
    provenance: Provenance

    def __post_init__(self) -> None:
        validate.choice("provenance", self.provenance, PROVENANCES)


@dataclass(frozen=True)
class Charge:
    """What one stage of a computation spends.

    Parameters
    ----------
    stage
        What was released, in a few words.
    guarantee
        What one release promises.
    theorem
        The page in proofs/ that shows it.
    conditions
        What the guarantee rests on.
    times
        The number of releases.
    """

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
        validate.text("stage", self.stage)
        object.__setattr__(self, "times", validate.count("times", self.times))

    @property
    def uses(self) -> tuple[tuple[Guarantee, int], ...]:
        """The guarantee and how often it was used: what ``compose`` reads."""
        return ((self.guarantee, self.times),)

    def to_dict(self) -> dict[str, Any]:
        """The charge as plain values: the guarantee's numbers, and beside them its words.

        A guarantee of no known kind has words only: such a charge is written, but not read back.
        """
        numbers = guarantee_to_dict(self.guarantee) if has_kind(self.guarantee) else {"kind": "other"}
        return {
            "stage": self.stage,
            "guarantee": numbers,
            "words": self.guarantee.describe(),
            "times": self.times,
            "theorem": self.theorem,
            "conditions": [asdict(condition) for condition in self.conditions],
        }

    @classmethod
    def from_dict(cls, values: object) -> Charge:
        """The charge of ``values`` that ``to_dict`` wrote; the words are made anew from the numbers."""
        return cls(
            part(values, "stage", str),
            guarantee_from_dict(part(values, "guarantee", dict)),
            part(values, "theorem", str),
            conditions_of(values),
            part(values, "times", int),
        )


def conditions_of(values: object) -> tuple[Condition, ...]:
    """The conditions of a charge as ``to_dict`` wrote it."""
    return tuple(
        Condition(part(each, "text", str), part(each, "provenance", str))  # type: ignore[arg-type]
        for each in part(values, "conditions", list)
    )
