"""Every validator against every kind of bad value; what is good comes back as a plain number."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from relgauss import validate
from relgauss.errors import InvalidParameterError

NAN, INF = math.nan, math.inf
NO_NUMBERS = (NAN, INF, -INF, "0.1", b"1", None, True, np.True_, 1j, [0.1], {}, 10**400, object)
NO_COUNTS = (0, -1, 2.5, 2.0, NAN, INF, "2", b"2", None, True, np.True_, [2], 1j, np.float64(2), 2**53 + 1)
NO_WORDS = ("other", "", "Linear", None, 3, ["linear"], True, b"linear")
BEYOND = {
    validate.number: (),
    validate.positive: (0, 0.0, -0.0, -1, -5e-324),
    validate.nonnegative: (-1, -1e-300, -5e-324),
    validate.probability: (0, 1, -1, 1.5, 1.0 + 1e-15, -5e-324),
}
FIX = "Pass another."

Check = Callable[[str, object], object]
CHECKS: list[tuple[Check, tuple[object, ...]]] = [
    *((partial(check, fix=FIX), (*NO_NUMBERS, *beyond)) for check, beyond in BEYOND.items()),
    (validate.order, (*NO_NUMBERS, 1, 0.5, 0, -1, 1 - 1e-15)),
    (partial(validate.zero_or_within, least=1e-150, most=1e150, fix=FIX), (*NO_NUMBERS, -1, 1e-151, 1e151)),
    (partial(validate.count, fix=FIX), NO_COUNTS),
    (partial(validate.choice, allowed=("linear", "quadratic")), NO_WORDS),
]


def name_of(check: object) -> str:
    return getattr(check, "func", check).__name__ if callable(check) else f"{check!r:.20}"


@pytest.mark.parametrize(
    ("check", "value"), [(check, value) for check, values in CHECKS for value in values], ids=name_of
)
def test_a_bad_value_is_refused_by_name_and_shown(check: Check, value: object):
    with pytest.raises(InvalidParameterError) as caught:
        check("width", value)
    error = caught.value
    assert error.name == "width"
    assert "width" in str(error)
    assert repr(value) in str(error)
    assert error.fix.endswith(".")
    assert str(error).endswith(error.fix)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (validate.number, -2),
        (partial(validate.positive, fix=FIX), 5e-324),
        (partial(validate.nonnegative, fix=FIX), 0),
        (partial(validate.zero_or_within, least=1e-150, most=1e150, fix=FIX), 0),
        (partial(validate.zero_or_within, least=1e-150, most=1e150, fix=FIX), 1e-150),
        (partial(validate.zero_or_within, least=1e-150, most=1e150, fix=FIX), 1e150),
        (validate.probability, 1e-300),
        (validate.order, 1 + 1e-15),
        (validate.count, 1),
        (validate.count, 2**53),
    ],
    ids=name_of,
)
def test_what_is_just_good_is_taken(check: Check, value: float):
    assert check("width", value) == value


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_a_count_is_a_plain_whole_number(value: object):
    assert type(validate.count("width", value)) is int


@pytest.mark.parametrize("value", [3, 0.5, np.float32(0.5), np.float64(0.5), np.int8(3)])
def test_a_number_is_a_plain_float(value: object):
    assert type(validate.number("width", value)) is float


def test_a_word_is_one_of_those_allowed():
    assert validate.choice("width", "linear", ("linear", "quadratic")) == "linear"


def test_losses_are_rounded_up_and_orders_down():
    """A Fraction or a Decimal is seldom a double; the nearest one may promise too much."""
    for value in (Fraction(1, 3), Decimal("0.1"), Fraction(2, 3), 2**60 + 1, 0.1, np.float32(0.1)):
        up, down = validate.rounded_up("x", value, FIX), validate.rounded_down("x", value, FIX)
        assert Fraction(down) <= Fraction(float(value) if isinstance(value, np.floating) else value)
        assert Fraction(up) >= Fraction(float(value) if isinstance(value, np.floating) else value)
        assert up <= math.nextafter(down, INF)


@pytest.mark.parametrize("value", [Fraction(1, 10**400), Decimal("1e-400"), Decimal("-1e-400")], ids=repr)
def test_what_underflows_is_no_zero(value):
    for check in (validate.number, validate.nonnegative, validate.rounded_up):
        with pytest.raises(InvalidParameterError, match="x="):
            check("x", value, FIX)
