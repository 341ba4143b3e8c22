"""Sheets of a workbook are read like a CSV file of the same cells."""

import datetime
import warnings
from pathlib import Path

import openpyxl
import pytest

from relgauss.errors import InvalidParameterError, TableError
from relgauss.records.tables import Table, open_table

HEADER = ("job", "pay")
ROWS = [("clerk", 1234.5), ("clerk", "$1,000.25"), (2016, 7), ("boss", None), ("boss", "n/a"), (True, 1e300)]


def workbook(file: Path, sheets: dict[str, list[tuple[object, ...]]]) -> Path:
    book = openpyxl.Workbook(write_only=True)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file


def read(table: Table) -> list[tuple[object, ...]]:
    return table.rows(f"SELECT job, {table.numbers('pay')} FROM {table.source}")


def test_numbers_and_texts_of_one_column_are_both_read(tmp_path: Path):
    file = workbook(tmp_path / "pay.xlsx", {"staff": [HEADER, *ROWS]})
    keys = ["clerk", "clerk", "2016", "boss", "boss", "true"]
    with open_table(file, numbers="$1,234.50") as table:
        assert read(table) == list(zip(keys, [1234.5, 1000.25, 7, None, None, 1e300], strict=True))
    with open_table(file, numbers="1.234,50") as table:  # a cell that holds a number is one in every style
        assert [pay for _, pay in read(table)] == [1234.5, None, 7, None, None, 1e300]
    with open_table(file) as table:
        assert [pay for _, pay in read(table)] == [1234.5, None, 7, None, None, 1e300]


def test_a_sheet_is_named_like_a_table(tmp_path: Path):
    file = workbook(tmp_path / "pay.xlsx", {"staff": [HEADER, ("a", 1)], "notes": [("text",)]})
    with open_table(file, table="staff") as table:
        assert read(table) == [("a", 1.0)]
    for name, words in ((None, "No sheet is named"), ("stuff", "no sheet 'stuff'")):
        with pytest.raises(TableError, match=f"{words}.*'staff', 'notes'"), open_table(file, table=name):
            pass


def test_empty_rows_are_none_and_short_rows_lack_cells(tmp_path: Path):
    rows = [HEADER, ("a", 1), (None, None), ("b",), (None, 3), ("c", 4, "beyond the header")]
    file = workbook(tmp_path / "pay.xlsx", {"staff": rows})
    with open_table(file) as table:
        assert read(table) == [("a", 1.0), ("b", None), (None, 3.0), ("c", 4.0)]


def test_dates_are_written_as_in_a_file(tmp_path: Path):
    day = datetime.datetime(2016, 5, 4)
    later = day.replace(hour=7, minute=30)
    file = workbook(tmp_path / "pay.xlsx", {"staff": [HEADER, (day, 1), (later, 2)]})
    with open_table(file) as table:
        assert read(table) == [("2016-05-04", 1.0), ("2016-05-04T07:30:00", 2.0)]
    with open_table(file, query="SELECT job, pay FROM data WHERE job = '2016-05-04'") as table:
        assert read(table) == [("2016-05-04", 1.0)]
        assert table.assumed


def test_no_warning_quotes_a_cell(tmp_path: Path):
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (HEADER, ("a", 1), ("b", 81234567.5)):
        sheet.append(row)
    sheet["B3"].number_format = "yyyy-mm-dd"  # as which it is too large
    book.save(tmp_path / "pay.xlsx")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with open_table(tmp_path / "pay.xlsx") as table:
            assert read(table) == [("a", 1.0), ("b", None)]
    assert not told


@pytest.mark.parametrize("header", [("job", "job"), ("job", None, "pay"), (1, 2), ()])
def test_a_sheet_without_names_is_refused(tmp_path: Path, header: tuple[object, ...]):
    file = workbook(tmp_path / "pay.xlsx", {"staff": [header, ("a", 1, 2)] if header else []})
    with pytest.raises(TableError, match="does not name its columns"), open_table(file):
        pass


def test_what_is_no_workbook_is_refused_in_one_line(tmp_path: Path):
    file = tmp_path / "pay.xlsx"
    file.write_bytes(b"PK\x03\x04 secret")
    with pytest.raises(TableError, match="cannot be read as an Excel workbook") as caught, open_table(file):
        pass
    assert "secret" not in str(caught.value)
    with pytest.raises(TableError, match="There is no file"), open_table(tmp_path / "none.xlsx"):
        pass


def test_only_databases_and_workbooks_have_tables(tmp_path: Path):
    file = tmp_path / "pay.csv"
    file.write_text("job,pay\na,1\n")
    with pytest.raises(InvalidParameterError, match="a workbook sheets"), open_table(file, table="a"):
        pass


@pytest.mark.parametrize("numbers", [None, "1234.5 %", {"pay": "1234.5 %"}])
def test_whole_numbers_that_are_shown_in_percent_are_numbers_in_a_column_in_percent(
    tmp_path: Path, numbers: object
):
    """100 % is the whole number 1 in a file, of which else nobody knows whether it is 1 or 0.01."""
    formats = [("0%", 1), ("0.0%", 0.25), ("0%", 0), ("General", 5), ('0"%"', 7), ("0.00", 0.5), ("0%", "x")]
    book = openpyxl.Workbook()
    book.active.append(HEADER)
    for row, (style, value) in enumerate(formats, start=2):
        book.active.cell(row, 1, "a")
        book.active.cell(row, 2, value).number_format = style
    file = tmp_path / "pay.xlsx"
    book.save(file)
    with open_table(file, numbers=numbers) as table:
        found = [pay for _, pay in read(table)]
    ambiguous = [5.0, 7.0] if numbers is None else [None, None]
    assert found == [1.0, 0.25, 0.0, *ambiguous, 0.5, None]


def test_an_error_is_an_empty_cell(tmp_path: Path):
    rows = [HEADER, ("a", "#N/A"), ("#REF!", 2), ("c", "#DIV/0!"), ("#name", 4), (None, "#VALUE!")]
    with open_table(workbook(tmp_path / "pay.xlsx", {"staff": rows})) as table:
        assert read(table) == [("a", None), (None, 2.0), ("c", None), ("#name", 4.0), (None, None)]


def test_a_workbook_that_openpyxl_fails_on_is_refused(tmp_path: Path):
    book = openpyxl.Workbook()
    book.active.append(HEADER)
    book.create_chartsheet("without a chart")
    file = tmp_path / "pay.xlsx"
    book.save(file)
    with pytest.raises(TableError, match=r"pay\.xlsx cannot be read as an Excel workbook"), open_table(file):
        pass
