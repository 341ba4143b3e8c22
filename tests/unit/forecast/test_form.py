"""Forms of values, as a user states them."""

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.forecast.form import Form, read_form


@pytest.mark.parametrize(
    ("form", "draw"),
    [
        (Form("lognormal", 0.5, 0.5), lambda rng: np.exp(0.5 * rng.standard_normal(200_000))),
        (Form("normal", 0.2, 0.2), lambda rng: 1 + 0.2 * rng.standard_normal(200_000)),
        (Form("exponential", 1.0, 1.0), lambda rng: rng.exponential(size=200_000)),
    ],
    ids=lambda each: each.name if isinstance(each, Form) else "",
)
def test_a_form_says_how_many_values_lie_below(form: Form, draw: object):
    drawn = draw(np.random.default_rng(1))
    at = np.array([0.3, 0.8, 1.0, 1.4, 3.0])
    below = form.below(at[None, :], np.array([form.spread]))[0]
    np.testing.assert_allclose(below, [(drawn < each).mean() for each in at], atol=0.006)


def test_groups_may_differ_in_their_spread():
    form = read_form("lognormal:0.05-0.2", 0.0)
    spreads = form.spreads(4_000, np.random.default_rng(2))
    assert (form.spread, form.most) == (0.05, 0.2)
    assert 0.05 <= spreads.min() < 0.052
    assert 0.19 < spreads.max() <= 0.2
    assert abs(np.median(spreads) - 0.1) < 0.005  # even on a logarithmic axis
    assert form.text() == "lognormal with spread 0.05 to 0.2"
    alike = read_form("lognormal:0.1", 0.0).spreads(5, np.random.default_rng(2))
    assert alike.tolist() == [0.1] * 5


def test_scales_are_typical_values_or_lie_in_the_middle_of_the_range():
    rng = np.random.default_rng(3)
    known = read_form("normal:0.2", 0.0, 0.0, (3e4, 9e4), (1e3, 1e6))
    scales = known.scales(4_000, 1e3, 1e6, rng)
    assert 3e4 <= scales.min() < 3.1e4
    assert 8.9e4 < scales.max() <= 9e4
    assert known.text() == "normal with spread 0.2 around 30,000 to 90,000"
    middle = read_form("normal:0.2", 0.0).scales(4_000, 1e3, 1e6, rng)
    assert 1e4 <= middle.min() < middle.max() <= 1e5
    one = read_form("normal:0.2", 0.0, 0.0, 5e4)
    assert np.allclose(one.scales(3, 1e3, 1e6, rng), 5e4)
    assert one.text() == "normal with spread 0.2 around 50,000"


@pytest.mark.parametrize("typical", ["much", 0.0, -1.0, (2.0, 1.0), (1.0, 2.0, 3.0), (0.5, 2.0), (2.0, 20.0)])
def test_typical_values_lie_in_the_range(typical: object):
    with pytest.raises(InvalidParameterError, match="typical"):
        read_form("exponential", 0.0, 0.0, typical, (1.0, 10.0))


def test_words_are_read():
    assert read_form("lognormal:0.5", 0.1) == Form("lognormal", 0.5, 0.5, 0.1)
    assert read_form("exponential", 0.0) == Form("exponential", 1.0, 1.0)
    assert read_form("normal:0.2", 0.25).text() == "normal with spread 0.2, 25 % zeros"
    assert read_form("normal:0.2", 0.0, 0.03).text() == "normal with spread 0.2, 3 % missing"


@pytest.mark.parametrize(
    "form",
    [
        "",
        "cauchy:1",
        "lognormal",
        "normal:x",
        "normal:0",
        "exponential:2",
        "normal:nan",
        "normal:2-1",
        "normal:0.1-0.2-0.3",
        "normal:-1",
        3,
    ],
)
def test_other_words_are_refused(form: object):
    with pytest.raises(InvalidParameterError, match="form"):
        read_form(form, 0.0)


@pytest.mark.parametrize("zeros", [-0.1, 1.0, float("nan")])
def test_a_share_of_zeros_is_one(zeros: float):
    with pytest.raises(InvalidParameterError, match="zeros"):
        read_form("exponential", zeros)
