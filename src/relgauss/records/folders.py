"""Folders and patterns of files that together are one table, each file in it once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from glob import glob, has_magic
from pathlib import Path

from relgauss.errors import TableError


def is_folder(data: object) -> bool:
    """Whether this names several files: a folder, or a pattern such as part-*.parquet.

    A file whose name looks like a pattern is that file.
    """
    if not isinstance(data, str | Path):
        return False
    path = Path(data)
    return path.is_dir() or (has_magic(str(data)) and not path.is_file())


def files_in(data: object, endings: Sequence[str]) -> list[Path]:
    """The files, in the order of their names, each once, however many links lead to it.

    Hidden ones, those that start with _ and all that lies in folders of such names are left out, unless the
    folder itself is named. What may be the same records twice is refused: files of several kinds, and a file
    beside its packed self.
    """
    path = Path(str(data))
    found = _below(path) if path.is_dir() else _matching(str(data))
    files = _each_once(
        file for file in sorted(found) if not _is_hidden(file.name) and _ending(file) in endings
    )
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
    _refuse_packed_twins(files)
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


def _below(folder: Path) -> list[Path]:
    """All that lies in a folder; what other programs hide there are often copies of its files."""
    return [
        path for path in folder.rglob("*") if not any(map(_is_hidden, path.relative_to(folder).parts[:-1]))
    ]


def _matching(pattern: str) -> list[Path]:
    """All that a pattern matches but what lies in a hidden folder that only * or ? stands for."""
    named = Path(pattern).parts
    return [
        path
        for path in map(Path, glob(pattern, recursive=True))
        if not any(_is_hidden(part) and part not in named for part in path.parts[:-1])
    ]


def _is_hidden(name: str) -> bool:
    return name.startswith(("_", "."))


def _each_once(paths: Iterable[Path]) -> list[Path]:
    """Files, and of several names of one file (links, also of its folder) the first."""
    files: dict[tuple[int, int], Path] = {}
    for path in paths:
        if path.is_file():
            found = path.stat()
            files.setdefault((found.st_dev, found.st_ino), path)
    return list(files.values())


def _refuse_packed_twins(files: Sequence[Path]) -> None:
    """Refuse a.csv beside a.csv.gz: if one is a copy of the other, each record would be there twice."""
    names: dict[Path, Path] = {}
    for file in files:
        unpacked = file.with_name(_unpacked(file.name))
        twin = names.setdefault(unpacked, file)
        if twin is not file:
            raise TableError(
                f"{twin} and {file} may be the same records.",
                "Move one away, or name the files by a pattern, such as 'folder/*.csv' or 'folder/*.gz'.",
            )


def _unpacked(name: str) -> str:
    while name.lower().endswith(".gz"):
        name = name[: -len(".gz")]
    return name.lower()


def _ending(file: Path) -> str:
    """The ending of a file's name, that of the packed file for .gz."""
    endings = [ending.lower() for ending in file.suffixes if ending.lower() != ".gz"]
    return endings[-1] if endings else ""
