"""A node's plan: set-ups and rounds together never cost more than the budget."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.errors import NoGuaranteeError, SpentError
from relgauss.nodes.plan import NodePlan


class LostSetups:
    """A record in which this many set-ups were given up."""

    def __init__(self, lost: int) -> None:
        self.left = lost

    def is_abandoned(self, account: str, request: str) -> bool:
        self.left -= 1
        return self.left >= 0


@given(
    st.floats(1e-3, 1e2),
    st.floats(1e-12, 1e-2),
    st.integers(1, 500),
    st.integers(0, 3),
    st.booleans(),
)
def test_whatever_was_lost_the_statement_stays_within_the_budget(epsilon, delta, rounds, lost, certified):
    budget = rg.Budget(epsilon, delta)
    try:
        plan = NodePlan.of(budget, rounds, certified=certified).after_lost_setups("a", LostSetups(lost))
    except SpentError:  # a refusal spends nothing
        return
    plan.check_cost(budget)
    agreement = plan.agreement(plan.per_round)
    assert agreement.statement(is_simulated=False).epsilon(delta) <= epsilon


@pytest.mark.parametrize("certified", [True, False])
@pytest.mark.parametrize("change", [{"rounds": 6}, {"lost_setups": 1}, {"mu_round": 1.0}, {"mu_setup": 1.0}])
def test_a_plan_that_costs_more_is_refused(certified, change):
    budget = rg.Budget(1.0, 1e-6)
    plan = NodePlan.of(budget, 5, certified=certified)
    plan.check_cost(budget)
    with pytest.raises(NoGuaranteeError, match="the budget pays for"):
        replace(plan, **change).check_cost(budget)


def test_what_a_certificate_takes_of_delta_is_not_spent_twice():
    budget = rg.Budget(1.0, 1e-6)
    plan = NodePlan.of(budget, 5, certified=False)
    with pytest.raises(NoGuaranteeError, match="the budget pays for"):
        replace(plan, failure=1e-7).check_cost(budget)
