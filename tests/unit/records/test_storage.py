"""Storage of every kind: the same numbers back, and a file that nobody else can read or find."""

import errno
import os
import stat
from pathlib import Path

import numpy as np
import pytest

from relgauss.records.storage import MemoryStorage, ScratchStorage, Storage

BLOCK, WIDTH = 8, 3
RNG = np.random.default_rng(0)


def memory(folder: Path) -> Storage:
    return MemoryStorage(WIDTH, BLOCK)


def scratch(folder: Path) -> Storage:
    return ScratchStorage(WIDTH, BLOCK, folder)


@pytest.mark.parametrize("make", [memory, scratch])
@pytest.mark.parametrize("count", [1, BLOCK, BLOCK + 1, 40 * BLOCK + 3])
@pytest.mark.parametrize("columns", [1, WIDTH])
def test_what_is_put_is_read(make, count: int, columns: int, tmp_path: Path):
    features, labels = RNG.normal(size=(count, columns)), RNG.normal(size=count)
    storage = make(tmp_path)
    parts = [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]
    for part in parts:
        storage.add(features[part], labels[part])
    assert storage.count == count
    for place, part in enumerate(parts):
        held = storage.read(place)
        assert np.array_equal(held.features[:, :columns], features[part])
        assert held.features[:, :columns].flags.f_contiguous
        assert np.array_equal(held.first_labels, labels[part])
        assert np.array_equal(held.labels, labels[part])
        storage.put(place, -features[part], 2 * labels[part], labels[part] ** 2)
    for place, part in enumerate(parts):
        held = storage.read(place)
        assert np.array_equal(held.features[:, :columns], -features[part])
        assert np.array_equal(held.first_labels, labels[part])
        assert np.array_equal(held.labels, 2 * labels[part])
        assert np.array_equal(held.norms, labels[part] ** 2)


def test_a_scratch_file_is_private_and_in_no_folder(tmp_path: Path):
    storage = scratch(tmp_path)
    storage.add(np.ones((BLOCK, WIDTH)), np.ones(BLOCK))
    storage.read(0)
    file = os.fstat(storage._file.fileno())
    assert file.st_size == storage.bytes
    assert stat.S_IMODE(file.st_mode) == 0o600
    assert file.st_nlink == 0
    assert file.st_dev == tmp_path.stat().st_dev
    assert list(tmp_path.iterdir()) == []


def open_files() -> list[int]:
    found = []
    for fd in range(3, 256):
        try:
            is_file = stat.S_ISREG(os.fstat(fd).st_mode)
        except OSError:
            continue
        found += [fd] if is_file else []
    return found


def test_the_file_is_closed_with_its_storage(tmp_path: Path):
    before = len(open_files())
    storage = scratch(tmp_path)
    storage.add(np.ones((BLOCK, WIDTH)), np.ones(BLOCK))
    assert len(open_files()) == before + 1
    del storage
    assert len(open_files()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_an_error_and_no_signal(tmp_path: Path):
    storage = scratch(tmp_path)
    with Path("/dev/full").open("r+b", buffering=0) as full:
        storage._file = full
        with pytest.raises(OSError) as caught:  # noqa: PT011 - the number says it
            storage.add(np.ones((BLOCK, WIDTH)), np.ones(BLOCK))
    assert caught.value.errno == errno.ENOSPC


def test_a_write_that_stops_half_way_goes_on(tmp_path: Path, monkeypatch):
    whole = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda fd, data, offset: whole(fd, data[:7], offset))
    storage = scratch(tmp_path)
    features = RNG.normal(size=(BLOCK, WIDTH))
    storage.add(features, features[:, 0])
    assert np.array_equal(storage.read(0).features, features)
