"""Rows are in the same group, and of the same person, if and only if what they say is the same text."""

import math

import pyarrow as pa
import pytest

from relgauss.grouped.table_rows import TableRows
from relgauss.records.tables import open_table

FLOATS = [pa.float32(), pa.float64()]


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_a_number_that_is_none_is_nobody(kind: pa.DataType):
    """Else all rows without a number would be those of one person, of whom few are kept."""
    who = pa.array([1.0, math.nan, None, -math.nan], kind)
    with open_table(pa.table({"who": who, "job": ["a"] * 4})) as table:
        rows = TableRows.of(table, ["job"], [], "who")
        found = [person for (person,) in table.rows(f"SELECT p FROM {rows.source}")]
    assert found == ["1.0", None, None, None]
