"""Where the records of a table are held, and what is said where there is no room."""

import errno
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.records import table_records
from relgauss.records.blocks import HeldRows, block_rows
from relgauss.records.storage import MemoryStorage, ScratchStorage
from relgauss.records.streamed import StreamedRows
from relgauss.records.table_records import NoScratchWarning, TableRecords

COUNT = 3 * block_rows(1) + 5
FRAME = pd.DataFrame({"a": np.arange(COUNT) / 7, "y": np.arange(COUNT) % 3})


@pytest.fixture(params=["a.csv", "a.parquet"])
def file(request, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    FRAME.to_csv(path, index=False) if path.suffix == ".csv" else FRAME.to_parquet(path)
    return path


def read(file: Path, folder: Path | None = None) -> np.ndarray:
    with TableRecords(file, target="y", scratch=folder) as records:
        chunks = [(features.copy(), labels.copy()) for features, labels in records.chunks()]
        return np.hstack([np.vstack([a for a, _ in chunks]), np.hstack([b for _, b in chunks])[:, None]])


@pytest.mark.parametrize(("limit", "kind"), [(10**9, MemoryStorage), (0, ScratchStorage)])
def test_a_table_is_held_where_there_is_room(file: Path, limit: int, kind: type, monkeypatch, tmp_path: Path):
    monkeypatch.setattr(table_records, "memory_limit", lambda: limit)
    with TableRecords(file, target="y", scratch=tmp_path) as records:
        assert isinstance(records._held, kind)
        assert isinstance(records.rows(), HeldRows)
    assert np.array_equal(read(file, tmp_path), FRAME.to_numpy())
    assert list(tmp_path.iterdir()) == [file]


def test_what_was_in_memory_moves_to_the_file_when_it_grows(file: Path, monkeypatch):
    """A CSV file does not tell how many rows it has; a Parquet file does, and goes to the disk at once."""
    made: list[int] = []
    honest = MemoryStorage.put
    monkeypatch.setattr(MemoryStorage, "put", lambda self, *given: made.append(1) or honest(self, *given))
    monkeypatch.setattr(table_records, "memory_limit", lambda: MemoryStorage.bytes_of(2, 2 * block_rows(1)))
    numbers = read(file)
    assert np.array_equal(numbers, FRAME.to_numpy())
    assert sum(made) == (2 if file.suffix == ".csv" else 0)


def test_no_room_is_said_and_the_table_read_anew(file: Path, monkeypatch):
    monkeypatch.setattr(table_records, "memory_limit", lambda: 0)
    written: list[int] = []
    honest = ScratchStorage.put

    def put(self: ScratchStorage, *given: object) -> None:
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(1)
        honest(self, *given)

    monkeypatch.setattr(ScratchStorage, "put", put)
    with pytest.warns(NoScratchWarning, match="No space left on device.*every pass reads the table anew"):
        records = TableRecords(file, target="y")
    with records:
        assert records.count == COUNT
        rows = records.rows()
        assert isinstance(rows, StreamedRows)
        assert rows.total(lambda block: block.labels.sum()) == FRAME["y"].sum()


def test_a_folder_that_is_none(file: Path, tmp_path: Path):
    for folder in (tmp_path / "none", file, 3):
        with pytest.raises(InvalidParameterError, match="scratch"):
            TableRecords(file, target="y", scratch=folder)
