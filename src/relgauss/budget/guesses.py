"""What a guarantee means to somebody who guesses, in the few numbers that a statement shows.

Proof: proofs/conversions.md, 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from relgauss.accounting.compose import Part
from relgauss.accounting.meaning import bayes_advantage, true_positive_rate
from relgauss.rounding import round_up

FALSE_ALARMS = (0.01, 0.1)


@dataclass(frozen=True)
class Guesses:
    """How often the best guesses of somebody who knows all other records succeed, at most.

    Attributes
    ----------
    found
        By each of ``FALSE_ALARMS``, how often a test with that rate of false alarms finds a record.
    right
        How often a guess between two records, as likely as each other, is right; a coin is right in half.
    """

    found: tuple[float, float]
    right: float

    @classmethod
    def of(cls, part: Part) -> Guesses:
        """The guesses against a guarantee, a mechanism, a charge, a statement or a composition."""
        first, second = (true_positive_rate(part, rate) for rate in FALSE_ALARMS)
        return cls(
            (first, second),
            min(1.0, 0.5 + bayes_advantage(part)),
        )

    def text(self) -> str:
        """The numbers in a sentence, rounded up."""
        (rate, also), (found, more) = FALSE_ALARMS, self.found
        return (
            f"a test with {percent_at_most(rate)} ({percent_at_most(also)}) false alarms finds a record in "
            f"at most {percent_at_most(found)} ({percent_at_most(more)}); a guess between two is right in "
            f"at most {percent_at_most(self.right)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain values."""
        found = zip(FALSE_ALARMS, self.found, strict=True)
        return {
            "tests": [{"false_positive_rate": rate, "true_positive_rate": each} for rate, each in found],
            "right_between_two": self.right,
        }


def percent_at_most(share: float) -> str:
    """A share in per cent, three digits of it, rounded up."""
    return f"{round_up(100 * share, 3)} %"
