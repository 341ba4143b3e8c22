"""Tables of SQLite are read without an extension, with every cell as a CSV file would hold it."""

import sqlite3
from pathlib import Path

import pytest

from relgauss.errors import TableError
from relgauss.records.sqlite_files import read_tables
from relgauss.records.tables import open_table

ROWS = [
    ("clerk", 1234.5),
    ("clerk", "$1,000.25"),
    (2016, 7),
    ("boss", None),
    ("boss", "n/a"),
    (b"\x01", 2**60),
]


def test_bytes_are_no_number(tmp_path: Path):
    """Their hexadecimal digits may look like one: 1234 of two bytes."""
    file = tmp_path / "pay.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE staff (pay)")
        connection.executemany("INSERT INTO staff VALUES (?)", [(5.0,), (b"\x12\x34",)])
    connection.close()
    with open_table(file) as table:
        assert table.rows(f"SELECT {table.numbers('pay')} FROM {table.source}") == [(5.0,), (None,)]


@pytest.mark.parametrize("query", [None, "SELECT rate FROM staff"])
def test_a_float_is_a_number_in_a_column_in_percent(tmp_path: Path, query: str | None):
    file = tmp_path / "pay.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE staff (rate)")
        connection.executemany("INSERT INTO staff VALUES (?)", [(1.0,), (0.5,), (1,), ("5 %",), (0,)])
    connection.close()
    with open_table(file, numbers="1234.5 %", query=query) as table:
        read = table.rows(f"SELECT {table.numbers('rate')} FROM {table.source}")
    assert [rate for (rate,) in read] == [1.0, 0.5, None, 0.05, 0.0]


@pytest.fixture(params=["pay.sqlite", "pay.sqlite3", "pay.db"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / request.param
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE staff (job, pay)")
        connection.executemany("INSERT INTO staff VALUES (?, ?)", ROWS)
    connection.close()
    return file


def test_every_cell_has_a_type_of_its_own(database: Path):
    with open_table(database, numbers="$1,234.50") as table:
        assert table.rows(f"SELECT job, {table.numbers('pay')} FROM {table.source}") == [
            ("clerk", 1234.5),
            ("clerk", 1000.25),
            ("2016", 7.0),
            ("boss", None),
            ("boss", None),
            ("\\x01", 2.0**60),
        ]
        assert table.assumed == ()


@pytest.fixture
def donations(tmp_path: Path) -> Path:
    """Two tables, a view of both, and a view of a table that is gone."""
    file = tmp_path / "donations.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE donors (id INTEGER, city TEXT)")
        connection.execute('CREATE TABLE "The Gifts" (donor_id INTEGER, amount REAL)')
        connection.execute("INSERT INTO donors VALUES (1, 'Bern'), (2, 'Chur')")
        connection.execute('INSERT INTO "The Gifts" VALUES (1, 2.5), (1, 7), (2, 3)')
        connection.execute('CREATE VIEW pairs AS SELECT * FROM donors JOIN "The Gifts" ON donor_id = id')
        connection.execute("CREATE VIEW broken AS SELECT * FROM gone")
    connection.close()
    return file


@pytest.mark.parametrize(
    "query",
    [
        'SELECT city, amount FROM "the gifts" JOIN Donors ON donor_id = id',
        "SELECT city, amount FROM pairs;",
        'SELECT (SELECT city FROM donors WHERE id = donor_id) AS city, amount FROM "The Gifts" -- all',
    ],
)
def test_a_query_sees_all_tables_by_their_names(donations: Path, query: str):
    with open_table(donations, query=query) as table:
        rows = table.rows(f"SELECT city, {table.numbers('amount')} FROM {table.source}")
        assert sorted(rows) == [("Bern", 2.5), ("Bern", 7.0), ("Chur", 3.0)]
        assert "the query makes each row from one record" in table.assumed[0]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * FROM donor", 'name donor does not exist! Did you mean "donors"'),
        ("SELECT town FROM donors", '"town" not found in FROM clause'),
        ("SELECT * FROM data", "those of a database by their names"),
    ],
)
def test_a_mistake_in_a_query_is_told_as_for_every_database(donations: Path, query: str, words: str):
    with pytest.raises(TableError) as refused, open_table(donations, query=query):
        pass
    assert words in str(refused.value)


def test_of_tables_that_a_query_does_not_name_no_row_is_read(donations: Path):
    tables = read_tables(donations, "SELECT * FROM donors")
    assert {name: len(table) for name, table in tables.items()} == {"The Gifts": 0, "pairs": 0, "donors": 2}


def test_the_only_table_is_data_too(database: Path):
    for name in ("data", "staff"):
        with open_table(database, query=f"SELECT * FROM {name}") as table:
            assert table.count() == len(ROWS)
    with open_table(database, table="staff", query="SELECT * FROM data") as table:
        assert table.count() == len(ROWS)


def test_tables_and_views_are_named(database: Path):
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE VIEW twice AS SELECT * FROM staff UNION ALL SELECT * FROM staff")
    connection.close()
    with pytest.raises(TableError, match=r"No table is named.*'staff', 'twice'"), open_table(database):
        pass
    with open_table(database, table="twice") as table:
        assert table.rows(f"SELECT count(*) FROM {table.source}") == [(12,)]
        assert "the view 'twice'" in table.assumed[0]


def test_a_query_calls_the_table_data(database: Path):
    with open_table(database, query="SELECT job FROM data WHERE job = 'boss'") as table:
        assert table.rows(f"SELECT count(*) FROM {table.source}") == [(2,)]
        assert "the query" in table.assumed[0]


def test_nothing_is_written_to_the_database(database: Path):
    before = database.read_bytes()
    with open_table(database):
        pass
    assert database.read_bytes() == before
    assert list(database.parent.iterdir()) == [database]


def test_what_is_no_database_is_refused_in_one_line(tmp_path: Path):
    file = tmp_path / "pay.sqlite"
    file.write_bytes(b"secret" * 1000)
    with pytest.raises(TableError, match="cannot be read as a SQLite database") as caught, open_table(file):
        pass
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["postgres://host/base", "postgresql://user@host/base"])
def test_postgres_is_refused_with_a_way_out(address: str):
    with pytest.raises(TableError, match=r"Postgres is not read.*copy.*data frame"), open_table(address):
        pass
