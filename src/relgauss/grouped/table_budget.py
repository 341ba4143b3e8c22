"""How a table's budget is divided: public shares of mu², decided before anything is read.

    bounds on contributions   0.05   if they have to be found
    persons by group          0.10   unless sizes are public
    rows by group             0.10   with persons of several rows, or if groups have to be found
    persons kept and cut      0.01   unless sizes are public
    totals row                0.05   if there is one
    columns of values         the rest, by weights

Groups that are found privately take a quarter of delta besides.
"""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.accounting.approximate import ApproximateDP
from relgauss.accounting.gdp import GaussianDP
from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.budget.grouping_words import within_groups
from relgauss.budget.statement import ONE_PERSON, REPLACE_ONE
from relgauss.grouped.table_question import TableQuestion

BOUNDS, PERSONS, ROWS, FATES, TOTALS, VALUES = (
    "bounds on what a person contributes",
    "persons by group",
    "rows by group",
    "persons kept and cut",
    "the totals row",
    "values by group",
)
FOUND = "groups found by a noisy threshold"
_SHARES = {BOUNDS: 0.05, PERSONS: 0.10, ROWS: 0.10, FATES: 0.01, TOTALS: 0.05}
LEAK = 0.25
"""The part of delta that finding groups privately takes."""
_THEOREM = {
    BOUNDS: "proofs/person-contributions.md",
    PERSONS: "proofs/person-contributions.md",
    ROWS: "proofs/person-contributions.md",
    FATES: "proofs/person-contributions.md",
    TOTALS: "proofs/grouped-means.md",
    VALUES: "proofs/grouped-means.md",
}

WHOLE_PERSON = "one person with all their rows replaced by another; the number of persons is public"


@dataclass(frozen=True)
class TableBudget:
    """The mu of each stage, and the leak of finding groups."""

    budget: Budget
    mu: dict[str, float]
    leak: float

    def statement(
        self, question: TableQuestion, conditions: tuple[Condition, ...], *, simulated: bool
    ) -> PrivacyStatement:
        """What is spent, all of it known before anything is read."""
        charges = [
            Charge(stage, GaussianDP(mu), _THEOREM[stage], conditions) for stage, mu in self.mu.items()
        ]
        if self.leak:
            charges.append(
                Charge(FOUND, ApproximateDP(0.0, self.leak), "proofs/private-groups.md", conditions)
            )
        if question.sizes_public:
            same = within_groups(question.by)
            return PrivacyStatement(tuple(charges), self.budget.delta, simulated, neighbours=same)
        if question.person is None:
            return PrivacyStatement(tuple(charges), self.budget.delta, simulated, neighbours=REPLACE_ONE)
        return PrivacyStatement(tuple(charges), self.budget.delta, simulated, ONE_PERSON, WHOLE_PERSON)


def divide_table_budget(question: TableQuestion, epsilon: float, delta: float) -> TableBudget:
    """The shares that this question needs; what is left goes to the values."""
    budget = Budget(epsilon, delta)
    leak = LEAK * budget.delta if question.groups == "private" else 0.0
    stages = {
        BOUNDS: question.chooses_bounds,
        PERSONS: not question.sizes_public,
        # counts of persons that passed a threshold are too high: rows, which all else rests on, are not
        ROWS: question.person is not None or question.groups == "private",
        FATES: not question.sizes_public,
        TOTALS: question.totals,
    }
    shares = {stage: _SHARES[stage] for stage, needed in stages.items() if needed}
    shares[VALUES] = 1 - sum(shares.values())
    spent = budget.after_failure(leak) if leak else budget
    return TableBudget(budget, spent.split(shares), leak)
