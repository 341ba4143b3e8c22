"""What a node promises its records before it takes part: a setup, and so many releases at one price."""

from __future__ import annotations

from dataclasses import dataclass, field

from relgauss import validate
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.agreement_text import agreement_text, first_agreement_text
from relgauss.budget.budget import Budget
from relgauss.budget.charge import Charge, Condition
from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import NoGuaranteeError


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
        object.__setattr__(self, "terms", agreement_text(self.per_round, self.rounds, self.setup))

    @property
    def first_terms(self) -> str:
        """The terms in the format of the first records, so that these can be told to hold them."""
        return first_agreement_text(self.per_round, self.rounds, self.setup)

    def statement(self, *, is_simulated: bool) -> PrivacyStatement:
        """The promise of the whole run, whether or not all of it happens."""
        rounds = Charge("rounds", self.per_round, "proofs/nodes.md", self.conditions, self.rounds)
        return PrivacyStatement((*self.setup, rounds), self.delta, simulated=is_simulated)

    def check(self, budget: Budget) -> None:
        """Raise ``NoGuaranteeError`` if the whole run costs more than this budget."""
        epsilon = self.statement(is_simulated=False).epsilon(budget.delta)
        if not epsilon <= budget.epsilon:
            raise NoGuaranteeError(
                f"The agreement costs epsilon={epsilon:.6g}, the budget has {budget.epsilon:.6g}.",
                "Agree on fewer rounds, or on a cheaper one.",
            )
