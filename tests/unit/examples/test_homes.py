"""Made-up homes: the same each time, by the recipe that the page states."""

import csv
from pathlib import Path

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError, UnwrittenError
from relgauss.examples import make_homes, write_homes


def test_homes_are_the_same_each_time():
    (first, prices), (again, same_prices) = make_homes(500), make_homes(500)
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(prices, same_prices)


def test_prices_follow_the_stated_formula():
    X, y = make_homes()
    in_port = 80_000 * 0.2
    least_squares = np.linalg.lstsq(np.column_stack((X, np.ones(len(X)))), y, rcond=None)[0]
    np.testing.assert_allclose(least_squares[:3], (900, 15_000, -400), rtol=0.05)
    assert least_squares[3] == pytest.approx(in_port, abs=3_000)
    assert y.min() >= 5_000


def test_the_file_holds_the_same_homes(tmp_path: Path):
    write_homes(tmp_path / "homes.csv", 200)
    X, y = make_homes(200)
    with (tmp_path / "homes.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["town"] for row in rows} == {"hill", "mill", "port"}
    np.testing.assert_array_equal(
        [[float(row[each]) for each in ("area", "rooms", "age")] for row in rows], X
    )
    np.testing.assert_array_equal([float(row["price"]) for row in rows], y)


def test_a_file_that_is_there_stays(tmp_path: Path):
    (tmp_path / "homes.csv").write_text("mine")
    with pytest.raises(UnwrittenError):
        write_homes(tmp_path / "homes.csv", 5)
    assert (tmp_path / "homes.csv").read_text() == "mine"


@pytest.mark.parametrize("rows", [0, -1, 1.5, "many"])
def test_a_number_of_rows_that_is_none(rows: object):
    with pytest.raises(InvalidParameterError, match="rows"):
        make_homes(rows)
