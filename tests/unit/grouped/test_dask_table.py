"""A Dask data frame gives the same table as the frame that it was made from."""

from decimal import Decimal
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, TableError
from relgauss.grouped import TableRelease, release_table
from relgauss.grouped.cell_tables import number_groups
from relgauss.grouped.dask_table import DaskTable
from relgauss.grouped.gathered import persons_by_group
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_question import checked_question


def staff() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(200), rng.integers(1, 9, 200))
    job = rng.choice(["a", "b", "c"], who.size).astype(object)
    job[:5] = None
    pay = np.exp(rng.normal(10, 0.3, who.size))
    pay[7] = np.nan
    frame = pd.DataFrame({"who": who, "job": job, "pay": pay, "bill": [f"${x:,.2f}" for x in pay]})
    return frame.sample(frac=1, random_state=1)


STAFF = staff()


def release(data: Any, **options: Any) -> TableRelease:
    settings = {"by": "job", "values": {"pay": ["mean"]}, "epsilon": 5.0, "delta": 1e-6, **options}
    return release_table(data, rng=np.random.default_rng(3), **settings)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"groups": "private"},
        {"groups": ["b", "z"]},
        {"person": "who", "groups": "private"},
        {"values": {"bill": ["mean"]}, "numbers": "$1,234.50", "signs": "positive"},
    ],
)
def test_the_same_table_as_from_a_frame(options: dict[str, Any]):
    with dask.config.set(scheduler="synchronous"):
        on_cluster = release(dd.from_pandas(STAFF, npartitions=5, sort=False), **options)
    here = release(STAFF, **options)
    pd.testing.assert_frame_equal(on_cluster.to_pandas(), here.to_pandas())
    assert on_cluster.total() == here.total()
    assert on_cluster.fates == here.fates
    assert on_cluster.rows_without_group == here.rows_without_group
    assert "Dask collection" in str(on_cluster.privacy)


def test_floats_in_a_column_in_percent_are_numbers_as_from_a_frame():
    """If Dask leaves cells their types, which it does only where it is told to."""
    rates = pd.Series([(1.0, 0.25, "30 %", 1)[place % 4] for place in range(len(STAFF))], dtype=object)
    data = STAFF.assign(rate=rates.to_numpy())
    asked = {"values": {"rate": ["mean", "missing"]}, "numbers": {"rate": "1234.5 %"}, "epsilon": 500.0}
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        on_cluster = release(dd.from_pandas(data, npartitions=5, sort=False), **asked)
    here = release(data, **asked)
    pd.testing.assert_frame_equal(on_cluster.to_pandas(), here.to_pandas())
    assert here.total()["rate_mean"] == pytest.approx((1.0 + 0.25 + 0.3) / 3, abs=0.02)


def test_many_rows_at_the_end_of_the_range_do_not_overflow():
    rows = pd.DataFrame({"job": ["a"] * 200, "pay": [np.inf, -np.inf] * 100})
    with dask.config.set(scheduler="synchronous"):
        on_cluster = release(dd.from_pandas(rows, npartitions=2, sort=False))
    pd.testing.assert_frame_equal(on_cluster.to_pandas(), release(rows).to_pandas())


IDS = [1, 2, 3, 4]
PERSONS = {
    "whole numbers and floats": (pd.Series(IDS), pd.Series([1.0, 2.0, None, 4.0])),
    "the same as objects": (pd.Series(IDS, dtype=object), pd.Series([1.0, 2.0, None, 4.0], dtype=object)),
    "as texts": (pd.Series(["1", "2", "3", "4"]), pd.Series(["1.0", "2.0", None, "4.0"])),
    "texts and numbers": (pd.Series(["1", "2", "3", "4"]), pd.Series(IDS)),
    "zeros": (pd.Series([0.0] * 4), pd.Series([-0.0] * 4)),
    "parts": (pd.Series([1.5, 2.5, 3.5, 4.5]), pd.Series(["1.5", "2.5", "3.5", "4.5"])),
    "longer": (
        pd.Series([2**53, 10**16, 10**17, 10**18]),
        pd.Series([2.0**53, 1e16, None, Decimal(10**18)], dtype=object),
    ),
    "longer, as texts": (
        pd.Series([10**5, 10**16, 2**60, 7]),
        pd.Series(["1e+05", "1E16", repr(2.0**60), "7.0E0"]),
    ),
    "long": (pd.Series([2**53 - 1.0] * 4), pd.Series([f"{2**53 - 1}", f"{2**53 - 1}.0"] * 2)),
}


@pytest.mark.parametrize("kind", PERSONS)
def test_a_person_is_one_however_a_partition_writes_them(kind: str):
    """Else one person would be two, with twice as many rows as the noise hides."""
    question = checked_question(
        by="job",
        values={"pay": ["mean"]},
        person="who",
        groups=["a"],
        rows_per_person=1,
        groups_per_person=1,
        without_person="left out",
        value_range=(1, 1e6),
        signs="both",
        missing="leave out",
        weights=None,
        totals=True,
    )
    frames = [pd.DataFrame({"job": "a", "pay": 1.0, "who": who}) for who in PERSONS[kind]]
    parts = [dask.delayed(frame) for frame in frames]
    whole = dd.from_delayed(parts, meta=frames[0].iloc[:0], verify_meta=False)
    with dask.config.set(scheduler="synchronous"):
        source = DaskTable(whole, question, None)
        with source.gathered(PersonBounds(1, 1), "00" * 32) as (kept, fates):
            persons = persons_by_group(kept, number_groups(kept))
    expected = len({float(each) for who in PERSONS[kind] for each in who.dropna()})
    assert persons.tolist() == [expected]
    assert fates[:3].sum() == expected


def test_mistakes():
    frame = dd.from_pandas(STAFF, npartitions=2)
    with pytest.raises(InvalidParameterError, match="left out for Dask"):
        release(frame, query="FROM data")
    with pytest.raises(TableError, match="'wage'"):
        release(frame, values={"wage": ["mean"]})
    with pytest.raises(TableError, match="'bill' does not hold numbers"):
        release(frame, values={"bill": ["mean"]})
