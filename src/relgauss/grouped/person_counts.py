"""What became of persons and their rows, with noise: kept whole, cut, in no group."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.cell_tables import rows_with_group, rows_without_group
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_rows import TableRows
from relgauss.mechanisms import Gaussian

_ROUNDING = 2.0**-12  # of a quotient of fewer than 2^39 rows, for both neighbours together


@dataclass(frozen=True)
class Fates:
    """How many persons are in the table with all of their rows, with some, and with none; rows of nobody.

    Counts are noisy, whole and not negative.

    Attributes
    ----------
    whole, cut, in_no_group
        Persons, each with noise of the standard deviation ``noise_std``.
    rows_cut
        Rows of a group that the bounds on a person cut off. Of one person no more are counted than may be
        kept, so that noise hides them: there may be more. Its noise has the standard deviation
        ``rows_cut_std``.
    rows_left_out
        Rows of nobody that were left out. None where some may be: they could all be of one person, whom no
        noise for one row hides. Else it is 0, by the rule that a row of nobody is a person.
    """

    whole: int
    cut: int
    in_no_group: int
    rows_cut: int
    rows_left_out: int | None
    noise_std: float
    rows_cut_std: float


def fates_of_persons(rows: TableRows, kept: TableRows, bounds: PersonBounds, leaves_out: bool) -> FloatArray:
    """Persons whole, cut and in no group, each once; then the rows that bounds cut off.

    Of a person at most as many rows cut off are counted as may be kept. ``leaves_out`` says that rows without
    a person are left out, and not counted; else each is a person.
    """
    held = (
        f"SELECT p, count(*) AS held, count(*) FILTER ({rows.has_group}) AS grouped "
        f"FROM {rows.source} WHERE p IS NOT NULL GROUP BY p"
    )
    stayed = f"SELECT p, count(*) AS stayed FROM {kept.source} WHERE p IS NOT NULL GROUP BY p"
    most = bounds.rows * bounds.groups
    fate = (
        "SELECT CASE WHEN a.grouped = 0 THEN 2 WHEN coalesce(b.stayed, 0) < a.held THEN 1 ELSE 0 END "
        f"AS fate, least({most}, a.grouped - coalesce(b.stayed, 0)) AS cut "
        f"FROM ({held}) AS a LEFT JOIN ({stayed}) AS b ON a.p = b.p"
    )
    counts = np.zeros(4)
    by_fate = f"SELECT fate, count(*), sum(cut) FROM ({fate}) GROUP BY fate"
    for place, number, rows_cut in rows.table.rows(by_fate):
        counts[place] = number
        counts[3] += float(rows_cut)
    if leaves_out:
        return counts
    nobody = f"SELECT count(*) FILTER ({rows.has_group}), count(*) FROM {rows.source} WHERE p IS NULL"
    in_group, alone = rows.table.rows(nobody)[0]
    counts[0] += in_group
    counts[2] += alone - in_group
    return counts


def fates_of_rows(rows: TableRows) -> FloatArray:
    """The same where each row is a person: those with a group, and those without."""
    return np.array([rows_with_group(rows), 0.0, rows_without_group(rows), 0.0])


def noisy_fates(
    counts: FloatArray, most_cut: int, leaves_out: bool, mu: float, rng: np.random.Generator | None
) -> Fates:
    """Counts of persons by what became of their rows, and of rows cut off, at mu-GDP.

    A person is in one of the first three counts, and has at most ``most_cut`` in the last. Where that is 0
    a row is a person: none is cut, publicly. Proof: proofs/person-contributions.md.
    """
    of_persons = most_cut > 0
    scale = np.array([1.0, 1.0, 1.0, float(max(most_cut, 1))])
    moved = math.hypot(math.sqrt(2), 1 + _ROUNDING) if of_persons else math.nextafter(math.sqrt(2), 2)
    answer = BoundedAnswer.enforced(counts / scale, moved)
    mechanism = Gaussian(answer.sensitivity, counts.size, 1 / mu)
    noisy = mechanism.release(answer.value, rng=rng) * scale * [1, of_persons, 1, of_persons]
    whole, cut, in_no_group, rows_cut = (max(0, round(x)) for x in noisy.tolist())
    left_out = None if of_persons and leaves_out else 0
    std = mechanism.noise_std
    return Fates(whole, cut, in_no_group, rows_cut, left_out, std, std * most_cut)
