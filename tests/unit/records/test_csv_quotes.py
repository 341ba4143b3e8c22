"""A closing quotation mark ends a field, or the file is refused: readers would make other texts of it."""

import gzip
from pathlib import Path

import pytest

from relgauss.errors import TableError
from relgauss.records.tables import open_table


def rows(file: Path) -> list[tuple[object, ...]]:
    with open_table(file) as table:
        return table.rows(f"SELECT * FROM {table.source}")


@pytest.mark.parametrize(
    "line",
    [
        '"cook"x,5',
        '"co"ok,5"',
        '"co\\"ok",5',
        '"cook"x"y",5',
        '"cook" x,5',
        'cook,"5"x',
        '"6" pipe, long",5',
        '"a""b"c,5',
        '""x,5',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_behind_a_closing_mark_is_refused(tmp_path: Path, line: str, end: str):
    file = tmp_path / "pay.csv"
    file.write_text(end.join(["job,pay", "a,1", '"b\nc",2', line, "d,3", ""]), encoding="utf-8", newline="")
    with pytest.raises(TableError, match=r"^Line 5 of .*pay\.csv has ") as caught:
        rows(file)
    assert not any(word in str(caught.value) for word in ("cook", 'co"', "long", "x,5"))


def test_it_is_told_of_lines_that_end_unalike_and_of_packed_files(tmp_path: Path):
    text = 'job,pay\r\na,1\n"b"x,2\r\n'
    for name, content in (("pay.csv", text.encode()), ("pay.csv.gz", gzip.compress(text.encode()))):
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(TableError, match=r"Line 3 of .* has text behind a closing quotation mark"):
            rows(file)


def test_the_file_of_a_folder_is_named(tmp_path: Path):
    (tmp_path / "one.csv").write_text('job,pay\n"a",1\n', encoding="utf-8")
    (tmp_path / "two.csv").write_text('job,pay\n"a"b,1\n', encoding="utf-8")
    with pytest.raises(TableError, match=r"two\.csv has text behind"):
        rows(tmp_path)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ('job,pay\n"cook" ,5\n "clerk",6\n', [("cook", "5"), ("clerk", "6")]),
        ('job,pay\n6" pipe,5\nco"ok,6\n', [('6" pipe', "5"), ('co"ok', "6")]),
        ('job,pay\n"a ""b"" c",5\n"",6\n', [('a "b" c', "5"), (None, "6")]),
        ('job,pay\r\n"a\nb",5\n"c",6\r\n', [("a\nb", "5"), ("c", "6")]),
        ('job;pay\n"a;b";5\n"c, d" ;6\n', [("a;b", "5"), ("c, d", "6")]),
        ('job,pay\n"a "" ,b",5\n', [('a " ,b', "5")]),
        ('job,pay\n\n"a",5\n   \n"b",6', [("a", "5"), ("b", "6")]),
    ],
)
def test_other_marks_are_read_as_they_were(tmp_path: Path, text: str, held: list[tuple[object, ...]]):
    file = tmp_path / "pay.csv"
    file.write_text(text, encoding="utf-8", newline="")
    assert rows(file) == held
