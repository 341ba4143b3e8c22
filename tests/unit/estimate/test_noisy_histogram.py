"""What noisy counts show: spans, and that far away it takes more to be believed."""

import numpy as np
import pytest

from relgauss.estimate.noisy_histogram import Span, anchored_span, visible_span


def histogram(**counts: float) -> np.ndarray:
    """A histogram of 101 cells with a few counts, in noise levels: c40=20 puts 20 into cell 40."""
    cells = np.zeros(101)
    for name, count in counts.items():
        cells[int(name[1:])] = count
    return cells


def anchored(cells: np.ndarray) -> Span | None:
    return anchored_span(cells, 1.0, caution=4.5, far_caution=6.0, near=3)


def test_the_span_of_what_is_visible():
    assert visible_span(histogram(c40=20, c44=5), 1.0, 4.5) == Span(40, 44)
    assert visible_span(histogram(c40=4), 1.0, 4.5) is None


def test_several_cells_together_are_visible():
    assert visible_span(histogram(c40=4, c41=4), 1.0, 4.5) == Span(40, 41)


@pytest.mark.parametrize("far", [10, 36, 44, 90])
def test_a_count_far_from_what_is_sure_must_be_sure_itself(far: int):
    doubtful, sure = histogram(c40=20, **{f"c{far}": 5.0}), histogram(c40=20, **{f"c{far}": 7.0})
    assert anchored(doubtful) == Span(40, 40)
    assert anchored(sure) == Span(*sorted((40, far)))


def test_next_to_what_is_sure_less_is_enough():
    assert anchored(histogram(c40=20, c43=5)) == Span(40, 43)
    assert anchored(histogram(c40=20, c37=5)) == Span(37, 40)


def test_where_nothing_is_sure_the_fullest_cell_counts():
    assert anchored(histogram(c40=5.5, c42=5, c80=5)) == Span(40, 42)
    assert anchored(histogram(c40=4)) is None
