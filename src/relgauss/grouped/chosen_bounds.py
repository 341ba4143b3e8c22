"""Bounds on contributions, chosen from a noisy histogram of rows a person; what is chosen has been paid for.

Every person is in one bin by the groups they are in, and in one by the rows of their largest group. Replacing
a person moves each histogram by at most sqrt(2). The bound is the least edge up to which nine persons in ten
are, as the noisy counts tell. Proof: proofs/person-contributions.md.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.kept_rows import WithoutPerson
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_rows import TableRows
from relgauss.mechanisms import Gaussian

EDGES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
"""The bounds there are to choose from; who has more than the last is beyond it."""

_KEPT_WHOLE = 0.9  # of the persons


def choose_bounds(
    of_persons: NDArray[np.int64],
    given_rows: int | None,
    given_groups: int | None,
    mu: float,
    rng: np.random.Generator | None,
) -> PersonBounds:
    """The bounds, of which those that are not given are chosen by ``histograms``, all of it at mu-GDP."""
    both = given_rows is None and given_groups is None
    each = mu / math.sqrt(2) if both else mu
    by_rows, by_groups = of_persons
    return PersonBounds(
        _least(by_rows, each, rng) if given_rows is None else given_rows,
        _least(by_groups, each, rng) if given_groups is None else given_groups,
    )


def histograms(rows: TableRows, without_person: WithoutPerson) -> NDArray[np.int64]:
    """Persons by the rows of their largest group, and by their groups: a row of counts for each.

    There is a bin for each edge, and one beyond; who is in no group is in the first.
    """
    pairs = (
        f"SELECT p, count(*) FILTER ({rows.has_group}) AS n FROM {rows.source} "
        f"WHERE p IS NOT NULL GROUP BY p, {rows.key_list}"
    )
    persons = f"SELECT p, max(n) AS most, count(*) FILTER (n > 0) AS number FROM ({pairs}) GROUP BY p"
    edges = ", ".join(map(str, EDGES))
    bins = ", ".join(f"len(list_filter([{edges}], lambda e: e < {each}))" for each in ("most", "number"))
    counts = np.zeros((2, len(EDGES) + 1), dtype=np.int64)
    for *places, found in rows.table.rows(f"SELECT {bins}, count(*) FROM ({persons}) GROUP BY ALL"):
        counts[[0, 1], places] += found
    if without_person == "a person each":
        counts[:, 0] += rows.table.rows(f"SELECT count(*) FROM {rows.source} WHERE p IS NULL")[0][0]
    return counts


def _least(counts: NDArray[np.int64], mu: float, rng: np.random.Generator | None) -> int:
    """The least edge that holds nine persons in ten, by the noisy histogram."""
    answer = BoundedAnswer.enforced(counts.astype(np.float64), math.nextafter(math.sqrt(2), 2))
    noisy = Gaussian(answer.sensitivity, counts.size, 1 / mu).release(answer.value, rng=rng)
    persons = counts.sum()  # a public number
    enough = np.flatnonzero(np.cumsum(noisy)[:-1] >= _KEPT_WHOLE * persons)
    return EDGES[int(enough[0])] if enough.size else EDGES[-1]
