"""An answer is released as it was passed, to the last digit, or refused: never rounded before the noise."""

import array
import collections
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

import relgauss as rg
from relgauss.bounded import clipped_mean, clipped_sum
from relgauss.errors import InvalidValueError
from relgauss.validate.answers import exact_doubles

BOUND = rg.RelativeSensitivity(0.1, 1.0)
MECHANISMS = [
    rg.Gaussian(rg.AbsoluteSensitivity(1.0), 2, 2.0),
    rg.RelativeGaussian(BOUND, 2, 0.1),
    rg.IsometricGaussian(BOUND, 2, 2.0),
]
every_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: type(m).__name__)
LARGE = 2**53 + 1  # the least whole number that is no double
IS_WIDE = np.dtype(np.longdouble).itemsize > 8  # on some machines a long double is a double

ROUNDED = {
    "an int array": np.array([LARGE, 0]),
    "an unsigned array": np.array([LARGE, 0], dtype=np.uint64),
    "a list of int": [LARGE, 0],
    "int and float": [LARGE, 0.5],
    "float and negative int": [0.5, -LARGE],
    "a tuple": (0.5, LARGE),
    "a deque": collections.deque([LARGE, 0.5]),
    "NumPy's int and float": [np.int64(LARGE), np.float64(0.5)],
    "float32 and int": [np.float32(0.5), LARGE],
    "an array without dimension in a list": [np.array(LARGE), 0.5],
    "past int64, with a sign": [2**63, -1],
    "past every float": [10**400, 0.5],
    "Decimal": [Decimal("0.1"), Decimal(1)],
    "Decimal and float": [Decimal("0.1"), 0.5],
    "Fraction": [Fraction(1, 3), 0.5],
    "an array of Fraction": np.array([Fraction(1, 3), Fraction(1)]),
    "objects that are floats": np.array([0.5, 1.0], dtype=object),
    "bool": [True, False],
    "bool and float": [True, 0.5],
    "a bool array": np.array([True, False]),
    "complex": np.array([1j, 0.0]),
    "a masked number": [np.ma.masked, 1.0],
    "a masked array": np.ma.array([1.0, 2.0], mask=[True, False]),
    "a masked array with nothing masked": np.ma.array([1.0, 2.0]),
    "times": np.array([1, 2], dtype="timedelta64[s]"),
}
if IS_WIDE:
    ROUNDED |= {
        "a long double array": np.array([1, 2], dtype=np.longdouble) / 3,
        "a long double array that doubles could hold": np.array([1, 2], dtype=np.longdouble),
        "a long double in a list": [np.longdouble(1) / 3, 0.5],
        "long double past every double": np.array([np.longdouble("1e4000"), 0]),
    }


@every_mechanism
@pytest.mark.parametrize("value", ROUNDED.values(), ids=ROUNDED.keys())
def test_what_a_double_cannot_hold_is_refused(mechanism, value):
    rng = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning would depend on the value
        for release in (mechanism.release, lambda v: mechanism.release(v, rng=rng)):
            with pytest.raises(InvalidValueError) as refusal:
                release(value)
            assert refusal.value.fix.endswith(".")
    assert rng.random() == np.random.default_rng(0).random()  # nothing was drawn


@pytest.mark.skipif(not IS_WIDE, reason="here a long double is a double")
def test_a_long_double_is_told_what_to_do():
    with pytest.raises(InvalidValueError, match="Convert it to float64"):
        MECHANISMS[0].release(np.array([1, 2], dtype=np.longdouble))


TAKEN = {
    "float64": np.array([0.1, -2.0]),
    "big-endian": np.array([0.1, -2.0], dtype=">f8"),
    "float32": np.array([0.1, -2.0], dtype=np.float32),
    "float16": np.array([0.1, -2.0], dtype=np.float16),
    "int8": np.array([-128, 127], dtype=np.int8),
    "uint64": np.array([2**53, 0], dtype=np.uint64),
    "int": [-(2**53), 2**53],
    "int and float": [2**53, 0.1],
    "NumPy's numbers": [np.float32(0.1), np.int8(3)],
    "arrays without dimension": [np.array(0.1), np.array(3)],
    "a buffer": array.array("d", [0.1, 0.2]),
    "a range": range(2),
    "a memory map's like": np.array([0.1, 0.2]).view(np.memmap),
}


@pytest.mark.parametrize("value", TAKEN.values(), ids=TAKEN.keys())
def test_what_a_double_holds_is_taken_exactly(value):
    doubles = exact_doubles(value, "")
    assert doubles.dtype == np.float64
    assert [Fraction(x) for x in doubles.tolist()] == [Fraction(np.asarray(x).item()) for x in value]


def test_series_of_pandas_and_polars():
    for series in (pd.Series, pl.Series):
        assert MECHANISMS[0].release(series([0.1, 2.0])).shape == (2,)
        assert exact_doubles(series([1, 2**53]), "").tolist() == [1.0, 2.0**53]
        for refused in (
            [LARGE, 2],
            [LARGE, None],
            [True, False],
            ["1", "2"],
            [Decimal("0.1")] * 2,
            [0.1, None],
        ):
            with pytest.raises(InvalidValueError):
                MECHANISMS[0].release(series(refused))
    with pytest.raises(InvalidValueError):  # polars has no such array of NumPy, and says so by its own error
        MECHANISMS[0].release(pl.Series([1, 2], dtype=pl.Int128))


def test_a_foreign_error_that_quotes_the_value_is_not_passed_on():
    class Talks:
        def __array__(self, *_: object, **__: object) -> np.ndarray:
            raise RuntimeError("cannot convert 7654.321")

    with pytest.raises(InvalidValueError) as refusal:
        MECHANISMS[0].release(Talks())
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None
    assert "7654" not in str(refusal.value)


@pytest.mark.parametrize("query", [clipped_sum, clipped_mean])
@pytest.mark.parametrize(
    "records",
    [
        np.ma.array([1.0, 2.0], mask=[True, False]),
        np.array([1 + 2j, 3.0]),
        [1 + 2j, 3.0],
        ["7654.321", "1"],
        np.array(["2020-01-01"], dtype="datetime64[D]"),
        [Decimal("0.1")],
        [None, 1.0],
        [[1.0], [1.0, 2.0]],
        np.array([np.longdouble("1e4000")]),
    ],
    ids=lambda records: f"{type(records).__name__}-{records!s:.15}",
)
def test_records_that_are_no_numbers_are_refused_without_a_word_of_them(query, records):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidValueError) as refusal:
            query(records, 10.0)
    assert "7654" not in str(refusal.value)


def test_records_may_be_of_any_real_type_as_each_is_rounded_before_it_is_clipped():
    for records in (
        [True, False],
        np.array([1, 0], dtype=np.longdouble),
        [1, 0.0],
        np.array([1, 0], np.uint8),
    ):
        assert clipped_sum(records, 10.0).value.tolist() == [1.0]
