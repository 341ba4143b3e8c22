"""Laws of the filter: order and grouping change nothing, and nothing it admits exceeds the budget."""

import math

from hypothesis import assume, given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import Exhausted, PrivacyFilter

epsilons = st.floats(0.1, 5)
mus = st.lists(st.floats(1e-4, 0.4), min_size=1, max_size=8)


@st.composite
def spends(draw):
    kind = draw(st.sampled_from(["gaussian", "pure", "approximate", "failure"]))
    match kind:
        case "gaussian":
            return rg.GaussianDP(draw(st.floats(1e-6, 0.5)))
        case "pure":
            return rg.PureDP(draw(st.floats(0, 0.4)))
        case "approximate":
            return rg.ApproximateDP(draw(st.floats(0, 0.4)), draw(st.floats(1e-12, 1e-7)))
        case _:
            return rg.Failure(draw(st.floats(1e-12, 1e-7)))


def admitted(start: PrivacyFilter, parts) -> tuple[PrivacyFilter, list]:
    """Spend what is admitted, leave out what is not."""
    taken = []
    for part in parts:
        after = start.after(part)
        if isinstance(after, PrivacyFilter):
            start = after
            taken.append(part)
    return start, taken


@given(
    epsilons,
    st.sampled_from([0.0, 0.1, 0.5]),
    st.lists(spends(), max_size=12),
    st.sampled_from([(), (40.0,), (20.0, 60.0, 200.0)]),
)
def test_whatever_is_admitted_is_within_the_budget_even_by_the_tight_figure(epsilon, aside, parts, orders):
    assume(not orders or epsilon * (1 - aside) > 0.8)
    start = PrivacyFilter(epsilon, 1e-6, 3e-7, aside * epsilon, orders)
    after, taken = admitted(start, parts)
    assert after.is_within
    assert rg.compose(*taken).delta(epsilon) <= 1e-6 * (1 + 1e-9)


@given(epsilons, mus, st.randoms(use_true_random=False), st.integers(0, 8))
def test_order_and_grouping_change_nothing(epsilon, found, random, cut):
    start = PrivacyFilter(epsilon, 1e-6)
    parts = [rg.GaussianDP(mu) for mu in found]
    shuffled = random.sample(parts, len(parts))
    one_by_one = start
    for part in shuffled:
        one_by_one = one_by_one.with_spend(part)
    assert one_by_one == start.with_spend(*parts)
    assert one_by_one == start.with_spend(*parts[:cut]).with_spend(*parts[cut:])
    repeated = start.with_spend((parts[0], 3))
    assert repeated == start.with_spend(parts[0], parts[0], parts[0])


@given(st.floats(1, 5), mus, st.sampled_from([(), (40.0,), (30.0, 90.0)]))
def test_what_is_left_is_admitted_and_then_nothing_is_left(epsilon, found, orders):
    start = PrivacyFilter(epsilon, 1e-6, orders=orders)
    state, _ = admitted(start, [rg.GaussianDP(mu) for mu in found])
    left = state.left
    assume(left.mu > 1e-4)
    assert isinstance(state.after(rg.GaussianDP(left.mu)), PrivacyFilter)
    asked = rg.Budget(left.epsilon(1e-6), 1e-6)
    last = state.after(rg.GaussianDP(asked.mu))
    assert isinstance(last, PrivacyFilter)
    assert isinstance(last.after(rg.GaussianDP(left.mu * 0.01)), Exhausted)


@given(mus, st.floats(0.1, 3), st.floats(0.1, 3))
def test_a_larger_budget_admits_all_that_a_smaller_one_does(found, one, other):
    parts = [rg.GaussianDP(mu) for mu in found]
    small, large = sorted((one, other))
    after = PrivacyFilter(small, 1e-6).after(*parts)
    if isinstance(after, PrivacyFilter):
        assert isinstance(PrivacyFilter(large, 1e-6).after(*parts), PrivacyFilter)


@given(st.floats(0.5, 3), st.integers(1, 100))
def test_equal_shares_are_all_admitted_and_one_more_is_not(epsilon, count):
    budget = rg.Budget(epsilon, 1e-6)
    state = budget.filter()
    one = rg.GaussianDP(budget.mu / math.sqrt(count))
    for _ in range(count):
        state = state.after(one)
        assert isinstance(state, PrivacyFilter)
    assert isinstance(state.after(one), Exhausted)
