"""A small slice of ``python -m benchmarks columns``: intervals hold on columns as they are. Seeded."""

import numpy as np
import pytest

from .column_forms import FORMS, simulate

pytestmark = pytest.mark.statistical

GROUPS = 80
LEAST = 0.95 - 2.5 * np.sqrt(0.95 * 0.05 / GROUPS)
QUICK = [
    "normal around 0",
    "lognormal 1",
    "Pareto 2",
    "constant",
    "60 % zeros",
    "5 % at ×20",
    "integers 0 to 5",
]


@pytest.mark.parametrize(
    "form", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FORMS]
)
def test_means_and_clipped_means_are_held(form: str):
    cell = simulate(form, 1_000, 3.0, GROUPS)
    assert cell.clipped_held().mean() >= LEAST
    if not FORMS[form].far or cell.far_records > 6 * cell.count_std:
        assert cell.unflagged.mean() >= 0.9 or FORMS[form].far
        assert not cell.unflagged.any() or cell.held()[cell.unflagged].mean() >= LEAST


def test_an_interval_that_is_a_fifth_too_narrow_is_caught():
    held = [simulate(form, 1_000, 3.0, GROUPS).clipped_held(narrower=0.8).mean() for form in QUICK]
    assert np.mean(held) < 0.95 - 2 * np.sqrt(0.95 * 0.05 / (GROUPS * len(QUICK)))


@pytest.mark.parametrize(
    ("form", "most"),
    [
        ("60 % zeros", 0.10),
        ("90 % zeros", 0.30),
        ("lognormal 2", 0.30),
        ("5 % at ×20", 0.15),
        ("normal around 0", 0.10),
    ],
)
def test_errors_of_means(form: str, most: float):
    assert simulate(form, 1_000, 1.0, GROUPS).error(FORMS[form].signs) <= most
