"""What a ledger costs a release: the bare release, and one that is reserved and committed on disk first.

A process that keeps a ledger open reads what came since its last use; one that opens it reads all.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import relgauss as rg
from benchmarks.timing import interleaved, show
from relgauss.ledger import Ledger
from relgauss.ledger.charged import charged
from relgauss.ledger.ledger_spend import spend_content
from relgauss.ledger.promise import Promise
from relgauss.ledger.standing import with_sums

MECHANISM = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 22, 1e4)
SPENDS = (0, 100, 1_000, 10_000)


def ledger_with(file: Path, spends: int) -> Ledger:
    """A ledger that holds so many releases already."""
    ledger = Ledger.create(file, dataset="benchmark", unit="row", epsilon=1.0, delta=1e-6)
    planned = MECHANISM.statement(1e-6)
    promise, standing = Promise.of(planned), ledger.standing()
    with ledger._log() as log:  # at once: a thousand transactions would take a minute
        for number in range(spends):
            standing = standing.after(promise, planned.charges)
            content = spend_content(str(number), "mean", promise, planned.charges)
            log.append("reserve", **with_sums(content, standing))
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
            cases[f"  of {spends:,}, opened for it"] = lambda ledger=ledger: through(Ledger(ledger.file))
        show("A release of dimension 22", interleaved(cases), "bare release")
