"""What a ledger costs a release: the bare release, and one that is reserved and committed on disk first."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import relgauss as rg
from benchmarks.timing import interleaved, show
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged

MECHANISM = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 22, 1e4)
SPENDS = (0, 100, 1000)


def ledger_with(file: Path, spends: int) -> Ledger:
    """A ledger that holds so many releases already."""
    ledger = Ledger.create(file, dataset="benchmark", unit="row", epsilon=1.0, delta=1e-6)
    planned = MECHANISM.statement(1e-6)
    with ledger._log() as log:  # at once: a thousand transactions would take a minute
        from relgauss.ledger.ledger_entries import spend_content
        from relgauss.ledger.promise import Promise

        for number in range(spends):
            log.append("reserve", **spend_content(str(number), "mean", Promise.of(planned), planned.charges))
            log.append("release", id=str(number), statement=planned.to_dict())
    return ledger


def synced_write(file: Path) -> None:
    """What the disk itself takes for a page."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT)
    os.pwrite(handle, bytes(4096), 0)
    os.fsync(handle)
    os.close(handle)


def through(ledger: Ledger) -> None:
    """A release that is reserved before and recorded after."""
    with charged(ledger, MECHANISM.statement(1e-6)):
        MECHANISM.release([0.0] * 22)


def run() -> None:
    """The bare release, a page on the disk, and releases through ledgers of several lengths."""
    with tempfile.TemporaryDirectory() as folder:
        cases = {
            "bare release": lambda: MECHANISM.release([0.0] * 22),
            "one page written and synchronised": lambda: synced_write(Path(folder, "page")),
        }
        for spends in SPENDS:
            ledger = ledger_with(Path(folder, f"{spends}.ledger"), spends)
            cases[f"with a ledger of {spends:,} releases"] = lambda ledger=ledger: through(ledger)
        show("A release of dimension 22", interleaved(cases), "bare release")
