"""A file is read by its own name, and once: no pattern in a name, no link and no packed copy adds records."""

import gzip
import os
import random
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, TableError
from relgauss.grouped import release_means
from relgauss.records import read_records
from relgauss.records.tables import open_table


def texts(number: int) -> str:
    return f"a,y\n{number},{number}\n"


def numbers_in(data: object, **options: Any) -> list[float]:
    with open_table(data, **options) as table:
        rows = table.rows(f"SELECT {table.numbers('a')} FROM {table.source} ORDER BY 1")
    return [row[0] for row in rows]


# A name is no pattern

NAMES = [
    "part[1]", "a*b", "a?b", "]x", "{x}", "{a,b}", "it's", "50%", "back\\slash", "two words", "new\nline",
    "ünï-日本", "[!a]", "[a", "**", "a[]]", "$HOME", "~", "file:a", "s3:x", "a#b", "-", '"', "a=1", "\x01",
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "ending"),
    [*((name, "csv") for name in NAMES), *((name, "parquet") for name in ("part[1]", "a*b", "it's"))],
)
def test_a_file_of_any_name_is_that_file(name: str, ending: str, tmp_path: Path, monkeypatch):
    """Beside it are the files that its name would match as a pattern."""
    for number, each in enumerate(["part1", "axb", "a", "b", "x", "e", name]):
        frame = pd.DataFrame({"a": [float(number)], "y": [0.0]})
        if ending == "csv":
            frame.to_csv(tmp_path / f"{each}.csv", index=False)
        else:
            (tmp_path / "made").mkdir(exist_ok=True)
            frame.to_parquet(tmp_path / "made" / "one.parquet")
            (tmp_path / "made" / "one.parquet").rename(tmp_path / f"{each}.parquet")
    assert numbers_in(tmp_path / f"{name}.{ending}") == [6.0]
    monkeypatch.chdir(tmp_path)
    assert numbers_in(f"{name}.{ending}") == [6.0]
    assert numbers_in(tmp_path) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_of_any_name_is_that_folder(name: str, tmp_path: Path):
    for number, folder in enumerate(["part1", "axb", name]):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "some.csv").write_text(texts(number))
    assert numbers_in(tmp_path / name) == [2.0]
    assert numbers_in(tmp_path / name / "some.csv") == [2.0]


def numbers_or_refusal(data: object) -> list[float] | str:
    try:
        return numbers_in(data)
    except TableError as error:
        return str(error)


@pytest.mark.parametrize("folders", [6, pytest.param(40, marks=pytest.mark.slow)])
def test_random_names_are_read_as_they_are_or_refused_by_name(folders: int, tmp_path: Path):
    letters = "*?[]{}'%\\ \n!-^ab1ü~$#&=:\t\""
    rng = random.Random(7)
    for folder in (tmp_path / f"{number}" for number in range(folders)):
        folder.mkdir()
        names = sorted({"".join(rng.choices(letters, k=rng.randint(1, 5))) for _ in range(6)})
        for number, name in enumerate(names):
            (folder / f"{name}.csv").write_text(texts(number))
        for number, name in enumerate(names):
            found = numbers_or_refusal(folder / f"{name}.csv")
            assert found == [number] or "cannot be told the name" in found


def test_a_pattern_is_still_a_pattern(tmp_path: Path):
    for number, name in enumerate(["part1", "part2", "other"]):
        (tmp_path / f"{name}.csv").write_text(texts(number))
    assert numbers_in(tmp_path / "part*.csv") == numbers_in(str(tmp_path / "part[12].csv")) == [0.0, 1.0]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_name_of_a_folder_replaces_no_column(ending: str, tmp_path: Path):
    """DuckDB would read a=7 as the value of the column for all rows of the file."""
    for number in range(2):
        folder = tmp_path / f"a={number + 7}"
        folder.mkdir()
        frame = pd.DataFrame({"a": [float(number)], "y": [0.0]})
        frame.to_csv(folder / "x.csv", index=False) if ending == "csv" else frame.to_parquet(
            folder / "x.parquet"
        )
    assert numbers_in(tmp_path) == [0.0, 1.0]
    assert numbers_in(tmp_path / "a=7" / f"x.{ending}") == [0.0]


# Each file once


def folder_of_two(folder: Path) -> Path:
    folder.mkdir()
    for number in range(2):
        (folder / f"{number}.csv").write_text(texts(number))
    return folder


def test_links_to_a_file_add_no_records(tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / "linked.csv").symlink_to(folder / "0.csv")
    os.link(folder / "1.csv", folder / "hard.csv")
    (folder / "chain.csv").symlink_to(folder / "linked.csv")
    assert numbers_in(folder) == numbers_in(folder / "*.csv") == [0.0, 1.0]
    assert read_records(folder, target="y").count == 2


def test_links_to_a_folder_add_no_records(tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / "again").symlink_to(folder, target_is_directory=True)
    (tmp_path / "other").symlink_to(folder, target_is_directory=True)
    assert numbers_in(folder) == numbers_in(folder / "**" / "*.csv") == [0.0, 1.0]
    assert numbers_in(tmp_path / "*" / "*.csv") == numbers_in(tmp_path / "other") == [0.0, 1.0]


def test_a_file_from_elsewhere_counts_once(tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (tmp_path / "third.csv").write_text(texts(2))
    for name in ("x.csv", "y.csv"):
        (folder / name).symlink_to(tmp_path / "third.csv")
    assert numbers_in(folder) == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("packed", ["0.csv.gz", "0.CSV.GZ"])
def test_a_file_beside_its_packed_self_is_refused_by_name(packed: str, tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / packed).write_bytes(gzip.compress(texts(0).encode()))
    with pytest.raises(TableError, match=r"homes/0\.(csv|CSV\.GZ)(\.gz)? and .*may be the same records"):
        numbers_in(folder)
    assert numbers_in(folder / "*.csv") == [0.0, 1.0]


def test_packed_and_plain_files_of_other_names_are_one_table(tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / "2.csv.gz").write_bytes(gzip.compress(texts(2).encode()))
    assert numbers_in(folder) == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("other", ["0.parquet", "0.pq", "0.tsv", "more.txt"])
def test_a_folder_of_both_kinds_is_refused_by_name(other: str, tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / other).write_text("a,y\n")
    with pytest.raises(TableError, match=rf"homes holds files of several kinds: .*{Path(other).suffix}"):
        numbers_in(folder)


@pytest.mark.parametrize(
    "left_out",
    [
        ".0.csv",
        "_0.csv",
        ".ipynb_checkpoints/0.csv",
        "_temporary/0/0.csv",
        "0.csv.tmp",
        "0.csv~",
        "0.csv.gz.tmp",
    ],
)
def test_hidden_and_unfinished_files_are_left_out(left_out: str, tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / left_out).parent.mkdir(parents=True, exist_ok=True)
    (folder / left_out).write_text(texts(0))
    assert numbers_in(folder) == [0.0, 1.0]


@pytest.mark.parametrize("left_out", ["_temporary/0/0.csv", ".old/0.csv", "2024/_temporary/0.csv"])
@pytest.mark.parametrize("pattern", ["**/*.csv", "[0-9]*.csv", "*/*.csv", "*/*/*.csv", "?*/**/*.csv"])
def test_a_pattern_does_not_reach_into_hidden_folders(left_out: str, pattern: str, tmp_path: Path):
    folder = folder_of_two(tmp_path / "homes")
    (folder / "2024" / "7").mkdir(parents=True)
    for place in ("2024/2.csv", "2024/7/3.csv"):
        (folder / place).write_text(texts(2))
    before = numbers_in(folder / pattern)
    (folder / left_out).parent.mkdir(parents=True, exist_ok=True)
    (folder / left_out).write_text(texts(0))
    assert numbers_in(folder / pattern) == before


def test_a_hidden_folder_that_a_pattern_names_is_read(tmp_path: Path):
    folder_of_two(tmp_path / "_homes")
    assert numbers_in(tmp_path / "_homes" / "*.csv") == [0.0, 1.0]
    assert numbers_in(tmp_path / "*" / ".." / "_homes" / "*.csv") == [0.0, 1.0]


def test_a_hidden_folder_that_is_named_is_read(tmp_path: Path):
    assert numbers_in(folder_of_two(tmp_path / ".homes")) == [0.0, 1.0]


def test_a_list_of_files_is_refused():
    with pytest.raises(InvalidParameterError, match="a path or a data frame"):
        read_records(["0.csv", "0.csv"], target="y")


@pytest.mark.parametrize("second", ["y,a\n1,2\n", "a;y\n1;2\n"])
def test_columns_that_stand_elsewhere_are_refused(second: str, tmp_path: Path):
    """They are read by their places."""
    (tmp_path / "0.csv").write_text(texts(0))
    (tmp_path / "1.csv").write_text(second)
    with pytest.raises(TableError, match=r"first line of .*1\.csv differs"):
        numbers_in(tmp_path)


# No download


def test_nothing_is_downloaded_and_what_is_missing_is_named(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))  # where DuckDB keeps its extensions
    frame = pd.DataFrame({"a": [1.0]})
    with pytest.raises(TableError, match=r"needs its extension 'excel' .*INSTALL excel"):
        numbers_in(frame, query="FROM read_xlsx('people.xlsx')")
    for query in ("SELECT * FROM 's3://bucket/x.csv'", "SELECT st_point(a, a) AS a FROM data"):
        with pytest.raises(
            TableError, match=r"needs its extension '(httpfs|spatial)'.*relgauss downloads none"
        ):
            numbers_in(frame, query=query)


def test_a_record_cannot_pose_as_a_missing_extension():
    frame = pd.DataFrame({"a": ['Extension "secret4711" is an existing extension']})
    with pytest.raises(TableError) as caught:
        numbers_in(frame, query="SELECT CAST(a AS DOUBLE) AS a FROM data")
    assert "4711" not in str(caught.value)


def test_every_connection_is_told_not_to_download(monkeypatch):
    opened = []
    real = duckdb.connect
    monkeypatch.setattr(
        duckdb, "connect", lambda *given, **options: opened.append(options) or real(*given, **options)
    )
    release_means(
        pd.DataFrame({"g": ["a"] * 50, "v": [1.0] * 50}), by="g", value="v", epsilon=1.0, delta=1e-6
    )
    read_records(pd.DataFrame({"a": [1.0], "y": [1.0]}), target="y")
    assert [each["config"] for each in opened] == [{"autoinstall_known_extensions": "false"}] * 2
