"""A node's table: each value counts by a public rule, and only shape and type are refused."""

import warnings

import numpy as np
import pytest

from relgauss.errors import InvalidValueError
from relgauss.nodes.table import class_labels, read_table


def test_the_rules_of_a_table():
    odd = [np.nan, np.inf, -np.inf, 1e308, -1e101, 5e-324, -2.5]
    rows = read_table([odd], [np.nan])
    np.testing.assert_array_equal(rows.features[0], [0.0, 1e100, -1e100, 1e100, -1e100, 5e-324, -2.5])
    np.testing.assert_array_equal(rows.labels, [0.0])
    np.testing.assert_array_equal(class_labels(np.array([*odd, 0.0, 2.0])), [-1, 1, -1, 1, -1, 1, -1, -1, 1])
    longer = np.array([[1.0]], dtype=np.longdouble) * np.longdouble(1e308) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_table(longer, [1]).features[0, 0] == 1e100


@pytest.mark.parametrize(
    "bad", [[["1.0"]], [[1j]], [[None]], [[1.0], [1.0, 2.0]], np.ma.array([[1.0]], mask=[[True]])]
)
def test_a_table_that_is_no_table_of_numbers_is_refused_by_its_type(bad):
    with pytest.raises(InvalidValueError, match="not an array of real numbers"):
        read_table(bad, [1.0])
