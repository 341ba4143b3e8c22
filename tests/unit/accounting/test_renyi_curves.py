"""Rényi curves as tables and formulas: what they say between orders, and what they refuse."""

import math

import pytest

import relgauss as rg
from relgauss.accounting.renyi_curves import RenyiSum
from relgauss.errors import InvalidParameterError

ORDERS = (1.25, 2.0, 3.0, 8.0, 64.0)


def test_a_table_is_never_below_the_curve_it_was_taken_from():
    gaussian = rg.GaussianDP(0.7)
    table = rg.RenyiTable(ORDERS, tuple(map(gaussian.rdp, ORDERS)))
    for alpha in (1.0001, 1.1, 1.25, 1.7, 2.0, 5.5, 63.9, 64.0):
        assert gaussian.rdp(alpha) <= table.at(alpha) * (1 + 1e-14)
    assert table.at(2.0) == gaussian.rdp(2.0)
    assert table.order_limit > 64.0
    assert rg.RenyiDP(table).rdp(64.5) == math.inf


def test_a_chord_is_used_where_it_is_smaller_than_the_next_order():
    table = rg.RenyiTable((2.0, 10.0), (0.1, 1.0))
    assert table.at(3.0) == pytest.approx((0.1 + 1 / 8 * (9 - 0.1)) / 2)
    assert table.at(1.5) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("orders", "divergences", "name"),
    [
        ((1.0, 2.0), (0.1, 0.2), "orders"),
        ((2.0, 2.0), (0.1, 0.2), "orders"),
        ((3.0, 2.0), (0.1, 0.2), "orders"),
        ((2.0, math.nan), (0.1, 0.2), "orders"),
        ((2.0, math.inf), (0.1, 0.2), "orders"),
        ((), (), "orders"),
        (2.0, 0.1, "orders"),
        ("23", (0.1, 0.2), "orders"),
        ((2.0, 3.0), (0.2, 0.1), "divergences"),
        ((2.0, 3.0), (-0.1, 0.1), "divergences"),
        ((2.0, 3.0), (0.1, math.nan), "divergences"),
        ((2.0, 3.0), (0.1, math.inf), "divergences"),
        ((2.0, 3.0), (0.1,), "divergences"),
        ((2.0, 3.0), (0.1, "0.2"), "divergences"),
    ],
)
def test_a_hostile_table_is_refused_by_name(orders, divergences, name):
    with pytest.raises(InvalidParameterError, match=name):
        rg.RenyiTable(orders, divergences)


def falling(alpha: float) -> float:
    return 1 / alpha


def test_a_hostile_formula_is_refused_by_name():
    def raises(alpha: float) -> float:
        raise ZeroDivisionError

    for function in (falling, lambda _: math.nan, lambda _: -1.0, lambda _: math.inf, raises, 3.0, "x"):
        with pytest.raises(InvalidParameterError, match="function"):
            rg.RenyiFunction(function)
    for limit in (1.0, math.nan, -3, "5"):
        with pytest.raises(InvalidParameterError, match="order_limit"):
            rg.RenyiFunction(lambda alpha: alpha, limit)


def test_what_a_formula_hides_at_first_is_no_privacy():
    """Between the orders at which it is tried at once it may be no number: then there is no bound."""
    sly = rg.RenyiDP(rg.RenyiFunction(lambda alpha: math.nan if 3.4 < alpha < 3.6 else 0.1))
    assert sly.rdp(3.5) == math.inf
    assert sly.rdp(3.0) == pytest.approx(0.1)


def test_a_sum_ends_where_the_first_does():
    total = RenyiSum(((rg.TruncatedConcentratedDP(0.1, 5.0), 2), (rg.ZeroConcentratedDP(0.3), 1)))
    assert total.order_limit == 5.0
    assert total.at(3.0) == pytest.approx(1.5)
    assert total.at(3.0) >= 1.5
    assert "3" in total.describe()


def test_a_formula_is_written_as_its_table():
    formula = rg.RenyiFunction(lambda alpha: 0.01 * alpha, 40.0)
    table = formula.to_table((1.5, 2, 8, 32, 64))
    assert table.orders == (1.5, 2.0, 8.0, 32.0)
    statement = rg.PrivacyStatement((rg.Charge("test", rg.RenyiDP(table), "proofs/renyi.md"),), 1e-6)
    assert rg.PrivacyStatement.from_json(statement.to_json()) == statement
    exact = rg.compose(rg.RenyiDP(formula)).epsilon(1e-6)
    assert exact <= rg.compose(rg.RenyiDP(table)).epsilon(1e-6) <= 1.2 * exact
    with pytest.raises(InvalidParameterError, match="orders"):
        formula.to_table((0.5, 2))


def test_words_promise_no_higher_order():
    assert rg.RenyiTable((2.0, 12345.678), (0.1, 0.2)).describe() == "Rényi curve at 2 orders up to 12345.6"
    assert rg.RenyiFunction(lambda _: 0.1, 12345.678).describe() == "Rényi curve below order 12345.6"
    assert rg.RenyiFunction(lambda _: 0.1).describe() == "Rényi curve below order inf"
