"""Numbers as they are printed: bounds up, what is left down."""

import math

from hypothesis import given
from hypothesis import strategies as st

from relgauss.rounding import round_down, round_up


@given(st.floats(1e-300, 1e300), st.integers(1, 8))
def test_a_printed_number_lies_on_its_side(value, digits):
    assert float(round_down(value, digits)) <= value <= float(round_up(value, digits))
    assert (
        float(round_up(value, digits)) - float(round_down(value, digits)) <= 10 ** (1 - digits) * 10 * value
    )


def test_the_ends():
    assert round_down(0.0) == round_up(0.0) == "0"
    assert round_down(math.inf) == round_up(math.inf) == "inf"
    assert (round_down(0.99996), round_up(0.99994)) == ("0.9999", "1")
