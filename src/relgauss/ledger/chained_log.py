"""An append-only log in one SQLite file that notices when it was damaged: what a ledger is kept in.

Every entry carries a hash of itself and of the entry before it, and a head holds their number and the last
hash. Before a transaction adds anything it has read the log and checked all of it: a file that was truncated
or overwritten is refused, never read as a shorter log. Who has read it before reads what came since, which
must follow on what is known. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from relgauss.errors import RecordError, RelgaussError

VERSION = 2
_APPLICATION = 0x52474C47  # says in the file's header whose it is: "RGLG"
_PATIENCE = 30.0  # seconds to wait while another process writes
_FIRST_HASH = "0" * 64
_BEFORE_ALL = -(2**63)  # so that a number which was damaged is read, too

# Older versions would find none of their tables and begin anew: the views make them refuse.
_SCHEMA = (
    """CREATE TABLE entry (
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, content TEXT NOT NULL, hash TEXT NOT NULL)""",
    """CREATE TABLE head (
        only_row INTEGER PRIMARY KEY CHECK (only_row = 1), entries INTEGER NOT NULL, hash TEXT NOT NULL)""",
    f"INSERT INTO head VALUES (1, 0, '{_FIRST_HASH}')",
    "CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE TRIGGER entry_remains BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END",
    "CREATE VIEW account AS SELECT * FROM entry",
    "CREATE VIEW spend AS SELECT * FROM entry",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)


@dataclass(frozen=True)
class Entry:
    """One entry: what kind it is of, and what it says, as JSON."""

    kind: str
    text: str

    @classmethod
    def of(cls, kind: str, content: Mapping[str, object]) -> Entry:
        """An entry that says this."""
        return cls(kind, json.dumps(content, ensure_ascii=False, sort_keys=True))

    @cached_property
    def content(self) -> dict[str, Any]:
        """What it says."""
        read: dict[str, Any] = json.loads(self.text)
        return read


@dataclass(frozen=True)
class Checked:
    """The entries of a log that were read and are as they were written, and the hash of the last."""

    entries: tuple[Entry, ...] = ()
    last_hash: str = _FIRST_HASH

    def followed_by(self, entry: Entry) -> Checked:
        """The same, and one more entry."""
        number = len(self.entries) + 1
        return Checked((*self.entries, entry), _hash(self.last_hash, number, entry.kind, entry.text))


class Transaction:
    """The checked log, alone in this process's hands; what is added is on the disk when it ends."""

    def __init__(self, connection: sqlite3.Connection, checked: Checked) -> None:
        self.checked = checked
        self._connection = connection

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries of the log, those added here among them."""
        return self.checked.entries

    @property
    def head(self) -> str:
        """The hash of the last entry, which stands for all of them."""
        return self.checked.last_hash

    def append(self, kind: str, **content: object) -> None:
        """Add an entry of this kind, with the hash that chains it to the one before."""
        entry = Entry.of(kind, content)
        self.checked = self.checked.followed_by(entry)
        number = len(self.entries)
        self._connection.execute(
            "INSERT INTO entry VALUES (?, ?, ?, ?)", (number, kind, entry.text, self.head)
        )
        self._connection.execute("UPDATE head SET entries = ?, hash = ?", (number, self.head))


def create_log(file: Path, *first: Entry) -> None:
    """Make a log of these entries where there is no file: as a whole or, if interrupted, not at all."""
    leftover = [
        each for each in (file, *(Path(f"{file}{end}") for end in ("-journal", "-wal"))) if _exists(each)
    ]
    if leftover:
        raise RecordError(
            f"There is a file {leftover[0].name} already.",
            "Use the one that is there: what was spent stays spent. `relgauss ledger show` tells what "
            "that is.",
        )
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".new", dir=file.parent)
        os.close(handle)
        try:
            with transaction_on(Path(name)) as connection:
                write_schema(connection)
                log = begin(connection, file)
                for entry in first:
                    log.append(entry.kind, **entry.content)
            os.link(name, file)  # refuses to replace a file, unlike a rename
        finally:
            os.unlink(name)
        _sync_folder(file.parent)
    except OSError as problem:
        raise RecordError(
            f"The ledger or record {file.name} cannot be made ({problem.strerror}).",
            "Name a file in a folder that exists, can be written and is on a file system with links.",
        ) from None


def write_schema(connection: sqlite3.Connection) -> None:
    """Make the tables of a log, in a transaction that is under way."""
    for statement in _SCHEMA:
        connection.execute(statement)


def begin(connection: sqlite3.Connection, file: Path, known: Checked | None = None) -> Transaction:
    """Read and check the log, in a transaction that is under way: all of it, or what follows on ``known``.

    What is known was read by this process, so that damage to it on the disk hides nothing here; whoever reads
    the file anew finds it.
    """
    if known is None:
        check_structure(connection, file)
        known = Checked()
    last = len(known.entries)
    before = connection.execute("SELECT hash FROM entry WHERE number = ?", (last,)).fetchall()
    if last and before != [(known.last_hash,)]:
        raise damaged(file, "it is not the one that was read before, or lost what it held then")
    ((count, last_hash),) = connection.execute("SELECT entries, hash FROM head").fetchall()
    since, expected = [], known.last_hash
    rows = connection.execute(
        "SELECT number, kind, content, hash FROM entry WHERE number > ? ORDER BY number",
        (last or _BEFORE_ALL,),
    )
    for place, (number, kind, content, found) in enumerate(rows, start=last + 1):
        expected = _hash(expected, place, kind, content)
        if number != place or found != expected:
            raise damaged(file, f"entry {place} is not what was written")
        since.append(Entry(kind, content))
    if (last + len(since), expected) != (count, last_hash):
        raise damaged(file, "entries are missing")
    return Transaction(connection, Checked((*known.entries, *since), expected))


def check_structure(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse what SQLite itself can see to be broken."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if found != [("ok",)]:
        raise damaged(file, "its structure is broken")


def check_version(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse a file of another format."""
    version = version_of(connection)
    if version != VERSION:
        kind = f"of format {version}, not {VERSION}" if version else "empty, or no record of relgauss"
        raise RecordError(
            f"The ledger or record {file.name} is {kind}.",
            "Open it with the version of relgauss that wrote it. A record that was emptied has to be "
            "restored: what it knew stays spent.",
        )


def version_of(connection: sqlite3.Connection) -> int:
    """The format's version; 0 for a file that is not marked as a log."""
    ((application,),) = connection.execute("PRAGMA application_id").fetchall()
    ((version,),) = connection.execute("PRAGMA user_version").fetchall()
    return int(version) if application == _APPLICATION else 0


@contextmanager
def transaction_on(file: Path) -> Iterator[sqlite3.Connection]:
    """Atomic, alone and on the disk when it ends; an error of any kind leaves the file as it was.

    The file is never made by this.
    """
    try:
        address = f"{file.absolute().as_uri()}?mode=rw"
        connecting = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
        with closing(connecting) as connection:
            connection.execute("PRAGMA synchronous = EXTRA")  # survives a loss of power, too
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
    except RelgaussError:
        raise
    except (sqlite3.Error, ValueError, TypeError, KeyError, OverflowError) as problem:
        # SQLite's own errors, and what a damaged file makes of what is read from it.
        why = str(problem) if isinstance(problem, sqlite3.Error) else "it is damaged"
        raise RecordError(
            f"{file.name} cannot be used as a ledger or record ({why}).",
            "Check that relgauss made the file, and that it and its folder can be written.",
        ) from None


def damaged(file: Path, how: str) -> RecordError:
    """What refuses a file that is not as it was written."""
    return RecordError(
        f"The ledger or record {file.name} is damaged: {how}.",
        "Do not go on without it: restore the file as it was last, or take all that was agreed on as spent.",
    )


def _hash(before: str, number: int, kind: str, content: str) -> str:
    text = json.dumps([before, number, kind, content], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _exists(file: Path) -> bool:
    return os.path.lexists(file)


def _sync_folder(folder: Path) -> None:
    """Keep the name of a new file through a loss of power, where a folder can be synchronised."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
