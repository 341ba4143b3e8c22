"""Synthetic pay in a group of companies, by a fixed public recipe: nobody's data.

Pay within a job differs by at most 10 %; jobs differ a hundredfold.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray

SPREAD = 0.10  # all pay of one job lies in [m, (1 + SPREAD) m], for an m that nobody knows
CEILING = 2_000_000.0  # a bound on everybody's pay, high enough for every job

_GOLDEN_RATIO = (5**0.5 - 1) / 2  # its multiples fill (0, 1) evenly


@dataclass(frozen=True)
class Job:
    """A job, how many people hold it, and the least that one of them is paid."""

    title: str
    people: int
    least_pay: float

    def pay(self) -> FloatArray:
        """Everybody's yearly pay, spread evenly over [least_pay, (1 + SPREAD) least_pay]."""
        position = np.arange(1, self.people + 1) * _GOLDEN_RATIO % 1
        return np.round(self.least_pay * (1 + SPREAD * position))

    @property
    def mean(self) -> float:
        """What is to be released."""
        return float(self.pay().mean())


JOBS = (
    Job("Apprentice", 180, 12_000),
    Job("Cashier", 400, 24_000),
    Job("Driver", 260, 35_000),
    Job("Technician", 150, 50_000),
    Job("Engineer", 120, 85_000),
    Job("Manager", 60, 140_000),
    Job("Director", 30, 290_000),
    Job("Vice president", 18, 600_000),
    Job("Chief executive", 12, 1_200_000),
)


def everybody_s_pay() -> str:
    """Everybody's job and pay as CSV, a line for each person."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("job", "pay"))
    writer.writerows((job.title, f"{pay:.0f}") for job in JOBS for pay in job.pay())
    return text.getvalue()
