"""The files that a command makes: none of them is an input, or replaces another unless that is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from glob import escape, glob, has_magic
from pathlib import Path

from relgauss.errors import RelgaussError
from relgauss.writing import Write, check_place, write_together


def check_new_files(files: Iterable[Path | None], inputs: Iterable[Path | None], force: bool) -> None:
    """Refuse, before data are read or a budget is spent, files that must not or could not be written.

    An input is a file, a folder with all that is in it, or a pattern of files; it is found through links and
    other spellings of its name, and never replaced. Other files that exist are replaced with ``force`` only.
    """
    new = [file for file in files if file is not None]
    given = [path for path in inputs if path is not None]
    for number, file in enumerate(new):
        for path in given:
            if _is_read(file, path):
                raise RelgaussError(
                    f"{file} is part of the input {path}, which is never replaced.", "Choose another file."
                )
        if any(_is_same(file, other) for other in new[:number]):
            raise RelgaussError(f"{file} is to be written twice.", "Choose two different files.")
        if file.is_file() and not force:
            raise RelgaussError(f"{file} exists.", "Choose another file, or pass --force to replace it.")
        check_place(file)


def write_new(file: Path, write: Write, force: bool) -> None:
    """Write one file: ``write`` is given a path beside it."""
    write_together([(file, write)], replace=force)


def write_all(writes: Sequence[Callable[[], object]]) -> RelgaussError | None:
    """Write what a budget was spent on; one file that fails neither keeps the others nor the text back.

    The first failure is returned, to be raised when the result is printed.
    """
    failed = None
    for write in writes:
        try:
            write()
        except RelgaussError as error:
            failed = failed or error
    return failed


def _is_read(file: Path, path: Path) -> bool:
    """Whether a command that reads ``path`` would read ``file`` too."""
    if path.is_dir():
        folders = Path(os.path.realpath(file)).parents
        inside = any(folder.exists() and folder.samefile(path) for folder in folders)
        return inside or _is_among(file, path.rglob("*"))
    if path.exists() or not has_magic(str(path)):
        return _is_same(file, path)
    matches = fnmatchcase(os.path.realpath(file).casefold(), _wide_pattern(path))
    return matches or _is_among(file, map(Path, glob(str(path), recursive=True)))


def _wide_pattern(path: Path) -> str:
    """A pattern that matches all that ``path`` does and more: * stands for folders too, case is ignored."""
    parts = Path(os.path.abspath(path)).parts
    first = next(place for place, part in enumerate(parts) if has_magic(part))
    folder = os.path.realpath(Path(*parts[:first]))
    return os.path.join(escape(folder), *parts[first:]).replace(f"**{os.sep}", "*").casefold()


def _is_among(file: Path, others: Iterable[Path]) -> bool:
    """Whether a file that exists is one of these, if only through links."""
    return file.exists() and any(each.is_file() and file.samefile(each) for each in others)


def _is_same(file: Path, other: Path) -> bool:
    """Whether two names stand for one file, through links, or only in another case of the letters."""
    if file.exists() and other.exists():
        return file.samefile(other)
    return os.path.realpath(file).casefold() == os.path.realpath(other).casefold()
