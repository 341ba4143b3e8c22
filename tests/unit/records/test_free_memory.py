"""What may be held in memory: a share of the least that the machine and the groups around it have free."""

from pathlib import Path

import pytest

from relgauss.records import free_memory
from relgauss.records.free_memory import memory_limit

GIB = 2**30


@pytest.fixture
def machine(tmp_path: Path, monkeypatch) -> Path:
    """8 GiB free, and a process in no group."""
    (tmp_path / "meminfo").write_text(f"MemTotal: 99 kB\nMemAvailable:   {8 * GIB // 1024} kB\n")
    monkeypatch.setattr(free_memory, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(free_memory, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(free_memory, "_OWN_GROUP", tmp_path / "own")
    return tmp_path


def make_group(folder: Path, **files: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


def test_it_is_a_share_of_what_is_free(machine: Path):
    assert memory_limit() == GIB


def test_a_group_around_the_process_counts(machine: Path):
    (machine / "own").write_text("0::/outer/inner\n")
    outer = machine / "groups/outer"
    make_group(outer / "inner", memory__max="max", memory__current=1, memory__stat="inactive_file 0")
    make_group(outer, memory__max=4 * GIB, memory__current=3 * GIB, memory__stat=f"inactive_file {GIB}")
    assert memory_limit() == 2 * GIB // 8


def test_a_group_of_the_first_version_counts(machine: Path):
    (machine / "own").write_text("5:cpu:/\n4:memory,other:/inner\n")
    make_group(
        machine / "groups/memory/inner",
        memory__limit_in_bytes=GIB,
        memory__usage_in_bytes=2 * GIB,
        memory__stat="total_inactive_file 5",
    )
    assert memory_limit() == 0


def test_a_system_that_says_nothing(machine: Path):
    (machine / "meminfo").unlink()
    assert memory_limit() > 0
