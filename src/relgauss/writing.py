"""Files are written whole: beside their place first, then renamed, several that belong together as one.

A file that is being written is called ``.relgauss-...`` and lies in the folder of its place. Only a killed
process leaves one behind.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from relgauss.errors import RelgaussError, UnwrittenError

Write = Callable[[Path], object]

_ROOM = 2**16  # bytes that a folder must have room for before work begins
_FIX = "Choose a file in a folder you can write to."


def check_place(file: Path) -> None:
    """Refuse, before any work, a place where no file could be written; nothing is left there.

    Room for a small file is tried out, so that a full disk is met before a budget is spent.
    """
    place = _place(file)
    try:
        draft = _new_draft(place)
        try:
            draft.write_bytes(bytes(_ROOM))
            _flush(draft)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UnwrittenError(file, _reason(error)) from None


def write_together(parts: Sequence[tuple[Path, Write]], *, replace: bool = True) -> None:
    """Write files that belong together; each part is a file and what writes it to a path that it is given.

    All are written beside their places and flushed to the disk before any of them appears. They appear in
    this order, older ones disappear in the opposite order: at no moment is the last one there without the
    others, or beside others that are not its own. One file alone is replaced in one step.

    Without ``replace`` a file that exists is left alone, even if it came during the work.
    """
    places = [_place(file) for file, _ in parts]
    drafts: list[Path] = []
    try:
        for (file, write), place in zip(parts, places, strict=True):
            try:
                drafts.append(_new_draft(place))
                write(drafts[-1])
                _flush(drafts[-1])
            except (OSError, UnwrittenError) as error:
                raise UnwrittenError(file, _reason(error)) from None
    except BaseException:
        _remove(drafts)
        raise
    try:
        _publish(drafts, places, replace)
    except OSError as error:
        raise UnwrittenError(parts[-1][0], _reason(error), drafts) from None
    _remove(drafts)
    for folder in {place.parent for place in places}:
        with suppress(OSError):  # not every system can flush a folder
            _flush(folder, os.O_RDONLY)


def _publish(drafts: Sequence[Path], places: Sequence[Path], replace: bool) -> None:
    """Give every draft its name; if one cannot have it, all is as it was, and the drafts are kept."""
    if replace and len(places) == 1:
        drafts[0].replace(places[0])
        return
    aside: list[tuple[Path, Path]] = []
    named: list[tuple[Path, Path]] = []
    try:
        for place in reversed(places):
            if replace and os.path.lexists(place):
                aside.append((place, _free_name(place)))
                place.rename(aside[-1][1])
        for draft, place in zip(drafts, places, strict=True):
            _name(draft, place)
            named.append((draft, place))
    except BaseException:
        for draft, place in reversed(named):
            if draft.exists():
                place.unlink()
            else:
                place.rename(draft)
        for place, old in reversed(aside):
            with suppress(FileNotFoundError):  # interrupted before it was moved
                old.rename(place)
        raise
    _remove(old for _, old in aside)


def _name(draft: Path, place: Path) -> None:
    """Let a file appear at its place unless something is there; the draft's name stays."""
    try:
        os.link(draft, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        draft.rename(place)


def _place(file: Path) -> Path:
    """Where a file really is, if one can be there: a link is followed, and still is one afterwards."""
    place = Path(os.path.realpath(file))
    if os.path.lexists(place) and not place.is_file():
        kind = "a folder" if place.is_dir() else "no regular file"
        raise RelgaussError(f"{file} cannot be written: it is {kind}.", _FIX)
    if not place.parent.is_dir():
        raise RelgaussError(f"{file} cannot be written: there is no folder {file.parent}.", "Make it first.")
    return place


def _new_draft(place: Path) -> Path:
    """An empty file beside a place; it has the rights of the file there, or else those of any new file."""
    draft = _free_name(place)
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    with suppress(FileNotFoundError):
        draft.chmod(place.stat().st_mode & 0o777)
    return draft


def _free_name(place: Path) -> Path:
    return place.with_name(f".relgauss-{secrets.token_hex(8)}{place.suffix}")


def _flush(file: Path, flags: int = os.O_RDWR) -> None:
    """Wait until a file is on the disk."""
    descriptor = os.open(file, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def _reason(error: OSError | UnwrittenError) -> str:
    if isinstance(error, UnwrittenError):
        return error.reason
    return error.strerror or str(error) or type(error).__name__
