"""What a node promises its records before it takes part: a setup, and so many releases at one price."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss import validate
from relgauss.accounting.guarantees import Guarantee
from relgauss.budget.budget import Budget
from relgauss.budget.charge import Charge, Condition
from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import NoGuaranteeError
from relgauss.nodes.agreement_text import agreement_text, first_agreement_text


@dataclass(frozen=True)
class Agreement:
    """``setup`` once and ``per_round`` for each of ``rounds``: together one statement, fixed in advance.

    It holds whether the rounds are used or not, and whatever crashes: proofs/durable-record.md.
    """

    per_round: Guarantee
    rounds: int
    delta: float
    setup: tuple[Charge, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rounds", validate.count("rounds", self.rounds))
        object.__setattr__(self, "delta", validate.probability("delta", self.delta))

    @property
    def terms(self) -> str:
        """Everything that decides what is spent, to the last digit: two agreements are one if this is."""
        return agreement_text(self.per_round, self.rounds, self.setup)

    @property
    def first_terms(self) -> str:
        """The terms as the first records wrote them."""
        return first_agreement_text(self.per_round, self.rounds, self.setup)

    def statement(self, *, is_simulated: bool) -> PrivacyStatement:
        """The whole run's, whether or not all of it happens."""
        rounds = Charge("rounds", self.per_round, "proofs/nodes.md", self.conditions, self.rounds)
        return PrivacyStatement((*self.setup, rounds), self.delta, simulated=is_simulated)

    def check(self, budget: Budget) -> None:
        """Refuse an agreement that costs more than a budget."""
        epsilon = self.statement(is_simulated=False).epsilon(budget.delta)
        if not epsilon <= budget.epsilon:
            raise NoGuaranteeError(
                f"The agreement costs epsilon={epsilon:.6g}, the budget has {budget.epsilon:.6g}.",
                "Agree on fewer rounds, or on a cheaper one.",
            )
