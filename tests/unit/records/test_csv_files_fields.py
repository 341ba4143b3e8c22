"""A line of a CSV file with more or fewer fields than the header is refused, and never quoted."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from relgauss.errors import TableError
from relgauss.grouped import release_means, release_table
from relgauss.ledger import Ledger
from relgauss.linear_model import PrivateRidge
from relgauss.records import read_records
from relgauss.records.tables import open_table

SECRET = "4711"


def write(file: Path, text: str) -> Path:
    content = text.encode()
    file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    return file


def refusal(data: object) -> str:
    with pytest.raises(TableError) as refused, open_table(data):
        pass
    assert SECRET not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv"])
@pytest.mark.parametrize(
    ("lines", "place", "held"),
    [
        (["job,pay", "A,9", "B,2,4711"], 3, "3 fields, and the header 2"),
        (["pay,job", "4,4711,A"], 2, "3 fields, and the header 2"),
        (["job,pay", "A,4711,"], 2, "3 fields, and the header 2"),
        (["job,pay", "A", "B,4711"], 2, "1 field, and the header 2"),
        (["job,pay", '"A', 'B",4711', "B,1,4711"], 4, "3 fields, and the header 2"),
        (["job;pay", "A;1,4711", "B;2;4711"], 3, "3 fields, and the header 2"),
        (["pay", "1", "2,4711"], 3, "2 fields, and the header 1"),
        (["job,pay", "A,4711", '"B,1', "C,2"], 3, "1 field, and the header 2"),
        (["job,pay", "A,4711", "\x00", "C,2"], 3, "1 field, and the header 2"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_of_other_fields_is_named_by_its_number(
    name: str, lines: list[str], place: int, held: str, end: str, tmp_path: Path
):
    said = refusal(write(tmp_path / name, end.join([*lines, ""])))
    assert f"Line {place} of " in said
    assert held in said


def test_one_late_line_is_seen_whatever_a_query_reads(tmp_path: Path):
    file = write(tmp_path / "x.csv", "job,pay\n" + "A,1\n" * 60_000 + "B,2,4711\n" + "A,1\n")
    assert "Line 60,002 of " in refusal(file)
    with pytest.raises(TableError, match="Line 60,002 of "):
        release_means(
            file, by="job", value="pay", epsilon=1, delta=1e-6, query="FROM data WHERE job = 'A' LIMIT 9"
        )


def test_a_file_of_a_folder_is_named(tmp_path: Path):
    write(tmp_path / "a.csv", "job,pay\nA,1\n")
    write(tmp_path / "b[1].csv", "job,pay\nA,1\nB,2,4711\n")
    assert f"Line 3 of {tmp_path / 'b[1].csv'} has 3 fields" in refusal(tmp_path)


def test_a_quote_that_is_never_closed_swallows_nothing(tmp_path: Path):
    said = refusal(write(tmp_path / "x.csv", 'job,pay\nA,1\nA,"2\nB,4711\n'))
    assert "A quotation mark in the last column of " in said


def test_a_very_long_field_does_not_hide_a_line(tmp_path: Path):
    """Python's reader takes no field above 128 KB; DuckDB has seen the line all the same."""
    said = refusal(write(tmp_path / "x.csv", f'job,pay\n"{"x" * 140_000}",1\nA,2,4711\n'))
    assert "more or fewer fields than the header" in said


@pytest.mark.parametrize(
    "text",
    [
        'job,pay\nA,"2,436"\nB,"3\n4"\n',
        'job,pay\nA, "2,436"\nB,"3\n4"\n',
        'job,pay\r\n"A\r\nx",1\r\n\r\nB,2\r\n\r\n',
        "\ufeffjob,pay\r\nA,1\r\nB,2",
        "job,pay\nA,1\r\nB,2\n",
        "job,pay\n,\n  \n\t\nB,\n",
        'pay\n1\n\n""\n  \n',
        'pay\n"1\n2"\n3\n',
        'job,pay\n6" pipe,1\n"6"" pipe",2\n',
        "relgauss_more,relgauss_file\n1,2\n3,4\n",
        "job\tpay\nA\t1,5\nB\t2,5\n",
        "job;pay\nA;1,5\nB;2,5\n",
        "job|pay\nA|1,5\nB|2,5\n",
        "job,pay\nA,\x01\nB,2\n",
    ],
)
def test_a_file_that_is_fine_stays_so(text: str, tmp_path: Path):
    with open_table(write(tmp_path / "x.csv", text)) as table:
        assert table.count() == 2


def _table(file: Path, ledger: Ledger) -> object:
    return release_table(
        file, by="job", values={"pay": "mean"}, epsilon=1, delta=1e-6, groups="private", ledger=ledger
    )


def _means(file: Path, ledger: Ledger) -> object:
    return release_means(file, by="job", value="pay", epsilon=1, delta=1e-6, ledger=ledger)


def _fit(file: Path, ledger: Ledger) -> object:
    return PrivateRidge(ledger=ledger).fit(read_records(file, target="pay", features=["age"]))


@pytest.mark.parametrize("release", [_table, _means, _fit])
def test_nothing_is_spent(release: Callable[[Path, Ledger], object], tmp_path: Path):
    file = write(tmp_path / "x.csv", "age,job,pay\n" + "3,A,1\n" * 900 + "4,B,2,4711\n")
    ledger = Ledger.create(
        tmp_path / "x.ledger", dataset="x", unit="row", epsilon=4, delta=1e-5, for_failures=1e-6
    )
    with pytest.raises(TableError, match="Line 902 of "):
        release(file, ledger)
    assert not ledger.state().spends
