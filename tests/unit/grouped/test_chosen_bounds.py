"""Bounds that nobody gave are chosen from a noisy histogram of persons."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from relgauss.grouped.chosen_bounds import EDGES, choose_bounds, histograms
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_rows import TableRows
from relgauss.records.tables import open_table

MU = 1.0


def choose(
    table: pa.Table, rows: int | None = None, groups: int | None = None, seed: int = 0
) -> PersonBounds:
    with open_table(table) as opened:
        all_rows = TableRows.of(opened, ["job"], [], "who")
        return choose_bounds(histograms(all_rows, "left out"), rows, groups, MU, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """2,000 persons: 1,700 with one row, 300 with 20 rows in each of two jobs."""
    light = [(f"l{n}", "a") for n in range(1700)]
    heavy = [(f"h{n}", job) for n in range(300) for job in ("a", "b") for _ in range(20)]
    who, job = zip(*light, *heavy, strict=True)
    return pa.table({"who": who, "job": job})


def test_nine_persons_in_ten_keep_their_rows(table: pa.Table):
    assert choose(table) == PersonBounds(rows=24, groups=2)
    assert choose(table, rows=5) == PersonBounds(rows=5, groups=2)
    assert choose(table, groups=1) == PersonBounds(rows=24, groups=1)


def test_every_person_is_counted_once(table: pa.Table):
    more = pa.concat_tables(
        [table, pa.table({"who": ["m", "m", None, None], "job": pa.array([None, None, None, "a"])})]
    )
    with open_table(more) as opened:
        rows = TableRows.of(opened, ["job"], [], "who")
        assert histograms(rows, "left out").sum(axis=1).tolist() == [2001, 2001]
        assert histograms(rows, "a person each").sum(axis=1).tolist() == [2003, 2003]


def test_one_heavy_person_decides_nothing(table: pa.Table):
    flood = pa.table({"who": ["flood"] * 5000, "job": [f"j{n}" for n in range(5000)]})
    for seed in range(5):
        assert choose(pa.concat_tables([table, flood]), seed=seed) == choose(table, seed=seed)


def test_edges_grow():
    assert EDGES[0] == 1
    assert all(low < high <= 2 * low for low, high in pairwise(EDGES))
