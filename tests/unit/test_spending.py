"""Spending: shares of one mu, each release charged once and never beyond what there is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import ApproximateDP, Failure, GaussianDP
from relgauss.bounded import BoundedAnswer
from relgauss.budget import Charge, Condition
from relgauss.errors import InvalidParameterError, NoGuaranteeError
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.spending import Spending

GAUSSIAN = rg.Gaussian(AbsoluteSensitivity(1.0, "enforced"), 1, 1.0)


def spending(mu: float = 2.0, **options: object) -> Spending:
    return Spending(GaussianDP(mu), np.random.default_rng(0), **options)


def answer(size: int = 3, bound: float = 0.5) -> BoundedAnswer:
    return BoundedAnswer(np.arange(size, dtype=float), AbsoluteSensitivity(bound, "enforced"))


def total(charges: tuple[Charge, ...]) -> float:
    return math.fsum(c.times * c.guarantee.mu**2 for c in charges if isinstance(c.guarantee, GaussianDP))


@given(st.floats(1e-3, 50), st.lists(st.floats(1e-6, 1), min_size=1, max_size=20))
def test_the_whole_mu_is_charged_and_no_more(mu: float, weights: list[float]):
    account = spending(mu)
    spent = [weight / sum(weights) for weight in weights]
    for number, share in enumerate(spent[:-1]):  # the last share stays over
        account.release(f"stage {number}", answer(), share)
    charges = account.close()
    assert total(charges) <= mu**2
    assert total(charges) == pytest.approx(mu**2, rel=1e-8)


def test_the_noise_is_what_the_share_buys():
    account = spending(2.0)
    released = account.release("a", answer(100_000, 0.5), 0.25)
    assert released.noise_std == pytest.approx(0.5 / (2.0 * math.sqrt(0.25)), rel=1e-9)
    noise = released.value - np.arange(100_000)
    assert noise.std() == pytest.approx(released.noise_std, rel=0.02)
    (charge, _) = account.close()
    assert charge.guarantee.mu == pytest.approx(1.0, rel=1e-9)
    assert charge.guarantee.mu * released.noise_std == pytest.approx(0.5, rel=1e-12)


def test_a_relative_release_costs_its_share():
    account = spending(2.0)
    bound = RelativeSensitivity(0.01, 0.1, "linear", provenance="certified")
    account.release_by("gradients", np.ones(4), lambda s: rg.IsometricGaussian(bound, 4, s), 0.25)
    charge = account.close()[0]
    assert charge.guarantee.mu == pytest.approx(1.0, rel=1e-9)
    assert [each.provenance for each in charge.conditions] == ["certified"]


@pytest.mark.parametrize("share", [0.0, -0.1, 0.51, math.nan, math.inf])
def test_a_share_beyond_what_is_left_is_refused_and_nothing_is_drawn(share: float):
    account = spending(2.0)
    account.release("first", answer(), 0.5)
    state = account.rng.bit_generator.state
    with pytest.raises(InvalidParameterError):
        account.release("second", answer(), share)
    assert account.rng.bit_generator.state == state
    assert account.left == pytest.approx(0.5)
    assert [charge.stage for charge in account.close()] == ["first", "left over"]


def test_repetitions_at_one_price_are_one_charge_and_all_count():
    account = spending()
    for share in (0.1, 0.1, 0.1, 0.2):
        account.release("gradients", answer(), share)
    charges = [charge for charge in account.close() if charge.stage == "gradients"]
    assert sorted(charge.times for charge in charges) == [1, 3]


def test_one_stage_at_two_prices_keeps_both():
    account = spending()
    account.release("ranges", answer(), 0.1)
    account.release("ranges", answer(), 0.3)
    charges = account.close()
    assert [charge.stage for charge in charges] == ["ranges", "ranges", "left over"]
    assert total(charges) == pytest.approx(4.0)


def test_an_unused_account_is_charged_as_a_whole():
    (charge,) = spending(2.0).close()
    assert charge.stage == "left over"
    assert charge.guarantee.mu == pytest.approx(2.0)


def test_planned_charges_count_whether_used_or_not_and_only_the_rest_may_be_spent():
    planned = Charge("certificate", Failure(1e-7), "proofs/certificates.md")
    account = spending(2.0, planned=(planned,), left=0.25)
    with pytest.raises(InvalidParameterError):
        account.release("too much", answer(), 0.3)
    account.release("all", answer(), 0.25)
    charges = account.close()
    assert charges[-1] == planned
    assert total(charges) == pytest.approx(0.25 * 4.0)


def test_a_mechanism_that_costs_more_than_its_share_is_refused_before_it_draws():
    account = spending(2.0)
    state = account.rng.bit_generator.state
    bound = RelativeSensitivity(0.01, 0.1, "linear")
    for costly in (
        lambda s: rg.IsometricGaussian(bound, 4, s / 2),  # half the noise
        lambda s: rg.RelativeGaussian(bound, 4, (0.01 * s) ** 2),  # no mu says what it costs
    ):
        with pytest.raises(NoGuaranteeError, match="more than its share"):
            account.release_by("gradients", np.ones(4), costly, 0.25)
    assert account.rng.bit_generator.state == state
    assert not account.has_drawn


def test_the_first_charge_names_the_conditions_of_the_whole():
    account = spending()
    account.release("first", answer(), 0.5)
    account.release("second", answer(), 0.5)
    whole = Condition("columns are public", "assumed")
    charges = account.close((whole,))
    assert [whole in charge.conditions for charge in charges] == [True, False]


def test_it_knows_whether_anything_was_drawn():
    planned = Charge("test", ApproximateDP(1.0, 1e-6), "proofs/certificates.md")
    draws = {
        "release": lambda account: account.release("stage", answer(), 0.1),
        "planned": lambda account: account.release_planned(np.ones(1), GAUSSIAN),
        "distance": lambda account: account.release_distance(10, 1.0),
    }
    for draw in draws.values():
        account = spending(planned=(planned,))
        assert not account.has_drawn
        draw(account)
        assert account.has_drawn


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_a_closed_account_states_the_budget_it_was_opened_with(epsilon: float):
    budget = rg.Budget(epsilon, 1e-6)
    account = spending(budget.mu)
    for _ in range(50):
        account.release("steps", answer(), 1 / 50)
    statement = rg.PrivacyStatement(account.close(), 1e-6)
    assert statement.epsilon() <= epsilon
    assert statement.epsilon() == pytest.approx(epsilon, rel=1e-6)


def test_an_answer_that_is_refused_costs_nothing():
    account = spending()
    infinite = BoundedAnswer(np.array([math.inf]), AbsoluteSensitivity(1.0, "enforced"))
    with pytest.raises(ValueError, match="NaN or infinity"):
        account.release("stage", infinite, 0.5)
    assert all(charge.stage == "left over" for charge in account.close())
