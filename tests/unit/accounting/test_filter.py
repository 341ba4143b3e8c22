"""The filter: what it admits, how it refuses, and why the tight composition would not do."""

import math
import pickle
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import relgauss as rg
from relgauss.accounting import Exhausted, GaussianPairDP, Guarantee, PrivacyFilter, gdp
from relgauss.accounting.convert import tight_epsilon
from relgauss.errors import InvalidParameterError, RelgaussError

BUDGET = rg.Budget(1.0, 1e-6)


def test_a_whole_budget_is_admitted_once():
    whole = BUDGET.filter().after(rg.GaussianDP(BUDGET.mu))
    assert isinstance(whole, PrivacyFilter)
    refused = whole.after(rg.GaussianDP(1e-3))
    assert isinstance(refused, Exhausted)
    assert refused.left == whole.left
    assert "left of 1" in refused.reason


def test_every_share_of_a_split_is_admitted():
    state = BUDGET.filter()
    for mu in BUDGET.split({"a": 0.25, "b": 0.25, "c": 0.3, "d": 0.2}).values():
        state = state.after(rg.GaussianDP(mu))
        assert isinstance(state, PrivacyFilter)
    assert isinstance(state.after(rg.GaussianDP(1e-3)), Exhausted)


def test_what_is_refused_counts_nothing_and_less_may_fit():
    state = BUDGET.filter().after(rg.GaussianDP(0.2))
    assert isinstance(state.after(rg.GaussianDP(0.2)), Exhausted)
    assert isinstance(state.after(rg.GaussianDP(0.1)), PrivacyFilter)


@pytest.mark.parametrize("last", [0.0, 1e-9], ids=["nothing", "next to nothing"])
def test_a_budget_of_which_nothing_is_left_does_not_ask_to_spend_that(last: float):
    state = BUDGET.filter().after(rg.GaussianDP(math.sqrt(BUDGET.mu**2 - last**2)))
    refused = state.after(rg.GaussianDP(0.2))
    assert "nothing at delta=1e-06 is left of 1" in refused.reason
    assert refused.fix == "Nothing more can be released within this budget."


def test_the_refusal_says_what_is_left():
    state = BUDGET.filter().after(rg.GaussianDP(0.2))
    refused = state.after(rg.GaussianDP(0.2))
    assert refused.left.epsilon(1e-6) == pytest.approx(
        gdp.epsilon(math.sqrt(gdp.mu(1, 1e-6) ** 2 - 0.04), 1e-6)
    )
    assert f"{refused.left.epsilon(1e-6):.2f}" in refused.reason
    assert BUDGET.filter().left.text(1e-6) == "1"
    assert isinstance(state.after(rg.GaussianDP(refused.left.mu)), PrivacyFilter)


def test_leaks_and_failures_have_their_own_part():
    state = BUDGET.filter(for_failures=1e-7)
    assert state.left.mu < BUDGET.filter().left.mu
    once = state.after(rg.ApproximateDP(0.1, 6e-8), rg.Failure(3e-8))
    assert isinstance(once, PrivacyFilter)
    assert once.left.failures == pytest.approx(1e-8)
    refused = once.after(rg.Failure(2e-8))
    assert isinstance(refused, Exhausted)
    assert "for_failures=1.1e-07 or more" in refused.fix
    assert refused.fix.startswith("Release at a smaller delta (delta=), 0.5 of this one or less; or ask for")
    assert isinstance(BUDGET.filter().after(rg.Failure(1e-12)), Exhausted)


def test_epsilons_add_up_where_they_are_set_aside():
    state = rg.Budget(2.0, 1e-6).filter(for_pure=0.6, for_failures=1e-7)
    assert state.left.epsilon(0.9e-6) == pytest.approx(1.4, rel=1e-9)
    for _ in range(2):
        state = state.after(rg.ApproximateDP(0.25, 2e-8))
        assert isinstance(state, PrivacyFilter)
    assert state.spent == (0,)
    assert state.left.pure == pytest.approx(0.1)
    beyond = state.after(rg.PureDP(0.11))  # no room there: it counts as a Gaussian
    assert isinstance(beyond, PrivacyFilter)
    assert (beyond.pure, beyond.spent > (0,)) == (state.pure, True)
    refused = state.after(rg.PureDP(1.0))
    assert isinstance(refused, Exhausted)
    assert "0.1 for pure DP" in refused.reason
    assert "for_pure" in refused.fix


def test_three_tenths_are_three_tenths():
    state = PrivacyFilter(1.0, 1e-6, 3e-7, 0.3)
    for _ in range(3):
        state = state.after(rg.ApproximateDP(0.1, 1e-7))
        assert isinstance(state, PrivacyFilter)
    assert state.spent == (0,)
    spent = rg.compose((rg.ApproximateDP(0.1, 1e-7), 3), rg.GaussianDP(state.left.mu))
    assert spent.delta(1.0) <= 1e-6


def test_what_is_not_gaussian_needs_orders():
    pair = GaussianPairDP(0.05, 0.01, 2)
    refused = BUDGET.filter().after(pair)
    assert isinstance(refused, Exhausted)
    assert "orders=(23,)" in refused.fix
    assert isinstance(BUDGET.filter(orders=(23,)).after(pair), PrivacyFilter)
    beyond = BUDGET.filter(orders=(150,)).after(pair)
    assert isinstance(beyond, Exhausted)
    assert "smaller orders" in beyond.fix


def test_an_order_within_its_budget_is_enough():
    state = BUDGET.filter(orders=(16, 64))
    while isinstance(after := state.after(rg.PureDP(0.1)), PrivacyFilter):
        state = after
    caps = [cap for _, cap in state._tracks]
    assert any(spent <= cap for spent, cap in zip(state.spent, caps, strict=True))
    assert all(spent > cap for spent, cap in zip(state.with_spend(rg.PureDP(0.1)).spent, caps, strict=True))


@pytest.mark.parametrize("orders", [(12,), (16, 64), (10.5, 23, 40, 200)])
def test_orders_share_delta(orders):
    """Each order's limit, converted, is (epsilon, delta/J): the sum of all is delta."""
    state = PrivacyFilter(2.0, 1e-6, 1e-7, orders=orders)
    for order, (_, cap) in zip(orders, state._tracks, strict=True):
        share = 0.9e-6 / len(orders)
        assert tight_epsilon(float(cap), order, share) <= 2.0
        assert tight_epsilon(float(cap) * (1 + 1e-10) + 1e-10, order, share) > 2.0


def test_neighbours_are_not_mixed():
    state = BUDGET.filter().after(rg.GaussianDP(0.05))
    with pytest.raises(InvalidParameterError, match="as_replace_one"):
        state.after(rg.GaussianDP(0.05, "add-or-remove"))
    assert isinstance(state.after(rg.as_replace_one(rg.GaussianDP(0.05, "add-or-remove"))), PrivacyFilter)


def test_what_counts_at_orders():
    """Samples, curves and concentrated DP have a place at Rényi orders, and none in mu²."""
    state = rg.Budget(3.0, 1e-6).filter(orders=(16,))
    for part in (
        (rg.Subsampled(rg.GaussianDP(0.5), 0.01), 10),
        rg.ZeroConcentratedDP(0.01),
        rg.RenyiDP(rg.RenyiTable((2, 16, 32), (0.01, 0.08, 0.2))),
        rg.PureDP(0.2),
    ):
        assert isinstance(rg.Budget(3.0, 1e-6).filter().after(part), Exhausted) or part == rg.PureDP(0.2)
        state = state.after(part)
        assert isinstance(state, PrivacyFilter)


def test_a_spend_that_was_made_is_counted_even_beyond_the_budget():
    over = BUDGET.filter().with_spend(rg.GaussianDP(5.0))
    assert not over.is_within
    assert over.left.mu == over.left.epsilon(1e-6) == 0
    assert isinstance(over.after(rg.GaussianDP(1e-9)), Exhausted)
    unknown = BUDGET.filter().with_spend(GaussianPairDP(0.1, 0.1, 2))
    assert isinstance(unknown.after(rg.GaussianDP(1e-9)), Exhausted)


def test_deciding_by_the_tight_composition_would_not_be_private():
    """The counterexample of proofs/adaptive-budgets.md: half of mu², then a leak or noise, as one likes."""
    epsilon, delta = 1.0, 1e-2
    budget = gdp.mu(epsilon, delta) ** 2
    half, e = budget / 2, math.exp(epsilon)

    def profile(at: float, square: float) -> float:
        mu = math.sqrt(square)
        return norm.cdf(mu / 2 - math.log(at) / mu) - at * norm.cdf(-mu / 2 - math.log(at) / mu)

    leak = (delta - profile(e, half)) / (1 - profile(e, half))
    first = rg.GaussianDP(math.sqrt(half))
    for second in (rg.GaussianDP(math.sqrt(half)), rg.ApproximateDP(0.0, leak)):
        assert rg.compose(first, second).delta(epsilon) == pytest.approx(delta, rel=1e-6)

    def worst(y: float) -> float:
        ratio = e * math.exp(math.sqrt(half) * y - half / 2)
        return norm.pdf(y) * max(profile(ratio, half), leak + (1 - leak) * max(0.0, 1 - ratio))

    reached, _ = quad(worst, -10, 10, limit=400)
    assert reached == pytest.approx(1.592 * delta, rel=1e-3)
    state = PrivacyFilter(epsilon, delta).after(first)
    assert isinstance(state.after(rg.ApproximateDP(0.0, leak)), Exhausted)  # the filter does not fall for it


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("epsilon", {"epsilon": math.nan}),
        ("epsilon", {"epsilon": -1}),
        ("epsilon", {"epsilon": math.inf}),
        ("delta", {"delta": 0.0}),
        ("delta", {"delta": 1.0}),
        ("for_failures", {"for_failures": 1e-6}),
        ("for_failures", {"for_failures": -1e-9}),
        ("for_failures", {"for_failures": math.nan}),
        ("for_pure", {"for_pure": 1.0}),
        ("for_pure", {"for_pure": -0.1}),
        ("for_pure", {"for_pure": math.inf}),
        ("orders", {"orders": (1.0,)}),
        ("orders", {"orders": (2.0, math.nan)}),
        ("orders", {"orders": (2.0,)}),
        ("orders", {"orders": "many"}),
        ("spent", {"spent": (Fraction(0), Fraction(0))}),
    ],
)
def test_hostile_numbers_are_refused_by_name(name, arguments):
    with pytest.raises(InvalidParameterError, match=name):
        PrivacyFilter(**{"epsilon": 1.0, "delta": 1e-6} | arguments)


@pytest.mark.parametrize("part", [None, 0.1, "gaussian", (rg.GaussianDP(0.1), 0), (rg.GaussianDP(0.1), -1)])
def test_what_is_no_guarantee_is_refused(part):
    with pytest.raises(RelgaussError):
        BUDGET.filter().after(part)


@dataclass(frozen=True)
class Lies(Guarantee):
    """A guarantee whose numbers are none."""

    divergence: object
    lost: object = 0.0

    @property
    def leak(self) -> float:
        return self.lost

    @property
    def order_limit(self) -> float:
        return math.inf

    @property
    def loss_std(self) -> float:
        return 1.0

    def rdp(self, alpha: float) -> float:
        return self.divergence

    def log_delta(self, epsilon: float) -> float:
        return -1.0

    def describe(self) -> str:
        return "lies"


@pytest.mark.parametrize("number", [math.nan, -1.0, math.inf, "0.1", None, True])
def test_what_is_no_number_is_no_privacy(number):
    start = PrivacyFilter(3.0, 1e-6, 1e-7, orders=(16,))
    assert isinstance(start.after(Lies(0.01)), PrivacyFilter)
    assert isinstance(start.after(Lies(number)), Exhausted)
    assert isinstance(start.after(Lies(0.01, number)), Exhausted)
    assert isinstance(PrivacyFilter(3.0, 1e-6).after(Lies(0.01)), Exhausted)


def test_numbers_of_numpy_and_a_journey_through_pickle():
    state = PrivacyFilter(np.float64(1), np.float32(1e-6), orders=(np.int64(30),)).after(rg.GaussianDP(0.1))
    assert pickle.loads(pickle.dumps(state)) == state


def test_a_budget_as_large_as_a_double_is_read_at_once():
    """Twice such an epsilon is no double: a search from infinity would never end."""
    found = PrivacyFilter(1e308, 1e-6).after(rg.GaussianDP(1.0))
    assert isinstance(found, PrivacyFilter)
    assert 1e153 < found.left.mu < 2e154


@pytest.mark.parametrize("spent", [(math.nan,), (-1,), (Fraction(-1, 3),), (0.5,), (0, 0)], ids=repr)
def test_what_was_spent_before_is_an_exact_sum(spent: object):
    with pytest.raises(InvalidParameterError, match="spent"):
        PrivacyFilter(1.0, 1e-6, spent=spent)
