"""A value that cannot be released is refused before any noise is drawn, and no message shows it."""

import pickle
import traceback

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidValueError, RelgaussError

BOUND = rg.RelativeSensitivity(0.1, 1.0)
MECHANISMS = [
    rg.Gaussian(rg.AbsoluteSensitivity(1.0), 2, 2.0),
    rg.RelativeGaussian(BOUND, 2, 0.1),
    rg.RelativeGaussian(rg.RelativeSensitivity(0.1, 1.0, "linear"), 2, 0.1),
    rg.IsometricGaussian(BOUND, 2, 2.0),
    rg.IsometricGaussian(rg.RelativeSensitivity(0.0, 1.0), 2, 2.0),
]
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{m.name}-{m.sensitivity}")

SECRET = 7654.321
WRONG_SHAPE = [
    SECRET,
    [SECRET],
    [SECRET, SECRET, SECRET],
    [[SECRET, SECRET]],
    [[SECRET], [SECRET]],
    [],
]
NO_FLOATS = [
    None,
    "7654.321",
    ["7654.321x", "1"],
    ["7654.321", "1"],
    [SECRET, None],
    [SECRET, np.nan],
    [SECRET, np.inf],
    [SECRET, -np.inf],
    [SECRET, 1j],
    np.array([SECRET + 1j, 2.0]),
    np.array([SECRET, object()], dtype=object),
    [[SECRET], [SECRET, SECRET]],
    {"a": SECRET, "b": SECRET},
    {SECRET, 2.0},
    (x for x in (SECRET, 2.0)),
    np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"),
    np.ma.array([SECRET, 2.0], mask=[True, False]),
]


def acts(mechanism: rg.Mechanism, value: object) -> list:
    """Every call that takes the private value."""
    calls = [
        lambda: mechanism.release(value),
        lambda: mechanism.release(value, rng=np.random.default_rng(0)),
        lambda: mechanism.simulate(value, 3, np.random.default_rng(0)),
    ]
    return calls + [lambda: mechanism.encode(value)] * isinstance(mechanism, rg.IsometricGaussian)


def refused(call) -> InvalidValueError:
    with pytest.raises(InvalidValueError) as caught:
        call()
    error = caught.value
    assert isinstance(error, RelgaussError)
    assert isinstance(error, ValueError)
    assert error.fix.endswith(".")
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert "7654" not in shown
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    return error


@every_mechanism
@pytest.mark.parametrize("value", WRONG_SHAPE, ids=repr)
def test_a_wrong_shape_is_refused(mechanism, value):
    for call in acts(mechanism, value):
        assert "(2,)" in str(refused(call))


@every_mechanism
@pytest.mark.parametrize("value", NO_FLOATS, ids=lambda value: f"{type(value).__name__}-{value!s:.18}")
def test_what_holds_no_finite_floats_is_refused(mechanism, value):
    for call in acts(mechanism, value):
        refused(call)


@every_mechanism
def test_a_value_that_is_refused_draws_nothing(mechanism):
    rng = np.random.default_rng(5)
    refused(lambda: mechanism.release([SECRET, np.nan], rng=rng))
    assert rng.random() == np.random.default_rng(5).random()


RELATIVE = [m for m in MECHANISMS if not isinstance(m, rg.Gaussian)]


@pytest.mark.parametrize("mechanism", RELATIVE, ids=lambda m: f"{m.name}-{m.sensitivity}")
@pytest.mark.parametrize("value", [[7654e150, 1.0], [7654e-200, 0.0], [7.654e-155, 7.654e-155]])
def test_a_norm_whose_square_is_not_representable_is_refused(mechanism, value):
    for call in acts(mechanism, value):
        assert "other units" in str(refused(call))


NO_FLOOR = [
    rg.IsometricGaussian(rg.RelativeSensitivity(0.1), 1, 2.0),
    rg.IsometricGaussian(rg.RelativeSensitivity(0.1, nonnegative=True), 1, 2.0),
    rg.IsometricGaussian(rg.RelativeSensitivity(3.0, form="linear"), 1, 0.2),
    rg.IsometricGaussian(rg.RelativeSensitivity(0.1), 3, 2.0),
    rg.RelativeGaussian(rg.RelativeSensitivity(0.1), 3, 0.1),
]


@pytest.mark.parametrize("mechanism", NO_FLOOR, ids=lambda m: f"{m.name}-{m.sensitivity}")
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zero_contradicts_a_bound_without_a_floor(mechanism, zero):
    for call in acts(mechanism, [zero] * mechanism.dim):
        assert "r > 0" in str(refused(call))


@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("r", [0.0, 1.0])
def test_a_negative_answer_contradicts_a_bound_on_answers_that_are_never_negative(form, r):
    mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(0.1, r, form, nonnegative=True), 1, 2.0)
    for call in acts(mechanism, -SECRET):
        assert "nonnegative" in str(refused(call))


@pytest.mark.parametrize(
    "z",
    [None, "7654", [1.0], [1.0, 2.0], [[1.0, 2.0, 3.0]], ["7654.321", "a", "b"], [[1.0], [2.0, 3.0]]],
    ids=repr,
)
def test_coordinates_of_the_wrong_kind_are_refused(z):
    with pytest.raises(RelgaussError, match="z") as caught:
        MECHANISMS[3].decode(z)
    assert "encode" in str(caught.value)
    assert "7654" not in str(caught.value)


@pytest.mark.parametrize("z", [[np.nan, 1.0, 1.0], [np.inf, 0.0, 0.0]], ids=repr)
def test_coordinates_of_no_answer_are_refused(z):
    with pytest.raises(RelgaussError):
        MECHANISMS[3].decode(z)


@every_mechanism
@pytest.mark.parametrize("value", [5e-324, -1e-310, 1e-200, 1e140])
def test_settings_of_numpy_do_not_make_an_answer_tell_of_itself(mechanism, value):
    """An error at an underflow would show, without noise, which of two neighbours was released."""
    with np.errstate(all="raise"):
        assert np.isfinite(mechanism.release([1.0, value])).all()
