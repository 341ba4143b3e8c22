"""A durable record of spends, in one SQLite file: at most one release for a charge, through every crash.

    absent ── reserve ──► reserved ── commit ──► released

A request is reserved before its noise is drawn and committed with its release. Either way it counts as
spent for ever. Asked again, a released request gives the release it gave before; one that was only reserved
gives nothing, as its noise may have been seen. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from relgauss import validate
from relgauss.errors import LostReleaseError, OtherQuestionError, RecordError, SpentError

_PATIENCE = 30.0  # seconds to wait while another process writes

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS account (
        name TEXT PRIMARY KEY, terms TEXT NOT NULL, allowed INTEGER NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS spend (
        account TEXT NOT NULL REFERENCES account (name), position INTEGER NOT NULL, request TEXT NOT NULL,
        question TEXT NOT NULL, release TEXT,
        PRIMARY KEY (account, position), UNIQUE (account, request))""",
)


@dataclass(frozen=True)
class Reserved:
    """A charge that is to be committed with its release; ``position`` counts the account's charges from 0."""

    position: int


@dataclass(frozen=True)
class Stored:
    """The release that this request was answered with before."""

    release: str


@dataclass(frozen=True)
class Spend:
    """One line of the record; ``released`` is false for a charge whose release was never recorded."""

    position: int
    request: str
    released: bool


class SpendRecord:
    """The record in ``file``; several processes may use it at once. It forgets nothing."""

    def __init__(self, file: Path | str) -> None:
        self.file = Path(file)
        with self._transaction() as connection:
            for statement in _SCHEMA:
                connection.execute(statement)

    def open_account(self, account: str, terms: str, allowed: int) -> None:
        """Record that ``allowed`` releases on these terms were agreed on; later openings must be the same."""
        allowed = validate.count("allowed", allowed)
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO account VALUES (?, ?, ?)", (account, terms, allowed))
            found = connection.execute("SELECT terms, allowed FROM account WHERE name = ?", (account,))
            if found.fetchone() != (terms, allowed):
                raise RecordError(
                    f"The record {self.file.name} holds another agreement for {account!r}.",
                    "Go on with the agreement that was made first: what was spent under it stays spent.",
                )

    def reserve(self, account: str, request: str, question: str) -> Reserved | Stored:
        """Charge the request, or give the release that it was answered with before."""
        with self._transaction() as connection:
            before = connection.execute(
                "SELECT question, release FROM spend WHERE account = ? AND request = ?", (account, request)
            ).fetchone()
            if before is not None:
                return self._repeated(request, question, *before)
            allowed, spent = self._totals(connection, account)
            if spent >= allowed:
                raise SpentError(
                    f"All {allowed} releases that {account!r} agreed on are spent.",
                    "Go on without this node; more rounds would need a new agreement and more budget.",
                )
            connection.execute(
                "INSERT INTO spend VALUES (?, ?, ?, ?, NULL)", (account, spent, request, question)
            )
            return Reserved(spent)

    def commit(self, account: str, request: str, release: str) -> None:
        """Record the release of a reserved request; only now may it leave the node."""
        with self._transaction() as connection:
            changed = connection.execute(
                "UPDATE spend SET release = ? WHERE account = ? AND request = ? AND release IS NULL",
                (release, account, request),
            )
            if changed.rowcount != 1:
                raise RecordError(
                    f"The request {request!r} is not reserved.",
                    "Reserve a request before its noise is drawn.",
                )

    def spends(self, account: str) -> tuple[Spend, ...]:
        """All charges of an account, in order."""
        with self._transaction() as connection:
            rows = connection.execute(
                """SELECT position, request, release IS NOT NULL FROM spend
                WHERE account = ? ORDER BY position""",
                (account,),
            )
            return tuple(Spend(position, request, bool(released)) for position, request, released in rows)

    def _repeated(self, request: str, question: str, asked: str, release: str | None) -> Stored:
        if question != asked:
            raise OtherQuestionError(
                f"The request {request!r} was made before, with another question.",
                "Give each question a name of its own.",
            )
        if release is None:
            raise LostReleaseError(
                f"The request {request!r} was charged, but no release is recorded: it is lost or under way.",
                "Go on without it; it stays spent.",
            )
        return Stored(release)

    def _totals(self, connection: sqlite3.Connection, account: str) -> tuple[int, int]:
        allowed = connection.execute("SELECT allowed FROM account WHERE name = ?", (account,)).fetchone()
        if allowed is None:
            raise RecordError(f"There is no account {account!r}.", "Open it with what was agreed on.")
        spent = connection.execute("SELECT count(*) FROM spend WHERE account = ?", (account,)).fetchone()
        return int(allowed[0]), int(spent[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Atomic, alone and on the disk when it ends; an error of any kind leaves the file as it was."""
        try:
            with closing(sqlite3.connect(self.file, timeout=_PATIENCE, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous = EXTRA")  # survives a loss of power, too
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as problem:
            raise RecordError(
                f"The record {self.file.name} cannot be used ({problem}).",
                "Check that the file is a record of relgauss, and that it and its folder can be written.",
            ) from None
