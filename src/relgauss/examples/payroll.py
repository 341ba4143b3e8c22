"""A made-up city's payroll: a row for each person and year, pay as people write it, overtime mostly zero.

    pay = base of the job · e^(0.15 Z) · 1.02^(year - 2014)
    overtime = 0 for six in ten, else 4 % of pay · e^Z

A few persons change jobs, a few amounts are missing, and nobody in it exists.
"""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path

import numpy as np

from relgauss import validate
from relgauss.writing import write_together

COLUMNS = ("person", "year", "job", "pay", "overtime")
JOBS = {
    "police officer": (0.34, 69_000),
    "labourer": (0.20, 31_000),
    "firefighter": (0.16, 64_000),
    "office clerk": (0.13, 35_000),
    "crossing guard": (0.08, 10_500),
    "nurse": (0.05, 58_000),
    "attorney": (0.03, 82_000),
    "chief": (0.01, 145_000),
}
"""Each job's share of the persons, and its base pay."""

YEARS = (2014, 2015, 2016)

_RECIPE = 19_371_106  # the recipe's own seed: the same rows on every machine


def write_payroll(file: str | PathLike[str], persons: int = 4_000) -> None:
    """Write a payroll as CSV: person, year, job, pay and overtime; a file that is there stays.

    Parameters
    ----------
    file
        The new file.
    persons
        How many persons, each with a row for one to three years.
    """
    rng = np.random.default_rng(_RECIPE)
    persons = validate.count("persons", persons)
    names, bases = list(JOBS), np.array([base for _, base in JOBS.values()])
    shares = np.array([share for share, _ in JOBS.values()])
    first = rng.choice(len(names), persons, p=shares / shares.sum())
    last = np.where(rng.random(persons) < 0.05, rng.choice(len(names), persons), first)
    start = rng.choice(len(YEARS), persons, p=(0.7, 0.2, 0.1))

    def write(path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as lines:
            writer = csv.writer(lines)
            writer.writerow(COLUMNS)
            for year in YEARS:
                here = np.flatnonzero(start <= YEARS.index(year))
                job = np.where(year == YEARS[-1], last, first)[here]
                growth = 1.02 ** (year - YEARS[0])
                pay = bases[job] * np.exp(0.15 * rng.normal(size=here.size)) * growth
                overtime = 0.04 * pay * np.exp(rng.normal(size=here.size)) * (rng.random(here.size) < 0.4)
                is_missing = rng.random(here.size) < 0.01
                for row, person in enumerate(here.tolist()):
                    amount = "n/a" if is_missing[row] else f"${pay[row]:,.2f}"
                    writer.writerow(
                        (f"P{person:05d}", year, names[job[row]], amount, f"${overtime[row]:,.2f}")
                    )

    write_together([(Path(file), write)], replace=False)
