"""Sums of records: exact, the same in every order, and never further apart than the stated sensitivity."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import relgauss as rg
from relgauss.bounded import BoundedAnswer, clipped_mean, clipped_sum, lattice_total
from relgauss.errors import InvalidParameterError, InvalidValueError

QUERIES = (clipped_sum, clipped_mean)
SIZES = st.integers(1, 4)
BOUNDS = st.floats(1e-6, 1e6)


def finite(limit: float = 1e300) -> st.SearchStrategy[float]:
    return st.floats(-limit, limit)


def exact_distance_squared(a: np.ndarray, b: np.ndarray) -> Fraction:
    return sum(
        ((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(a.tolist(), b.tolist(), strict=True)), Fraction()
    )


def exceeds(answer: BoundedAnswer, other: BoundedAnswer) -> bool:
    """Whether two answers are further apart than the sensitivity says, in exact arithmetic."""
    assert answer.sensitivity == other.sensitivity
    return exact_distance_squared(answer.value, other.value) > Fraction(answer.sensitivity.r) ** 2


# The same answer in every order, in any chunks, in any memory layout


def orders(rows: np.ndarray) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    shuffled = [rows[rng.permutation(len(rows))] for _ in range(5)]
    return [rows, rows[::-1], np.asfortranarray(rows), np.repeat(rows, 2, axis=0)[::2], *shuffled]


def number_of_answers(query, rows: np.ndarray) -> int:
    return len({tuple(query(version)) for version in orders(rows)})


RECORDS = np.random.default_rng(0).normal(size=(70_000, 3)) * np.array([1.0, 1e-3, 1e3])


@pytest.mark.parametrize("query", QUERIES)
def test_the_order_of_the_records_does_not_matter(query):
    assert number_of_answers(lambda rows: query(rows, 50.0).value, RECORDS) == 1


def test_the_check_sees_that_a_floating_point_sum_depends_on_the_order():
    assert number_of_answers(lambda rows: rows.sum(axis=0), RECORDS) > 1


@pytest.mark.parametrize("cuts", [[1], [10, 11], [65_536], [65_535, 65_537], list(range(0, 70_000, 999))])
def test_totals_of_chunks_add_up(cuts):
    totals = [lattice_total(chunk, -30) for chunk in np.split(RECORDS, cuts) if len(chunk)]
    assert [sum(column) for column in zip(*totals, strict=True)] == lattice_total(RECORDS, -30)


# Exact


@given(arrays(np.float64, st.tuples(st.integers(1, 20), SIZES), elements=finite(1e280)), st.integers(-60, 60))
def test_the_total_is_exact(rows, exponent):
    step = Fraction(2) ** exponent
    expected = [sum(round(Fraction(x) / step) for x in column) for column in rows.T.tolist()]
    assert lattice_total(rows, exponent) == expected


def test_large_totals_do_not_wrap_around():
    rows = np.full((70_000, 1), 2.0**46)
    assert lattice_total(rows, 0) == [70_000 * 2**46]
    assert lattice_total(rows, -20) == [70_000 * 2**66]
    assert lattice_total(-rows, 0) == [-70_000 * 2**46]


def test_the_check_sees_that_plain_int64_wraps_around():
    assert np.full(2**20, 2**46, dtype=np.int64).sum() != 2**66


@pytest.mark.parametrize("query", QUERIES)
@given(data=st.data())
def test_the_answer_is_close_to_the_exact_one(query, data):
    count = data.draw(st.integers(1, 50))
    values = np.array(data.draw(st.lists(finite(2.0), min_size=count, max_size=count)))
    exact = sum((min(max(Fraction(v), Fraction(-1)), Fraction(1)) for v in values.tolist()), Fraction())
    answer = query(values, 1.0)
    if query is clipped_mean:
        exact /= count
    assert abs(Fraction(answer.value[0]) - exact) <= count * Fraction(2) ** -44


def test_a_short_record_is_kept_and_a_long_one_keeps_its_direction():
    np.testing.assert_array_equal(clipped_sum([[0.5, -0.25]], 1.0).value, [0.5, -0.25])
    np.testing.assert_allclose(clipped_sum([[3e200, 4e200]], 1.0).value, [0.6, 0.8], rtol=1e-12)
    np.testing.assert_allclose(clipped_sum([[3e-100, 4e-100]], 1e-110).value, [6e-111, 8e-111], rtol=1e-12)


# The sensitivity


@pytest.mark.parametrize("query", QUERIES)
@given(data=st.data())
def test_replacing_one_record_moves_the_answer_by_at_most_the_sensitivity(query, data):
    dim, bound = data.draw(SIZES), data.draw(BOUNDS)
    near_bound = st.sampled_from(
        [-bound, bound, bound / math.sqrt(dim), math.nextafter(bound, 0), -2 * bound, 0.0]
    )
    row = arrays(np.float64, dim, elements=finite() | finite(bound) | near_bound)
    rows = np.array(data.draw(st.lists(row, min_size=1, max_size=6)))
    centre = data.draw(st.sampled_from([0.0, bound, -bound / 3]))
    neighbour = rows.copy()
    neighbour[0] = data.draw(row | st.just(2 * centre - rows[0]))
    assert not exceeds(query(rows, bound, centre), query(neighbour, bound, centre))


@pytest.mark.parametrize("query", QUERIES)
def test_the_check_sees_a_sensitivity_without_the_charge_for_rounding(query):
    """0.9 rounds up on the lattice, so 0.9 and -0.9 end further apart than 1.8."""
    answer, other = query([0.9, 0.0], 0.9), query([-0.9, 0.0], 0.9)
    assert not exceeds(answer, other)
    divisor = 2 if query is clipped_mean else 1
    unrounded = rg.AbsoluteSensitivity(1.8 / divisor)
    assert exceeds(BoundedAnswer(answer.value, unrounded), BoundedAnswer(other.value, unrounded))


def test_the_check_sees_a_sum_that_does_not_clip():
    unit = rg.AbsoluteSensitivity(2.0)
    assert exceeds(BoundedAnswer(np.array([5.0]), unit), BoundedAnswer(np.array([0.0]), unit))


@given(st.integers(1, 3000), SIZES, BOUNDS)
def test_rounding_costs_next_to_nothing(count, dim, bound):
    rows = np.zeros((count, dim))
    assert clipped_sum(rows, bound).sensitivity.r <= 2 * bound * (1 + 1e-11)
    assert clipped_mean(rows, bound).sensitivity.r <= 2 * bound / count * (1 + 1e-11)


def test_a_centre_halves_the_sensitivity_of_values_that_are_never_negative():
    values = np.array([0.0, 30.0, 100.0, 250.0])
    centred, plain = clipped_sum(values, 50.0, centre=50.0), clipped_sum(values, 100.0)
    assert centred.value == plain.value == [230.0]
    assert centred.sensitivity.r == pytest.approx(plain.sensitivity.r / 2, rel=1e-9)


@pytest.mark.parametrize("query", QUERIES)
def test_the_sensitivity_and_the_lattice_are_public(query):
    """Neither depends on the records, only on their number."""
    answers = [query(np.full((7, 2), value), 3.0) for value in (0.0, 1.0, 1e300, -5e-324)]
    assert len({answer.sensitivity.r for answer in answers}) == 1
    step = 2.0**-60
    assert all((answer.value / step == np.rint(answer.value / step)).all() for answer in answers)


def test_answer_and_sensitivity_make_a_release():
    answer = clipped_mean(RECORDS, 50.0)
    mechanism = rg.Gaussian(answer.sensitivity, 3, noise_multiplier=4.0)
    assert mechanism.release(answer.value).shape == (3,)
    assert answer.sensitivity.provenance == "enforced"


def test_the_answer_cannot_be_changed_apart_from_its_sensitivity():
    answer = clipped_sum([1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match="read-only"):
        answer.value[0] = 100.0


# Refusals


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    "records",
    [
        [1.0, math.nan],
        [[1.0, math.inf]],
        [],
        np.zeros((0, 3)),
        np.zeros((2, 0)),
        1.0,
        np.zeros((2, 2, 2)),
        ["a"],
    ],
)
def test_bad_records_are_refused(query, records):
    with pytest.raises(InvalidValueError):
        query(records, 1.0)


def test_the_message_shows_no_record():
    with pytest.raises(InvalidValueError) as refusal:
        clipped_sum([123456.75, math.nan], 1.0)
    assert "123456" not in str(refusal.value)


@pytest.mark.parametrize("bound", [0, -1, math.nan, math.inf, 1e-141, 1e141, "1", None])
def test_a_bad_bound_is_refused(bound):
    with pytest.raises(InvalidParameterError, match="bound"):
        clipped_sum([1.0], bound)


@pytest.mark.parametrize("centre", [math.nan, math.inf, [1.0, 2.0, 3.0], "x", 1e13])
def test_a_bad_centre_is_refused(centre):
    with pytest.raises(InvalidParameterError, match="centre"):
        clipped_sum([[1.0, 2.0]], 1.0, centre)


def test_a_total_beyond_the_lattice_is_refused():
    with pytest.raises(InvalidValueError, match="lattice"):
        lattice_total([1e300], -100)
