"""An answer that carries its bound never moves by more when one record is replaced, and nearly that far."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.arrays import row_norms
from relgauss.bounded import BoundedAnswer
from relgauss.bounded.answer import bounded_mean
from relgauss.bounded.histogram import count_cells
from relgauss.descent.clipped_gradients import clipped_pull
from relgauss.descent.clipping_bias import cut_gradients
from relgauss.descent.objectives import Logistic, Objective, Squared
from relgauss.descent.softmax import Softmax
from relgauss.descent.solution_noise import clipped_curvature, gradient_scatter
from relgauss.estimate.whitening import mean_row, second_moments
from relgauss.linear_model.class_check import class_loss_gain, log_loss_gain
from relgauss.linear_model.class_shares import labels_of_no_class, share_of_second
from relgauss.linear_model.final_check import gain, mean_residual
from relgauss.records.blocks import ArrayRows, Block, Rows, block_rows

RADIUS, LABEL, THRESHOLD, BOUND = 2.5, 1.5, 0.75, 1.25
THETA = np.array([1.0, -0.5, 2.0])
DIM = 3
CLASSES = Softmax(np.array([0.2, 0.3, 0.5]))
THETAS = np.concatenate([THETA, -THETA / 2])
LAST_APART = np.kron(np.linalg.lstsq(CLASSES.mixing, [-1.0, -1.0, 2.0], rcond=None)[0], THETA)


def rows_of(features: np.ndarray, labels: np.ndarray) -> Rows:
    rows = ArrayRows(features, labels)
    with np.errstate(over="ignore"):
        return rows.changed(lambda block: (block.features, block.labels), rows.columns)


def clipped_gradient(objective: Objective) -> Callable[[Rows], BoundedAnswer]:
    return lambda rows: clipped_pull(rows, THETA, objective, THRESHOLD)


ANSWERS: dict[str, Callable[[Rows], BoundedAnswer]] = {
    "mean row": lambda rows: mean_row(rows, RADIUS, LABEL),
    "second moments": lambda rows: second_moments(rows, RADIUS),
    "squared gradient": clipped_gradient(Squared()),
    "logistic gradient": clipped_gradient(Logistic()),
    "mean residual": lambda rows: mean_residual(rows, THETA, 2, BOUND, LABEL, (-0.5, RADIUS), LABEL / 2),
    "gain": lambda rows: gain(rows, THETA, 2, BOUND, LABEL),
    "gain without an intercept": lambda rows: gain(rows, THETA, 3, LABEL, LABEL),
    "gain in log-loss": lambda rows: log_loss_gain(rows, THETA, -1.0, (-4.0, 4.0)),
    "gain in log-loss of a rare class": lambda rows: log_loss_gain(rows, THETA, -4.6, (-1.2, 4.0)),
    "share of the second class": share_of_second,
    "curvature": lambda rows: clipped_curvature(rows, THETA, Squared(), THRESHOLD, RADIUS),
    "scatter": lambda rows: gradient_scatter(rows, THETA, Squared(), THRESHOLD),
    "logistic curvature": lambda rows: clipped_curvature(rows, THETA, Logistic(), 1e9, RADIUS),
    "logistic scatter": lambda rows: gradient_scatter(rows, THETA, Logistic(), THRESHOLD),
    "softmax gradient": lambda rows: clipped_pull(rows, THETAS, CLASSES, THRESHOLD),
    "softmax curvature": lambda rows: clipped_curvature(rows, THETAS, CLASSES, 1e9, RADIUS),
    "softmax scatter": lambda rows: gradient_scatter(rows, THETAS, CLASSES, THRESHOLD),
    "gain in log-loss of classes": lambda rows: class_loss_gain(
        rows, LAST_APART, CLASSES, np.array([0.5, 0.0, -0.5]), 2.0
    ),
    "gain of tiny scores": lambda rows: class_loss_gain(rows, LAST_APART, CLASSES, np.zeros(3), 1e-90),
    "labels of no class": labels_of_no_class,
    "cut gradients": lambda rows: cut_gradients(rows, THETA, Squared(), THRESHOLD, 3 * THRESHOLD),
    "bounded mean": lambda rows: bounded_mean(
        rows, lambda block: np.clip(block.labels, -1, 1).sum(keepdims=True), largest=1.0, apart=2.0
    ),
}
# Two records whose contributions are as far apart as the clipping allows.
FARTHEST = {
    "mean row": (([1e3, 0.0, 0.0], 1e3), ([-1e3, 0.0, 0.0], -1e3)),
    "second moments": (([1e3, 0.0, 0.0], 0.0), ([0.0, -1e3, 0.0], 0.0)),
    "squared gradient": (([0.0, 9.0, 0.0], 1e3), ([0.0, 9.0, 0.0], -1e3)),
    "logistic gradient": (([50.0, 100.0, 0.0], 1.0), ([50.0, 100.0, 0.0], -1.0)),
    "mean residual": (([0.0, 0.0, 1.0], 1e3), ([0.0, 0.0, 1.0], -1e3)),
    "gain": (([1e3, 0.0, 1.0], 1e3), ([1e3, 0.0, 1.0], -1e3)),
    "gain without an intercept": (([1e3, 0.0, 0.0], 1e3), ([-1e3, 0.0, 0.0], 1e3)),
    "gain in log-loss": (([1e3, 0.0, 0.0], 1.0), ([-1e3, 0.0, 0.0], 1.0)),
    "gain in log-loss of a rare class": (([1e3, 0.0, 0.0], 1.0), ([-1e3, 0.0, 0.0], 1.0)),
    "share of the second class": (([0.0, 0.0, 0.0], 0.0), ([0.0, 0.0, 0.0], 1e3)),
    "curvature": (([1e3, 2e3, 0.0], 0.0), ([-4e3, 2e3, 2.5e3], 0.0)),
    "scatter": (([0.0, 9.0, 0.0], 1e3), ([9.0, 0.0, 0.0], 1e3)),
    "logistic curvature": (([1e3, 2e3, 0.0], 0.0), ([-4e3, 2e3, 2.5e3], 0.0)),
    "logistic scatter": (([50.0, 100.0, 0.0], 1.0), ([200.0, -100.0, -125.0], -1.0)),
    "softmax gradient": (([50.0, 100.0, 0.0], -1.0), ([-50.0, -100.0, 0.0], -1.0)),
    "softmax curvature": (([50.0, 100.0, 0.0], -1.0), ([200.0, -100.0, -125.0], -1.0)),
    "softmax scatter": (([50.0, 100.0, 0.0], -1.0), ([200.0, -100.0, -125.0], -1.0)),
    "gain in log-loss of classes": (([1e3, 0.0, 0.0], 1.0), ([-1e3, 0.0, 0.0], 1.0)),
    "gain of tiny scores": (([1e3, 0.0, 0.0], 1.0), ([-1e3, 0.0, 0.0], 1.0)),
    # The one beyond the second norm, the other just short of it.
    "cut gradients": (
        ([0.0, 9.0, 0.0], 1e3),
        ([0.0, 9.0, 0.0], 9.0 * THETA[1] - (1 - 1e-12) * 3 * THRESHOLD / 9),
    ),
    "labels of no class": (([0.0, 0.0, 0.0], -1.0), ([0.0, 0.0, 0.0], 2.0)),
    "bounded mean": (([0.0, 0.0, 0.0], 5.0), ([0.0, 0.0, 0.0], -5.0)),
}
EXTREMES = [0.0, -0.0, 5e-324, -1e-160, 1e-9, 1.0, -1.0, RADIUS, -RADIUS, 1e6, -1e6, 2.0**20, 1e150, -1e150]

numbers = st.one_of(st.sampled_from(EXTREMES), st.floats(-1e3, 1e3), st.floats(-1e150, 1e150))
records = st.tuples(
    st.lists(numbers, min_size=DIM, max_size=DIM), st.one_of(numbers, st.sampled_from([-1.0, 1.0]))
)
tables = st.lists(records, min_size=1, max_size=12)


def moved(
    answer: Callable[[Rows], BoundedAnswer], table: list, record: tuple, place: int
) -> tuple[float, float]:
    """How far the answer moves, and how far it says it may."""
    replaced = [*table[:place], record, *table[place + 1 :]]
    first, second = (
        answer(
            rows_of(
                np.array([row for row, _ in each], dtype=float), np.array([y for _, y in each], dtype=float)
            )
        )
        for each in (table, replaced)
    )
    assert first.sensitivity == second.sensitivity, "the bound depends on the records"
    return float(np.linalg.norm(first.value - second.value)), first.sensitivity.r


def check_bound(
    answer: Callable[[Rows], BoundedAnswer], table: list, record: tuple, place: int
) -> tuple[float, float]:
    distance, bound = moved(answer, table, record, place)
    assert distance <= bound, "an answer moves by more than its bound"
    return distance, bound


@pytest.mark.parametrize("name", ANSWERS)
@given(data=st.data())
@settings(max_examples=45)
def test_no_record_moves_an_answer_beyond_its_bound(name: str, data: st.DataObject):
    table = data.draw(tables)
    record, place = data.draw(records), data.draw(st.integers(0, len(table) - 1))
    check_bound(ANSWERS[name], table, record, place)


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("count", [1, 7, 300])
def test_the_bound_is_nearly_attained(name: str, count: int):
    first, second = FARTHEST[name]
    others = [([0.1, 0.2, -0.3], 0.4)] * (count - 1)
    distance, bound = check_bound(ANSWERS[name], [*others, first], second, count - 1)
    assert distance > (1 - 1e-9) * bound


def in_single_precision(*, norms_of_single: bool, sums_in: type) -> Callable[[Rows], BoundedAnswer]:
    """Clipped gradients of rows that are rounded to single precision: proofs/float-sums.md, 5."""

    def block_sum(block: Block) -> np.ndarray:
        single = block.features.astype(np.float32)
        norms = row_norms(single.astype(np.float64)) if norms_of_single else block.norms
        pull = block.labels - single @ THETA.astype(np.float32)
        pull *= THRESHOLD / np.maximum(norms * np.abs(pull), THRESHOLD)
        contributions = (pull[:, None] * single).astype(sums_in)
        if sums_in is np.float32:  # rounded towards zero: the sums alone are at fault
            contributions = np.nextafter(contributions, np.float32(0))
        return np.cumsum(contributions, axis=0)[-1].astype(np.float64)

    return lambda rows: bounded_mean(rows, block_sum, largest=THRESHOLD, apart=2 * THRESHOLD)


def check_single_precision(answer: Callable[[Rows], BoundedAnswer]) -> None:
    """Two records as far apart as can be, in lengths that are no floats of single precision, among others."""
    for count in range(1, 40):
        length = 9.0 + count / 7
        first, second = (([0.0, length, 0.0], label) for label in (1e3, -1e3))
        check_bound(answer, [first] + [([0.1, 0.2, -0.3], 0.4)] * count, second, 0)


def test_rows_may_be_rounded_one_by_one_before_they_are_clipped_and_summed():
    check_single_precision(in_single_precision(norms_of_single=True, sums_in=np.float64))


@pytest.mark.parametrize(
    "planted",
    [
        in_single_precision(norms_of_single=False, sums_in=np.float64),
        in_single_precision(norms_of_single=True, sums_in=np.float32),
    ],
    ids=["norms of other rows than are summed", "sums in single precision"],
)
def test_single_precision_is_caught_where_it_breaks_the_bound(planted: Callable[[Rows], BoundedAnswer]):
    with pytest.raises(AssertionError, match="more than its bound"):
        check_single_precision(planted)


@pytest.mark.parametrize("name", ANSWERS)
def test_rows_on_the_radius_and_just_off_it(name: str):
    for scale in (1 - 1e-16, 1.0, 1 + 1e-16, 1 + 1e-15, 2.0):
        on = np.array([0.6, 0.0, 0.8]) * RADIUS * scale
        table = [(on.tolist(), LABEL), ((-on).tolist(), -LABEL), (on.tolist(), LABEL)]
        distance, bound = moved(ANSWERS[name], table, ((-on).tolist(), -LABEL), 0)
        assert distance <= bound


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_rounding_in_long_sums_is_within_the_bound(name: str, seed: int):
    """Many rows that nearly cancel, in several blocks, and a first record that shifts every partial sum."""
    rng = np.random.default_rng(seed)
    count = 2 * block_rows(DIM) + 77
    features = rng.normal(size=(count, DIM)) * 10.0 ** rng.integers(-12, 12, size=(count, 1))
    features[1::2] = -features[: 2 * (count // 2) : 2]
    labels = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    first, second = (np.array(each[0]) for each in FARTHEST[name])
    answers = []
    for row, (_, label) in zip((first, second), FARTHEST[name], strict=True):
        features[0], labels[0] = row, label
        answers.append(ANSWERS[name](rows_of(features.copy(), labels.copy())))
    distance = float(np.linalg.norm(answers[0].value - answers[1].value))
    assert distance <= answers[0].sensitivity.r
    assert distance > 0.74 * answers[0].sensitivity.r
    assert answers[0].sensitivity == answers[1].sensitivity


def test_the_bound_covers_a_sum_in_the_worst_order():
    """A sum that loses all that a float can lose: the allowance for rounding is there, and is small."""
    count = block_rows(1)
    rows = rows_of(np.zeros((count, 1)), np.ones(count))
    answer = bounded_mean(rows, lambda block: np.array([block.labels.sum()]), largest=1.0, apart=2.0)
    rounding = answer.sensitivity.r - 2 / count
    assert 2 * count * 2.0**-53 <= rounding < 1e-6 * 2 / count


def test_infinite_norms_lose_their_rows_rather_than_their_bound():
    """Rows so long that their norm overflows count as nothing."""
    features = np.full((3, DIM), 1e200)
    answer = mean_row(rows_of(features, np.zeros(3)), RADIUS, LABEL)
    assert answer.value == pytest.approx(np.zeros(DIM + 1))


@given(
    st.integers(1, 4),
    st.integers(2, 9),
    st.integers(1, 40),
    st.integers(0, 2**32),
)
def test_counts_move_by_two_in_each_histogram(histograms: int, cells: int, count: int, seed: int):
    rng = np.random.default_rng(seed)
    places = rng.integers(0, cells, size=(count, histograms))
    replaced = places.copy()
    replaced[0] = (replaced[0] + rng.integers(0, cells)) % cells
    first, second = (
        count_cells(
            ArrayRows(each.astype(float), np.zeros(count)),
            lambda block: block.features.astype(int).T,
            histograms,
            cells,
        )
        for each in (places, replaced)
    )
    distance = float(np.linalg.norm(first.value - second.value))
    assert distance <= first.sensitivity.r
    if (replaced[0] != places[0]).any():
        assert distance == pytest.approx(math.sqrt(2 * histograms))
        assert first.sensitivity.r == pytest.approx(distance, rel=1e-12)
    assert first.value.sum() == count * histograms
    assert first.value.reshape(histograms, cells).sum(axis=1).tolist() == [count] * histograms
