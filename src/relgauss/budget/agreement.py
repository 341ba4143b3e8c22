"""What a node promises its records before it takes part: a setup, and so many releases at one price.

Records hold an agreement as a text in a stated format, which outlives the classes that wrote it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from relgauss import validate
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.charge import Charge, Condition
from relgauss.budget.guarantee_text import FIRST_NAMES, guarantee_to_dict
from relgauss.budget.statement import PrivacyStatement

FORMAT = 1


@dataclass(frozen=True)
class Agreement:
    """``setup`` once and ``per_round`` for each of ``rounds``: together one statement, fixed in advance.

    It holds whether the rounds are used or not, and whatever crashes: proofs/durable-record.md.

    Attributes
    ----------
    per_round
        What one release promises. Only a guarantee that a record can hold is taken.
    rounds
        How many releases are agreed on.
    delta
        At which the whole is read as an epsilon.
    setup
        What the node spends before its first release.
    conditions
        What the promise of the rounds rests on.
    terms
        Everything that decides what is spent, to the last digit, as the record holds it: agreements with the
        same terms are the same.
    """

    per_round: Guarantee
    rounds: int
    delta: float
    setup: tuple[Charge, ...] = ()
    conditions: tuple[Condition, ...] = ()
    terms: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", validate.count("rounds", self.rounds))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))
        object.__setattr__(self, "terms", self._text())

    @property
    def first_terms(self) -> str:
        """The terms in the format of the first records, so that these can be told to hold them."""
        stages = ", ".join(
            f"({charge.stage!r}, {_first_text(charge.guarantee)}, {charge.times!r})" for charge in self.setup
        )
        return f"{_first_text(self.per_round)} × {self.rounds} after [{stages}]"

    def statement(self, *, is_simulated: bool) -> PrivacyStatement:
        """The promise of the whole run, even if not all of it happens; ``is_simulated`` if its noise is."""
        rounds = Charge("rounds", self.per_round, "proofs/nodes.md", self.conditions, self.rounds)
        return PrivacyStatement((*self.setup, rounds), self.delta, simulated=is_simulated)

    def _text(self) -> str:
        stages = [
            {"stage": charge.stage, "guarantee": guarantee_to_dict(charge.guarantee), "times": charge.times}
            for charge in self.setup
        ]
        per_round = guarantee_to_dict(self.per_round)
        said = {"format": FORMAT, "rounds": self.rounds, "per round": per_round, "setup": stages}
        return json.dumps(said, sort_keys=True, allow_nan=False)


def _first_text(guarantee: Guarantee) -> str:
    numbers = guarantee_to_dict(guarantee)
    kind = numbers.pop("kind")
    name = FIRST_NAMES.get(kind, kind)
    return f"{name}({', '.join(f'{name}={value!r}' for name, value in numbers.items())})"
