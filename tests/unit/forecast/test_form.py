"""Forms of values, as a user states them."""

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.forecast.form import Form, read_form


@pytest.mark.parametrize(
    ("form", "draw"),
    [
        (Form("lognormal", 0.5), lambda rng: np.exp(0.5 * rng.standard_normal(200_000))),
        (Form("normal", 0.2), lambda rng: 1 + 0.2 * rng.standard_normal(200_000)),
        (Form("exponential", 1.0), lambda rng: rng.exponential(size=200_000)),
    ],
    ids=lambda each: each.name if isinstance(each, Form) else "",
)
def test_a_form_says_how_many_values_lie_below(form: Form, draw: object):
    drawn = draw(np.random.default_rng(1))
    at = np.array([0.3, 0.8, 1.0, 1.4, 3.0])
    np.testing.assert_allclose(form.below(at), [(drawn < each).mean() for each in at], atol=0.006)


def test_words_are_read():
    assert read_form("lognormal:0.5", 0.1) == Form("lognormal", 0.5, 0.1)
    assert read_form("exponential", 0.0) == Form("exponential", 1.0)
    assert read_form("normal:0.2", 0.25).text() == "normal with spread 0.2, 25 % zeros"


@pytest.mark.parametrize(
    "form", ["", "cauchy:1", "lognormal", "normal:x", "normal:0", "exponential:2", "normal:nan", 3]
)
def test_other_words_are_refused(form: object):
    with pytest.raises(InvalidParameterError, match="form"):
        read_form(form, 0.0)


@pytest.mark.parametrize("zeros", [-0.1, 1.0, float("nan")])
def test_a_share_of_zeros_is_one(zeros: float):
    with pytest.raises(InvalidParameterError, match="zeros"):
        read_form("exponential", zeros)
