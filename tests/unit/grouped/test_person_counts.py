"""What became of persons and rows is told with noise, and rows that were cut are counted."""

import math

import numpy as np
import pandas as pd
import pytest

from relgauss.grouped.kept_rows import keep_within
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.person_counts import fates_of_persons, noisy_fates
from relgauss.grouped.table_rows import TableRows
from relgauss.records.tables import open_table


def exact(data: pd.DataFrame, bounds: PersonBounds) -> list[float]:
    with open_table(data) as table:
        rows = TableRows.of(table, ["job"], ["pay"], "who")
        kept = keep_within(rows, bounds, "left out", "key")
        return fates_of_persons(rows, kept, bounds, True).tolist()


def test_rows_cut_are_counted_for_each_person_up_to_what_may_be_kept():
    rows = {"few": 2, "some": 5, "flood": 1_000}
    who = np.repeat(list(rows), list(rows.values()))
    data = pd.DataFrame({"who": who, "job": "a", "pay": 1.0})
    assert exact(data, PersonBounds(4, 1)) == [1, 2, 0, 1 + 4]
    moved = pd.concat([data, pd.DataFrame({"who": ["few"] * 3, "job": ["b", "b", None], "pay": 1.0})])
    assert exact(moved, PersonBounds(4, 1))[3] == pytest.approx(1 + 4 + 2, abs=0), "one group is kept"


def test_replacing_a_person_moves_the_counts_by_no_more_than_noise_is_for():
    bounds = PersonBounds(3, 2)
    whole = pd.DataFrame({"who": ["x"] * 2, "job": ["a", "b"], "pay": 1.0})
    flood = pd.DataFrame({"who": ["x"] * 90, "job": ["a", "b", "c"] * 30, "pay": 1.0})
    nowhere = pd.DataFrame({"who": ["x"], "job": pd.Series([None], dtype="object"), "pay": 1.0})
    others = pd.DataFrame({"who": ["y"] * 9, "job": "a", "pay": 1.0})
    found = [np.array(exact(pd.concat([others, each]), bounds)) for each in (whole, flood, nowhere)]
    scale = [1, 1, 1, bounds.rows * bounds.groups]
    moves = [np.linalg.norm((a - b) / scale) for a in found for b in found]
    assert max(moves) == pytest.approx(math.sqrt(3))


def test_noise_is_for_that_and_told():
    counts, mu = np.array([900.0, 90.0, 0.0, 400.0]), 0.5
    rng = np.random.default_rng(3)
    told = [noisy_fates(counts, 6, True, mu, rng) for _ in range(400)]
    assert told[0].noise_std == pytest.approx(math.sqrt(3) / mu, rel=1e-3)
    assert told[0].rows_cut_std == pytest.approx(6 * math.sqrt(3) / mu, rel=1e-3)
    assert np.std([each.rows_cut for each in told]) == pytest.approx(told[0].rows_cut_std, rel=0.2)
    assert np.mean([each.rows_cut for each in told]) == pytest.approx(400, abs=5)
    one_row = noisy_fates(np.array([900.0, 0.0, 5.0, 0.0]), 0, True, mu, rng)
    assert one_row.cut == one_row.rows_cut == one_row.rows_cut_std == 0
