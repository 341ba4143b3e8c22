"""A durable record of spends, in one file: at most one release for a charge, through every crash.

    absent ── reserve ──► reserved ── commit ──► released
                             └────── abandon ──► abandoned

A request is reserved before its noise is drawn and committed with its release. Either way it counts as
spent for ever. Asked again, a released request gives the release it gave before; one that was only reserved
gives nothing, as its noise may have been seen. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from relgauss import validate
from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import LostReleaseError, OtherQuestionError, RecordError, SpentError
from relgauss.ledger.accounts import Account, Charge, Reserved, Spend, Stored
from relgauss.ledger.chained_log import (
    Checked,
    Entry,
    Transaction,
    begin,
    check_version,
    create_log,
    transaction_on,
    version_of,
)
from relgauss.ledger.first_format import bring_up_to_date, is_first_format


class SpendRecord:
    """A record of everything that was spent, in one file; several processes may use it at once.

    ``create`` makes it, once; ``open`` finds it again. A file that is missing, empty, damaged or of an
    unknown format is refused: to begin anew in its place would be to forget what was spent.

    Parameters
    ----------
    file
        Where the record is. It is read at each use, never made by this.
    """

    prefix: ClassVar[str] = ""  # of the kinds of its entries

    def __init__(self, file: Path | str) -> None:
        self.file = Path(file)
        self._known: Checked | None = None  # what was read of it, and need not be read again

    @classmethod
    def create(cls, file: Path | str) -> Self:
        """Make a record at ``file``, where there is none; interrupted, it leaves nothing behind."""
        create_log(Path(file))
        return cls(file)

    @classmethod
    def open(cls, file: Path | str) -> Self:
        """The record at ``file`` that was made before; one of an older format is brought up to date."""
        record = cls(file)
        with record._log():
            return record

    def fund(self, account: str, planned: PrivacyStatement) -> None:
        """Reserve all that a node agreed on in a ledger, if the record is part of one: this one is of none.

        Parameters
        ----------
        account
            The node's name.
        planned
            What its set-up and its rounds cost together.
        """

    def open_account(self, account: str, terms: str, allowed: int, *, formerly: str = "") -> None:
        """Record that so many releases were agreed on; a later opening of the account must say the same.

        Parameters
        ----------
        account
            The account's name.
        terms
            Everything that decides what is spent, as text.
        allowed
            How many releases may be reserved in all.
        formerly
            How an older version wrote the same terms.
        """
        allowed = validate.count("allowed", allowed)
        with self._log() as log:
            found = accounts_of(log.entries, self.prefix).get(account)
            if found is None:
                log.append(f"{self.prefix}agree", account=account, terms=terms, allowed=allowed)
            elif found.terms not in (terms, formerly) or found.allowed != allowed:
                raise RecordError(
                    f"The record {self.file.name} holds another agreement for {account!r}.",
                    "Go on with the agreement that was made first: what was spent under it stays spent.",
                )

    def reserve(self, account: str, request: str, question: str) -> Reserved | Stored:
        """Charge the request, or give the release that it was answered with before.

        Parameters
        ----------
        account
            The account to charge.
        request
            The request's name: the same name is charged once.
        question
            What is asked, as text; the same name with another question is refused.
        """
        with self._log() as log:
            found = self._account(log, account)
            before = found.charges.get(request)
            if before is not None:
                return _repeated(before, question)
            if len(found.charges) >= found.allowed:
                raise SpentError(
                    f"All {found.allowed} releases that {account!r} agreed on are spent.",
                    "Go on without this node; more rounds would need a new agreement and more budget.",
                )
            log.append(f"{self.prefix}reserve", account=account, request=request, question=question)
            return Reserved(len(found.charges))

    def commit(self, account: str, request: str, release: str) -> None:
        """Record the release of a reserved request of an ``account``; only now may it leave the node."""
        with self._log() as log:
            self._reserved(log, account, request)
            log.append(f"{self.prefix}commit", account=account, request=request, release=release)

    def abandon(self, account: str, request: str) -> None:
        """Give up a reserved request of an ``account`` whose process is dead: it stays spent, uncommitted."""
        with self._log() as log:
            self._reserved(log, account, request)
            log.append(f"{self.prefix}abandon", account=account, request=request)

    def is_abandoned(self, account: str, request: str) -> bool:
        """Whether the request was reserved in the ``account`` and given up."""
        with self._log() as log:
            found = accounts_of(log.entries, self.prefix).get(account)
            return (
                found is not None and request in found.charges and found.charges[request].state == "abandoned"
            )

    def spends(self, account: str) -> tuple[Spend, ...]:
        """All charges of an account, in order."""
        with self._log() as log:
            found = accounts_of(log.entries, self.prefix).get(account)
            charges = found.charges.values() if found is not None else ()
            return tuple(
                Spend(position, each.request, each.state == "released")
                for position, each in enumerate(charges)
            )

    def checked_entries(self) -> tuple[tuple[Entry, ...], str]:
        """All entries, each checked against its hash, and the last hash."""
        with self._log() as log:
            return log.entries, log.head

    def _account(self, log: Transaction, account: str) -> Account:
        found = accounts_of(log.entries, self.prefix).get(account)
        if found is None:
            raise RecordError(f"There is no account {account!r}.", "Open it with what was agreed on.")
        return found

    def _reserved(self, log: Transaction, account: str, request: str) -> None:
        charge = self._account(log, account).charges.get(request)
        if charge is None or charge.state != "reserved":
            raise RecordError(
                f"The request {request!r} is not reserved.", "Reserve a request before its noise is drawn."
            )

    @contextmanager
    def _log(self) -> Iterator[Transaction]:
        """The whole record, checked, in a transaction."""
        if not self.file.exists():
            raise RecordError(
                f"There is no record {self.file.name}.",
                "If there was one, find it; else make it, once, with SpendRecord.create(file).",
            )
        with transaction_on(self.file) as connection:
            if version_of(connection) == 0 and is_first_format(connection):
                bring_up_to_date(connection, self.file)
            check_version(connection, self.file)
            log = begin(connection, self.file, self._known)
            yield log
        self._known = log.checked  # it is on the disk now


def _repeated(charge: Charge, question: str) -> Stored:
    if question != charge.question:
        raise OtherQuestionError(
            f"The request {charge.request!r} was made before, with another question.",
            "Give each question a name of its own.",
        )
    if charge.state != "released":
        raise LostReleaseError(
            f"The request {charge.request!r} was charged, but no release is recorded: it is lost or "
            "under way.",
            "Go on without it; it stays spent.",
        )
    return Stored(charge.release)


def accounts_of(entries: Iterable[Entry], prefix: str) -> dict[str, Account]:
    """What entries whose kinds have this prefix say of each account, in the order of its charges."""
    accounts: dict[str, Account] = {}
    for entry in entries:
        if not entry.kind.startswith(prefix):
            continue
        said = entry.content
        name, request = str(said.get("account")), str(said.get("request"))
        match entry.kind.removeprefix(prefix):
            case "agree":
                accounts[name] = Account(str(said["terms"]), int(str(said["allowed"])))
            case "reserve":
                accounts[name].charges[request] = Charge(request, str(said["question"]))
            case "commit":
                charge = accounts[name].charges[request]
                charge.state, charge.release = "released", str(said["release"])
            case "abandon":
                accounts[name].charges[request].state = "abandoned"
            case _:
                raise RecordError(
                    f"The record holds an entry of kind {entry.kind!r}.",
                    "A ledger is opened by Ledger.open; for any other kind use a newer relgauss.",
                )
    return accounts
