"""A budget splits in mu² and recombines to what it was, never to more."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.errors import InvalidParameterError


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(math.log(low), math.log(high)).map(math.exp)


budgets = st.builds(rg.Budget, log_uniform(0.01, 20), log_uniform(1e-12, 1e-2))


def check(budget: rg.Budget, *parts: object) -> None:
    """All parts together spend at least 0.999 of the budget and not a rounding more than it."""
    together = rg.compose(*parts)
    assert 0.999 * budget.epsilon <= together.epsilon(budget.delta) <= budget.epsilon
    assert together.delta(budget.epsilon) <= budget.delta


@given(budgets)
def test_mu_buys_the_whole_budget(budget):
    check(budget, rg.GaussianDP(budget.mu))


@given(budgets, st.lists(log_uniform(1e-4, 1.0), min_size=1, max_size=6))
def test_a_split_recombines_to_the_budget(budget, weights):
    shares = {f"stage {i}": weight / math.fsum(weights) for i, weight in enumerate(weights)}
    stages = budget.split(shares)
    assert list(stages) == list(shares)
    check(budget, *(rg.GaussianDP(mu) for mu in stages.values()))


@given(budgets, st.integers(2, 10_000))
def test_a_share_spent_in_many_steps_is_still_the_share(budget, steps):
    stages = budget.split({"once": 0.3, "often": 0.7})
    check(budget, rg.GaussianDP(stages["once"]), (rg.GaussianDP(stages["often"] / math.sqrt(steps)), steps))


def test_shares_are_of_mu_squared():
    budget = rg.Budget(1.0, 1e-6)
    stages = budget.split({"a": 0.2, "b": 0.8})
    assert stages["a"] == pytest.approx(budget.mu * math.sqrt(0.2), rel=1e-12)
    assert stages["b"] == pytest.approx(2 * stages["a"], rel=1e-12)


def test_what_is_not_shared_out_is_not_spent():
    budget = rg.Budget(1.0, 1e-6)
    half = budget.split({"a": 0.5})
    assert rg.compose((rg.GaussianDP(half["a"]), 2)).epsilon(1e-6) <= 1.0
    assert rg.compose(rg.GaussianDP(half["a"])).epsilon(1e-6) < 0.75


def test_tenths_that_sum_to_a_rounding_more_than_one_are_allowed():
    budget = rg.Budget(1.0, 1e-6)
    shares = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4000000000000003}
    assert math.fsum(shares.values()) > 1
    stages = budget.split(shares)
    assert math.fsum(mu**2 for mu in stages.values()) <= budget.mu**2


@pytest.mark.parametrize("shares", [{"a": 0.5, "b": 0.5001}, {"a": 1.1}, {}])
def test_shares_above_one_or_none_at_all_are_refused(shares):
    with pytest.raises(InvalidParameterError, match="sum of shares"):
        rg.Budget(1.0, 1e-6).split(shares)


@given(budgets, log_uniform(1e-6, 0.99))
def test_what_is_left_after_a_failure_stays_within_the_budget(budget, part):
    """The certificate's probability and the rest's delta add up to at most the budget's."""
    failure = part * budget.delta
    rest = budget.after_failure(failure)
    assert rest.epsilon == budget.epsilon
    assert rest.delta < budget.delta
    stages = rest.split({"a": 0.5, "b": 0.5})
    check(budget, *(rg.GaussianDP(mu) for mu in stages.values()), rg.Failure(failure))


@given(budgets)
def test_two_failures_one_after_the_other(budget):
    first, second = budget.delta / 10, budget.delta / 5
    rest = budget.after_failure(first).after_failure(second)
    check(budget, rg.GaussianDP(rest.mu), rg.Failure(first), rg.Failure(second))


def test_a_failure_forgotten_is_noticed():
    """The same check fails if the failure is charged but not taken off the budget."""
    budget = rg.Budget(1.0, 1e-6)
    with pytest.raises(AssertionError):
        check(budget, rg.GaussianDP(budget.mu), rg.Failure(1e-7))


def test_budgets_of_other_sizes_buy_more_and_less():
    assert rg.Budget(2.0, 1e-6).mu > rg.Budget(1.0, 1e-6).mu
    assert rg.Budget(1.0, 1e-5).mu > rg.Budget(1.0, 1e-6).mu
    assert rg.Budget(1e-9, 1e-12).mu > 0
    assert rg.Budget(1e4, 1e-6).mu > 130


def test_a_budget_and_a_calibration_agree():
    budget = rg.Budget(0.8, 1e-7)
    m = rg.calibrate(rg.AbsoluteSensitivity(1.0), dim=1, epsilon=0.8, delta=1e-7)
    assert m.mu == pytest.approx(budget.mu, rel=1e-9)
