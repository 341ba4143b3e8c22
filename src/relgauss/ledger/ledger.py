"""A ledger: what may be spent on a dataset and what was, in one file, across runs, processes and crashes.

    reserve ──► draw noise ──► record the release

A release is reserved before its noise is drawn, and counts from then on, whatever happens. Whether the budget
holds it is decided by a filter, since what is spent next may depend on what was seen. Proofs:
proofs/adaptive-budgets.md, proofs/durable-record.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from relgauss.accounting.filter import PrivacyFilter
from relgauss.budget.statement import PrivacyStatement
from relgauss.errors import (
    InvalidParameterError,
    NoGuaranteeError,
    RecordError,
)
from relgauss.ledger.add_spend import append_reservation, check_amount, excess
from relgauss.ledger.chained_log import (
    Checked,
    Transaction,
    begin,
    check_version,
    create_log,
    transaction_on,
)
from relgauss.ledger.ledger_entries import LedgerState, opening_entry, read_opening, read_state
from relgauss.ledger.ledger_spend import find_spend, spend_content
from relgauss.ledger.outside import Outside, outside_statement
from relgauss.ledger.promise import NEIGHBOURS, Promise, check_promise
from relgauss.ledger.reservation import Reservation, Verified, covers
from relgauss.ledger.standing import Standing, check_sums, standing_of, with_sums


class Ledger:
    """Budgets that last: one file for a dataset and a unit of privacy; several processes may use it at once.

    ``create`` makes it, once; ``open`` finds it again. Estimators and ``release_*`` take it as ``ledger=``.

    >>> ledger = Ledger.create("pay.ledger", dataset="pay 2026", unit="row", epsilon=3.0, delta=1e-6)
    >>> release_means("pay.csv", by="job", value="salary", epsilon=1.0, delta=1e-6, ledger=ledger)
    >>> ledger.left()

    Parameters
    ----------
    file
        Where the ledger is. It is read at each use, never made by this.
    """

    def __init__(self, file: Path | str) -> None:
        self.file = Path(file).absolute()  # the same one wherever the process goes
        self._known: Checked | None = None  # what was read of it, and need not be read again

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        """A copy reads the file itself."""
        return type(self), (self.file,)

    def __repr__(self) -> str:
        return f"Ledger({str(self.file)!r})"

    @classmethod
    def create(
        cls,
        file: Path | str,
        *,
        dataset: str,
        unit: str,
        epsilon: float,
        delta: float,
        neighbours: str | None = None,
        for_failures: float = 0.0,
        for_pure: float = 0.0,
        orders: tuple[float, ...] = (),
    ) -> Self:
        """Make a ledger where there is no file; interrupted, it leaves nothing behind.

        Parameters
        ----------
        file
            Where it is to be.
        dataset
            The records it is for, by a name for people.
        unit
            Whom it protects: "row"; "person", whose rows are one or all, as the first release states it; or
            the unit as statements say it.
        epsilon, delta
            What everything together may cost, for ever.
        neighbours
            Which tables it keeps apart: "replace-one", "within groups" (by the columns of the first grouped
            release), "add-or-remove", or as statements say it; None: as its first spend does.
        for_failures
            The part of delta that is kept for leaks and failures: of certificates and (epsilon, delta)-DP.
        for_pure
            The part of epsilon that is set aside for pure and (epsilon, delta)-DP: their epsilons add up.
        orders
            Rényi orders to count at; none counts in mu², which is exact for Gaussian noise.
        """
        budget = PrivacyFilter(epsilon, delta, for_failures, for_pure, orders)
        for name, text in (
            ("dataset", dataset),
            ("unit", unit),
            ("neighbours", neighbours or "as the first"),
        ):
            if not isinstance(text, str) or not text.strip():
                raise InvalidParameterError(name, text, "a text that is not empty", "Pass a few words.")
        said = None if neighbours is None else NEIGHBOURS.get(neighbours, neighbours)
        create_log(Path(file), opening_entry(dataset, unit, said, budget))
        return cls(file)

    @classmethod
    def open(cls, file: Path | str) -> Self:
        """The ledger at ``file``; one that is missing, damaged or of an unknown format is refused."""
        ledger = cls(file)
        ledger.standing()
        return ledger

    def state(self) -> LedgerState:
        """What the ledger says now, every spend of it: for people to look at."""
        with self._log() as log:
            return read_state(log.entries, self.file.name)

    def standing(self) -> Standing:
        """Where the ledger stands now: what decides on the next spend."""
        with self._log() as log:
            return standing_of(log.entries, self.file.name)

    def left(self, delta: float | None = None) -> float:
        """The epsilon of the largest Gaussian release that still fits, at this delta or the ledger's own.

        Rounded down: a release of (``left(delta)``, delta) is admitted.
        """
        budget = self.standing().budget
        return budget.left.epsilon(budget.delta if delta is None else delta)

    def statement(self) -> PrivacyStatement:
        """Everything that counts as spent. Its epsilon is tight for plans that were fixed in advance."""
        return self.state().statement()

    def reserve(self, planned: PrivacyStatement, what: str = "") -> Reservation:
        """Count a release before its noise is drawn; one that does not fit is an ``OverBudgetError``.

        Parameters
        ----------
        planned
            What the release will cost, at most: fixed by public numbers before anything is drawn.
        what
            What is released, in a few words; left out, the stages of the charges.
        """
        with self._log() as log:
            name = append_reservation(log, self.file.name, planned, what)
        return Reservation(name, planned)

    def record(self, reservation: Reservation, statement: PrivacyStatement) -> None:
        """Write the statement of a release that was reserved; one that cost more than that is refused.

        What it cost then counts as well, as it was spent; so does one that is recorded a second time. What
        was reserved is read in the ledger itself. A cost that no entry can hold uses up the whole budget.

        Parameters
        ----------
        reservation
            What ``reserve`` gave.
        statement
            What the release cost.
        """
        told = statement.to_dict()  # before the log is locked: it may take a second
        with self._log() as log:
            standing = standing_of(log.entries, self.file.name)
            reserved = find_spend(log.entries, reservation.id)
            if reserved is None:
                raise RecordError(
                    f"The ledger {self.file.name} holds no such reservation.",
                    "Record a release in the ledger that reserved it.",
                )
            is_again = reserved.status != "reserved"
            opened = read_opening(log.entries, self.file.name).budget
            if costs_more := is_again or not covers(opened, reserved, statement):
                charges, content = excess(reserved, statement)
                log.append("outside", **with_sums(content, standing.after(reserved.promise, charges)))
            if not is_again:
                log.append("release", id=reservation.id, statement=told)
        if costs_more:
            raise NoGuaranteeError(
                "The release was recorded twice, or cost more than was reserved; the ledger counts both.",
                "Reserve what the release may cost at most, once for each.",
            )

    def add_outside(self, spent: Outside, what: str, *, beyond: bool = False) -> None:
        """Count what was released without the ledger.

        Parameters
        ----------
        spent
            What it cost: (epsilon, delta), for the ledger's own promise, or replaced records as long as it
            has none; a guarantee, a statement, or ``from_dp_accounting(event)``.
        what
            What was released, in a few words.
        beyond
            Whether it is counted even if the budget does not hold it: it was spent, so nothing more can be
            released then. False refuses it with ``OverBudgetError``.
        """
        with self._log() as log:
            standing = standing_of(log.entries, self.file.name)
            statement = outside_statement(spent, what, standing)
            check_promise(standing.promise, standing.first_unit, promise := Promise.of(statement))
            if not beyond:
                check_amount(standing, statement, self.file.name)
            content = spend_content(secrets.token_hex(8), what, promise, statement.charges)
            log.append("outside", **with_sums(content, standing.after(promise, statement.charges)))

    def verify(self) -> Verified:
        """Check every entry of the file against its hash, its sums, and the budget at its time.

        A ledger that was damaged, or released more than its budget, is refused with ``RecordError``; one of
        which more was spent outside is not, and ``within_budget`` says so.
        """
        self._known = None  # the file, not what was read of it before
        with self._log() as log:
            check_sums(log.entries, self.file.name)
            state, entries, head = read_state(log.entries, self.file.name), len(log.entries), log.head
        if (beyond := state.first_release_beyond()) is not None:
            raise RecordError(
                f"The ledger {self.file.name} holds a release beyond its budget: {beyond.what}.",
                "Release nothing more from this dataset, and find out what wrote it.",
            )
        return Verified(entries, head, len(state.spends), state.budget.is_within)

    def export(self) -> dict[str, Any]:
        """The whole ledger as plain values: what it is for, what was spent, what is left."""
        return self.state().to_dict()

    @contextmanager
    def _log(self) -> Iterator[Transaction]:
        """All entries, checked, in a transaction."""
        if not self.file.exists():
            raise RecordError(
                f"There is no ledger {self.file.name}.",
                "If there was one, find it; else make it, once, with Ledger.create.",
            )
        with transaction_on(self.file) as connection:
            check_version(connection, self.file)
            log = begin(connection, self.file, self._known)
            yield log
        self._known = log.checked  # it is on the disk now
