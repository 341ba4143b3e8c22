"""Counts of persons, with noise: by group, and by what became of their rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.cell_tables import rows_with_group, rows_without_group
from relgauss.grouped.table_rows import TableRows
from relgauss.mechanisms import Gaussian


@dataclass(frozen=True)
class Fates:
    """How many persons are in the table with all of their rows, with some, and with none; rows of nobody.

    Counts are noisy, whole and not negative; each has the standard deviation ``noise_std``. How many rows of
    nobody were left out is None where some may be: they could all be of one person, whom no noise for one row
    hides. Else it is 0, by the rule that a row of nobody is a person.
    """

    whole: int
    cut: int
    in_no_group: int
    rows_left_out: int | None
    noise_std: float


def fates_of_persons(rows: TableRows, kept: TableRows, leaves_out: bool) -> FloatArray:
    """Persons whole, cut and in no group, each once.

    ``leaves_out`` says that rows without a person are left out, and not counted; else each is a person.
    """
    held = (
        f"SELECT p, count(*) AS held, count(*) FILTER ({rows.has_group}) AS grouped "
        f"FROM {rows.source} WHERE p IS NOT NULL GROUP BY p"
    )
    stayed = f"SELECT p, count(*) AS stayed FROM {kept.source} WHERE p IS NOT NULL GROUP BY p"
    fate = (
        "SELECT CASE WHEN a.grouped = 0 THEN 2 WHEN coalesce(b.stayed, 0) < a.held THEN 1 ELSE 0 END AS fate "
        f"FROM ({held}) AS a LEFT JOIN ({stayed}) AS b ON a.p = b.p"
    )
    counts = np.zeros(3)
    for place, number in rows.table.rows(f"SELECT fate, count(*) FROM ({fate}) GROUP BY fate"):
        counts[place] = number
    if leaves_out:
        return counts
    nobody = f"SELECT count(*) FILTER ({rows.has_group}), count(*) FROM {rows.source} WHERE p IS NULL"
    in_group, alone = rows.table.rows(nobody)[0]
    counts[0] += in_group
    counts[2] += alone - in_group
    return counts


def fates_of_rows(rows: TableRows) -> FloatArray:
    """The same where each row is a person: those with a group, and those without."""
    return np.array([rows_with_group(rows), 0.0, rows_without_group(rows)])


def noisy_fates(
    counts: FloatArray, of_persons: bool, leaves_out: bool, mu: float, rng: np.random.Generator | None
) -> Fates:
    """Counts of persons by what became of their rows, at mu-GDP: a person is in one of them.

    What cannot occur is 0, publicly: a person of one row is never cut.
    """
    answer = BoundedAnswer.enforced(counts, math.nextafter(math.sqrt(2), 2))
    mechanism = Gaussian(answer.sensitivity, counts.size, 1 / mu)
    noisy = mechanism.release(answer.value, rng=rng) * [1, of_persons, 1]
    whole, cut, in_no_group = (max(0, round(x)) for x in noisy.tolist())
    left_out = None if of_persons and leaves_out else 0
    return Fates(whole, cut, in_no_group, left_out, mechanism.noise_std)
