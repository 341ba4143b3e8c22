"""Tables are read by their columns; no record can stop the reading or show up in a message."""

import builtins
import gzip
import math
from datetime import timedelta
from pathlib import Path

import duckdb
import pandas as pd
import polars
import pyarrow as pa
import pytest
from pyarrow import parquet

from relgauss.errors import InvalidParameterError, MissingExtraError, TableError
from relgauss.records.tables import open_table

ROWS = [("a", 1.5), ("a", 2.5), ("b", 4.0)]
LINES = "job,pay\na,1.5\na,2.5\nb,4\n"


def read(data: object, by: str = "job", value: str = "pay", **options: str) -> list[tuple]:
    with open_table(data, **options) as table:
        columns = f"{table.column(by)}, {table.numbers(value)}"
        return table.rows(f"SELECT {columns} FROM {table.source}")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "staff.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE staff (job VARCHAR, pay DECIMAL(9, 2))")
        connection.executemany("INSERT INTO staff VALUES (?, ?)", ROWS)
    return file


# Every kind of source


@pytest.mark.parametrize("ending", ["csv", "CSV", "txt", "tsv"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_text_files(tmp_path: Path, ending: str, delimiter: str):
    file = tmp_path / f"staff.{ending}"
    file.write_text(LINES.replace(",", delimiter))
    assert read(file) == read(str(file)) == ROWS


def test_packed_text(tmp_path: Path):
    file = tmp_path / "staff.csv.gz"
    file.write_bytes(gzip.compress(LINES.encode()))
    assert read(file) == ROWS


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path):
    file = tmp_path / "staff.csv"
    file.write_bytes(b"\xef\xbb\xbf" + LINES.encode())
    assert read(file) == ROWS


def test_quoted_names_and_values(tmp_path: Path):
    file = tmp_path / "staff.csv"
    file.write_text('"the ""job""","pay, yearly"\n"a, b",1\n"it\'s",2\n')
    assert read(file, 'the "job"', "pay, yearly") == [("a, b", 1.0), ("it's", 2.0)]


def test_parquet(tmp_path: Path):
    file = tmp_path / "staff.parquet"
    parquet.write_table(pa.table({"job": ["a", "a", "b"], "pay": [1.5, 2.5, 4.0]}), file)
    assert read(file) == ROWS


def test_database(database: Path):
    assert read(database) == read(database, table="staff") == ROWS


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(ROWS, columns=["job", "pay"]),
        pa.table({"job": ["a", "a", "b"], "pay": [1.5, 2.5, 4.0]}),
        polars.DataFrame({"job": ["a", "a", "b"], "pay": [1.5, 2.5, 4.0]}),
        pd.DataFrame(ROWS, columns=["job", "pay"]).astype({"job": "category", "pay": "Float64"}),
    ],
    ids=["pandas", "arrow", "polars", "pandas categories"],
)
def test_frames(frame: object):
    assert read(frame) == ROWS


def test_a_duckdb_relation_is_a_frame_too():
    relation = duckdb.sql("SELECT * FROM (VALUES ('a', 1.5), ('a', 2.5), ('b', 4.0)) AS t(job, pay)")
    assert [(job, float(pay)) for job, pay in read(relation)] == ROWS


def test_query_over_a_text_file(tmp_path: Path):
    file = tmp_path / "staff.csv"
    file.write_text("year,title,pay\n2015,A,9\n2016,A,1.5\n2016,a,2.5\n2016,B,4\n")
    query = "SELECT lower(title) AS job, pay FROM data WHERE year = 2016;"
    assert read(file, query=query) == ROWS


def test_a_query_reads_no_variable_of_the_program(tmp_path: Path):
    """DuckDB takes a name that no table has for a variable of the function that asks."""
    (tmp_path / "x.csv").write_text("job,pay\na,1\n")
    with pytest.raises(TableError, match="name styles does not exist"):
        read(tmp_path / "x.csv", query="SELECT * FROM styles")


def test_query_over_a_database_and_over_a_frame(database: Path):
    assert read(database, query="SELECT * FROM staff ORDER BY pay") == ROWS
    frame = pd.DataFrame(ROWS, columns=["title", "pay"])
    assert read(frame, query="SELECT title AS job, pay FROM data -- all") == ROWS


@pytest.mark.parametrize("kind", ["UTINYINT", "BIGINT", "HUGEINT", "FLOAT", "DECIMAL(5, 1)", "UBIGINT"])
def test_every_type_of_number(kind: str):
    assert read(pd.DataFrame({"job": ["a"]}), query=f"SELECT job, 3::{kind} AS pay FROM data") == [("a", 3.0)]


# What a record holds


def test_no_line_of_a_text_file_stops_the_reading(tmp_path: Path):
    """Text, gaps, numbers past the range: every line that has its fields stays a row."""
    file = tmp_path / "staff.csv"
    lines = ["a,1", "a,x", 'a,"2,5"', "a,", "a,5", ",7", "a,", "a,nan", "a,inf", "a,-3", "a,1e999", "a,\x01"]
    file.write_text("job,pay\n" + "\n".join(lines) + "\n")
    rows = read(file)
    assert len(rows) == len(lines)
    numbers = [pay for _, pay in rows]
    assert numbers[:4] == [1.0, None, None, None]
    assert numbers[4:6] == [5.0, 7.0]
    assert rows[5][0] is None


@pytest.mark.parametrize("query", [None, "FROM data", "SELECT job, TRY_CAST(pay AS DOUBLE) AS pay FROM data"])
@pytest.mark.parametrize("late", ["secret", '"two\nlines"'])
def test_no_late_value_changes_how_a_file_is_read(tmp_path: Path, late: str, query: str | None):
    """DuckDB would decide by a sample of the rows and fail at the value, or at a line break in parallel."""
    file = tmp_path / "staff.csv"
    file.write_text("job,pay\n" + "a,1\n" * 50_000 + f"a,{late}\nb,2\n")
    options = {} if query is None else {"query": query}
    rows = read(file, **options)
    assert len(rows) == 50_002
    assert rows[-1] == ("b", 2.0)
    assert rows[-2] == ("a", None)


def test_types_in_a_query_do_not_depend_on_what_a_text_file_holds(tmp_path: Path):
    """A computation that only numbers allow is refused, whether or not all values are numbers."""
    for number, last in enumerate(("3", "n/a")):
        file = tmp_path / f"{number}.csv"
        file.write_text(f"job,pay\na,1\na,{last}\n")
        with pytest.raises(TableError, match="become numbers after the query"):
            read(file, query="SELECT job, 12 * pay AS pay FROM data")


@pytest.mark.parametrize("other", ["x", b"x", None, 3, math.inf, 10**40])
def test_a_frame_that_mixes_kinds_is_read_as_a_file_would_be(other: object):
    frame = pd.DataFrame({"job": ["a", "b"], "pay": pd.Series([1.5, other], dtype=object)})
    expected = float(other) if isinstance(other, int | float) else None
    assert read(frame) == [("a", 1.5), ("b", expected)]


def test_numbers_may_be_text_in_every_source(tmp_path: Path):
    file = tmp_path / "staff.parquet"
    parquet.write_table(pa.table({"job": ["a", "b"], "pay": ["1.5", "n/a"]}), file)
    assert read(file) == read(parquet.read_table(file)) == [("a", 1.5), ("b", None)]


# What is wrong with a table


def test_a_missing_column_is_named_with_those_that_exist(tmp_path: Path):
    file = tmp_path / "staff.csv"
    file.write_text(LINES)
    with pytest.raises(TableError, match=r"no column 'salary' in .*staff.csv. Its columns are 'job', 'pay'"):
        read(file, value="salary")


@pytest.mark.parametrize("column", [["x", "y"], [True, False], pd.to_datetime(["2020", "2021"])])
def test_a_column_that_is_not_of_numbers(column: object):
    with pytest.raises(TableError, match="'pay' does not hold numbers"):
        read(pd.DataFrame({"job": ["a", "b"], "pay": column}))


def test_a_text_file_without_any_number(tmp_path: Path):
    file = tmp_path / "staff.csv"
    file.write_text("job,pay\na,x\nb,y\n")
    with pytest.raises(TableError, match="'pay' does not hold numbers"):
        read(file)


@pytest.mark.parametrize(
    ("cells", "cause"),
    [
        ([None, ""], "nothing in its first rows. If that is right, say how it writes numbers"),
        ([True, False], "true and false. Make it 0 and 1 in a query"),
        (["True", "False"], "true and false. Make it 0 and 1 in a query"),
        ([timedelta(1), timedelta(2)], r"durations. Make it a number in a query, such as seconds: epoch"),
        ([None, None], "nothing in its first rows. If that is right, say how it writes numbers"),
        ([[1], [2]], "list. Name a column of numbers, or make it one in a query"),
    ],
)
def test_a_refusal_says_what_mends_it(cells: list[object], cause: str):
    with open_table(pa.table({"pay": cells})) as table, pytest.raises(TableError, match=cause):
        table.numbers("pay")


@pytest.mark.parametrize(
    ("cells", "query", "numbers"),
    [
        ([True, None], "SELECT CAST(pay AS BOOLEAN)::INTEGER AS pay FROM data", [1.0, None]),
        (["True", "false"], "SELECT CAST(pay AS BOOLEAN)::INTEGER AS pay FROM data", [1.0, 0.0]),
        ([timedelta(seconds=90)], "SELECT epoch(pay) AS pay FROM data", [90.0]),
    ],
)
def test_what_a_refusal_says_does_mend_it(cells: list[object], query: str, numbers: list[float | None]):
    with open_table(pa.table({"pay": cells}), query=query) as table:
        found = table.rows(f"SELECT {table.numbers('pay')} FROM {table.source}")
    assert [number for (number,) in found] == numbers


def test_a_column_that_holds_nothing_is_read_if_the_user_says_how_it_writes_numbers():
    with open_table(pa.table({"pay": pa.nulls(3)}), numbers="1234.5") as table:
        assert table.rows(f"SELECT {table.numbers('pay')} FROM {table.source}") == [(None,)] * 3


@pytest.mark.parametrize(("others", "is_refused"), [(0, False), (500, False), (501, True)])
@pytest.mark.parametrize("place", ["first", "later"])
def test_text_that_is_mostly_no_number_is_refused(tmp_path: Path, others: int, is_refused: bool, place: str):
    """By the first 1,000 rows alone, where what is empty is no text: no later record causes an error."""
    first = ["unknown"] * others + ["999"] * (1_000 - others)
    later = ["5"] * 1_000
    file = tmp_path / "staff.csv"
    file.write_text(
        "\n".join(["job,pay", *(f"a,{each}" for each in (first + later)[:: 1 if place == "first" else -1])])
    )
    with open_table(file) as table:
        if is_refused and place == "first":
            with pytest.raises(TableError, match="but mostly other text in its first rows"):
                table.numbers("pay")
        else:
            table.numbers("pay")
    with open_table(file, numbers="1,234.50") as table:
        table.numbers("pay")


@pytest.mark.parametrize(
    "other", ["1,234.75", "$5", "12 %", "1 234", "(7)", "5 kg", "<5", "3,5", "CHF 9.-", "8-"]
)
@pytest.mark.parametrize(("others", "is_refused"), [(2, False), (4, False), (5, True), (40, True)])
def test_numbers_some_of_which_are_written_otherwise_are_refused(other: str, others: int, is_refused: bool):
    """They would count as missing, and a mean of the rest would be wrong."""
    texts = [other] * others + ["7.5"] * (100 - others)
    frame = pd.DataFrame({"job": "a", "pay": texts}, dtype="str")
    if is_refused:
        with pytest.raises(
            TableError, match=r"'pay' writes some .* otherwise.*numbers='1,234\.50'"
        ) as caught:
            read(frame)
        assert other not in str(caught.value)
    else:
        assert sum(value is None for _, value in read(frame)) == others
    assert len(read(frame, numbers="1234.5")) == 100


@pytest.mark.parametrize(
    "other", ["n/a", "", "-", "2024-01-05", "01.02.2024", "12:30", "unknown", "1.2.3", "C3PO"]
)
def test_what_is_no_number_in_any_writing_is_missing(other: str):
    frame = pd.DataFrame({"job": "a", "pay": ["7.5", other, "8"] * 10}, dtype="str")
    assert [value for _, value in read(frame)] == [7.5, None, 8.0] * 10


def test_three_numbers_of_a_small_table_are_enough():
    texts = ["999", "1,234", "998", "1,235", "997", "5"]
    assert len(read(pd.DataFrame({"job": "a", "pay": texts}, dtype="str"))) == 6
    with pytest.raises(TableError, match="otherwise"):
        read(pd.DataFrame({"job": "a", "pay": [*texts, "1,236"]}, dtype="str"))


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("gone.csv", None, "no file"),
        ("staff.ods", b"x", "no known kind"),
        ("staff", b"x", "no known kind"),
        ("empty.csv", b"", "does not name its columns: it is empty"),
        ("twice.csv", b"a,b,a\n1,2,3\n", "columns 1 and 3 have the same name. Rename"),
        ("case.csv", b"pay,Pay\n1,2\n", "differ in case only"),
        ("unnamed.csv", b"a,\n1,2\n", "does not name its columns: column 2 has no text"),
        ("index.csv", b",a,b\n0,1,2\n", r"column 1 .*to_csv\(index=False\)"),
        ("open.csv", b'a,"b\n1,2\n', "a quotation mark is not closed"),
        ("latin.csv", b"j\xf6b,pay\n", "is no text in UTF-8"),
        ("late.csv", b"job,pay\ncaf\xe9,1\n", "is no text in UTF-8"),
        ("notpacked.csv.gz", b"job,pay\n", "cannot be read"),
        ("no.parquet", b"x", "cannot be read as Parquet"),
        ("no.duckdb", b"x" * 100, "cannot be opened"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, name: str, content: bytes | None, cause: str):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=cause):
        read(tmp_path / name)


def test_database_tables_are_named(database: Path):
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE other (x INT)")
    with pytest.raises(TableError, match="No table is named"):
        read(database)
    with pytest.raises(TableError, match="no table 'gone'"):
        read(database, table="gone")
    assert read(database, table="staff") == ROWS


def test_two_columns_of_one_name():
    frame = pd.DataFrame(ROWS, columns=["job", "pay"])
    with pytest.raises(TableError, match="same name"):
        read(pd.concat([frame, frame], axis=1))


def test_table_is_for_databases(tmp_path: Path):
    with pytest.raises(InvalidParameterError, match="table"):
        read(pd.DataFrame(ROWS, columns=["job", "pay"]), table="staff")


@pytest.mark.parametrize("data", [3, None, [("a", 1)]])
def test_what_is_no_table_at_all(data: object):
    with pytest.raises(InvalidParameterError, match="a path or a data frame"):
        read(data)


@pytest.mark.parametrize(
    "query", ["SELECT gone FROM data", "SELEC", "SELECT * FROM nowhere", "DROP VIEW data"]
)
def test_a_query_that_makes_no_sense(query: str):
    with pytest.raises(TableError, match="does not understand the query"):
        read(pd.DataFrame(ROWS, columns=["job", "pay"]), query=query)


def test_a_failing_query_shows_no_value():
    frame = pd.DataFrame({"job": ["a"], "pay": ["secret-4711"]})
    with pytest.raises(TableError) as caught:
        read(frame, query="SELECT job, CAST(pay AS DOUBLE) AS pay FROM data")
    assert "4711" not in str(caught.value)


def test_a_database_is_not_changed(database: Path):
    before = database.read_bytes()
    read(database, query="SELECT * FROM staff")
    assert database.read_bytes() == before


@pytest.mark.parametrize("missing", ["duckdb", "pyarrow"])
def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, missing: str):
    real = builtins.__import__

    def without(name: str, *arguments: object, **options: object) -> object:
        if name.partition(".")[0] == missing:
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"relgauss\[files\]"):
        read(pd.DataFrame(ROWS, columns=["job", "pay"]))


@pytest.mark.parametrize("count", [0, 1, 4096, 10_000])
def test_rows_one_by_one_are_the_rows_that_a_query_returns(count: int):
    with open_table(pa.table({"a": list(range(count)), "b": [f"text {k}" for k in range(count)]})) as opened:
        sql = f"SELECT b, a FROM {opened.source} ORDER BY a"
        assert list(opened.each_row(sql)) == opened.rows(sql) == [(f"text {k}", k) for k in range(count)]
