"""A blank line of a CSV file is no row; a line with fields is one, whatever they hold."""

from pathlib import Path

import pytest

from relgauss.records.tables import open_table


def numbers_in(data: object) -> list[float | None]:
    with open_table(data) as table:
        return [row[0] for row in table.rows(f"SELECT {table.numbers('a')} FROM {table.source}")]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", ["", "   ", "\t"])
def test_a_blank_line_is_no_row(end: str, blank: str, tmp_path: Path):
    lines = ["a,y", "1,2", blank, "3,4", ",", '"",""', "5,", blank, blank]
    (tmp_path / "x.csv").write_bytes(end.join(lines).encode())
    with open_table(tmp_path / "x.csv") as table:
        rows = table.rows(f"SELECT * FROM {table.source}")
    assert rows == [("1", "2"), ("3", "4"), (None, None), (None, None), ("5", None)]


def test_a_blank_line_of_one_column_is_no_row(tmp_path: Path):
    (tmp_path / "x.csv").write_text('a\n1\n\n2\n""\n  \n')
    assert numbers_in(tmp_path / "x.csv") == [1.0, 2.0, None]


def test_a_blank_line_inside_of_quotes_is_part_of_a_value(tmp_path: Path):
    (tmp_path / "x.csv").write_text('a,y\n1,"x\n\n  \ny"\n2,z\n')
    assert numbers_in(tmp_path / "x.csv") == [1.0, 2.0]
