"""However uses are grouped, nested, charged or stated, each of them counts."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import relgauss as rg
from relgauss.accounting import Composition, gdp
from relgauss.bounded import BoundedAnswer
from relgauss.errors import InvalidParameterError
from relgauss.spending import Basis, Spending

MU = 0.1
PAGE = "proofs/isometric.md"
counts = st.integers(1, 50)


def charge(times: int) -> rg.Charge:
    return rg.Charge("stage", rg.GaussianDP(MU), PAGE, (), times)


@given(counts, counts, counts)
def test_every_way_to_say_it_counts_the_same(inner, middle, outer):
    total = inner * middle * outer
    mechanism = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1 / MU)
    statement = rg.PrivacyStatement((charge(inner),) * middle, 1e-6)
    ways = [
        rg.compose((rg.GaussianDP(MU), total)),
        rg.compose(((charge(inner), middle), outer)),
        rg.compose((((rg.GaussianDP(MU), inner), middle), outer)),
        rg.compose((statement, outer)),
        rg.compose((rg.compose((charge(inner), middle)), outer)),
        rg.compose((mechanism.charge(steps=inner), np.int64(middle * outer))),
        rg.compose((mechanism.statement(1e-6, inner), middle * outer)),
        rg.compose(*[(mechanism, inner * middle)] * outer),
        mechanism.composed(total),
    ]
    exact = gdp.epsilon(MU * math.sqrt(total), 1e-6)
    for way in ways:
        assert sum(times for _, times in way.uses) == total
        assert exact * (1 - 1e-12) <= way.epsilon(1e-6) <= exact * (1 + 1e-9)


def test_a_charge_of_a_hundred_uses_is_a_hundred_uses():
    assert rg.compose((charge(100), 1)).epsilon(1e-6) == pytest.approx(4.887, abs=1e-3)


@pytest.mark.parametrize("times", [0, -1, 1.0, True, np.True_, None, "2", math.nan, 2**60])
def test_what_is_no_count_is_refused_wherever_it_stands(times):
    for part in ((rg.GaussianDP(MU), times), ((charge(2), times), 3), ((charge(2), 3), times)):
        with pytest.raises(InvalidParameterError):
            rg.compose(part)
    with pytest.raises(InvalidParameterError):
        Composition(((rg.GaussianDP(MU), times),))


def test_charges_that_are_read_once_count_every_time():
    statement = rg.PrivacyStatement(iter([charge(100)]), 1e-6)
    first = statement.epsilon()
    assert first == rg.compose(statement).epsilon(1e-6) == rg.compose(charge(100)).epsilon(1e-6)
    composed = Composition(iter([(rg.GaussianDP(MU), 100)]))
    assert composed.epsilon(1e-6) == rg.compose(composed).epsilon(1e-6) == first
    with pytest.raises(InvalidParameterError, match="charges"):
        rg.PrivacyStatement((rg.GaussianDP(MU),), 1e-6)


def test_a_product_of_counts_beyond_the_largest_is_refused():
    with pytest.raises(InvalidParameterError, match="times"):
        rg.compose(((rg.GaussianDP(MU), 2**40), 2**40))


@pytest.mark.parametrize(
    "part", [[rg.GaussianDP(MU), 2], (rg.GaussianDP(MU),), (rg.GaussianDP(MU), 2, 3), 0.1]
)
def test_what_is_no_part_is_refused(part):
    with pytest.raises(InvalidParameterError, match="part"):
        rg.compose(part)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(1e-6, 10.0), st.integers(1, 10**6)), min_size=1, max_size=200))
def test_the_mu_of_many_parts_is_never_below_the_truth(uses):
    found = gdp.composed(uses)
    with mp.workdps(50):
        true = mp.sqrt(sum(times * mpf(mu) ** 2 for mu, times in uses))
        assert true <= mpf(found) <= true * (1 + mpf("4e-15"))


def test_a_thousand_unlike_parts_lose_no_digit():
    """Added one by one in floating point they come out low in the 14th digit."""
    mus = [0.1 + 1e-5 * k / 7 for k in range(1000)]
    true = math.sqrt(sum(Fraction(mu) ** 2 for mu in mus))
    assert gdp.composed([(mu, 1) for mu in mus]) >= true
    assert rg.compose(*map(rg.GaussianDP, mus)).epsilon(1e-6) >= gdp.epsilon(true, 1e-6)


@pytest.mark.parametrize("mu", [1e200, 1e300])
def test_squares_that_overflow_are_no_privacy(mu):
    composed = rg.compose((rg.GaussianDP(mu), 2**53), rg.GaussianDP(mu / 2))
    assert composed.epsilon(1e-6) == math.inf
    assert composed.delta(1.0) == 1.0


def test_huge_losses_add_up_to_infinity():
    assert rg.compose((rg.PureDP(1e308), 10), rg.PureDP(1.5e308)).epsilon(1e-6) == math.inf


def spent(*bases: Basis) -> tuple[rg.Charge, ...]:
    """What a fit is charged that releases the same number on each of these bases."""
    spending, answer = Spending(rg.GaussianDP(1.0), np.random.default_rng(0)), np.zeros(1)
    for basis in bases:
        spending.release("stage", BoundedAnswer.enforced(answer, 1.0), MU**2, basis)
    return spending.close()


def test_spending_counts_every_release():
    charges = spent(*[Basis(PAGE)] * 7)
    assert [each.times for each in charges if each.stage == "stage"] == [7]
    assert rg.compose(*charges).epsilon(1e-6) == pytest.approx(
        rg.compose(rg.GaussianDP(1.0)).epsilon(1e-6), rel=1e-9
    )


def test_spending_keeps_the_conditions_of_every_release():
    charges = spent(*[Basis(PAGE, (rg.Condition(text, "assumed"),)) for text in ("a", "b")])
    assert {condition.text for each in charges for condition in each.conditions} == {"a", "b"}
