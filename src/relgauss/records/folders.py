"""Folders and patterns of files that together are one table."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from relgauss.errors import TableError


def is_folder(data: object) -> bool:
    """Whether this names several files: a folder, or a pattern such as part-*.parquet."""
    return isinstance(data, str | Path) and (Path(data).is_dir() or has_magic(str(data)))


def files_in(data: object, endings: Sequence[str]) -> list[Path]:
    """The files, in the order of their names; hidden ones and those that start with _ are left out."""
    path = Path(str(data))
    found = path.rglob("*") if path.is_dir() else (Path(name) for name in glob(str(data), recursive=True))
    files = [
        file
        for file in sorted(found)
        if file.is_file() and not file.name.startswith(("_", ".")) and _ending(file) in endings
    ]
    if not files:
        raise TableError(
            f"There is no table in {path}.", f"Put files there that end in {', '.join(endings)}."
        )
    kinds = {_ending(file) for file in files}
    if len(kinds) > 1:
        raise TableError(
            f"{path} holds files of several kinds: {', '.join(sorted(kinds))}.",
            "Name those of one kind by a pattern, such as 'folder/*.parquet'.",
        )
    return files


def check_alike(schemas: Sequence[tuple[Path, dict[str, str]]]) -> None:
    """Refuse files whose columns differ, naming a file and a column."""
    first_file, first = schemas[0]
    for file, schema in schemas[1:]:
        for name in [*first, *schema]:
            if first.get(name) != schema.get(name):
                here, there = schema.get(name, "not there"), first.get(name, "not there")
                raise TableError(
                    f"The column {name!r} is {here} in {file}, but {there} in {first_file}.",
                    "Give all files the same columns.",
                )


def _ending(file: Path) -> str:
    """The ending of a file's name, that of the packed file for .gz."""
    endings = [ending.lower() for ending in file.suffixes if ending.lower() != ".gz"]
    return endings[-1] if endings else ""
