"""Audits of worst-case persons, who move, flood a group or are alone in one; planted faults are convicted.

A table of many equal worlds is as many independent runs: persons and groups of one world are in no other.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import relgauss as rg
from relgauss.audit import AuditReport, audit_samplers
from relgauss.grouped.kept_rows import keep_within, secret_key
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.private_groups import find_groups
from relgauss.grouped.table_rows import TableRows
from relgauss.mechanisms import Gaussian
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.records.tables import open_table

pytestmark = pytest.mark.statistical

MU = 1.5
CONFIDENCE = 1 - 1e-8
GROUPS = 4
WORLDS = 300  # in each of which rows are chosen anew; noise is new in every run

World = list[tuple[str, int, float]]  # who, group, value
Keep = Callable[[TableRows, PersonBounds], TableRows]


def keyed(seed: int) -> Keep:
    """The choice of the package, with a key that is drawn."""
    rng = np.random.default_rng(seed)
    return lambda rows, bounds: keep_within(rows, bounds, "left out", secret_key(rng))


def one_row_more(seed: int) -> Keep:
    """A planted fault: the bound on rows is off by one."""
    honest = keyed(seed)
    return lambda rows, bounds: honest(rows, PersonBounds(bounds.rows + 1, bounds.groups))


def one_group_more(seed: int) -> Keep:
    """A planted fault: the bound on groups is off by one."""
    honest = keyed(seed)
    return lambda rows, bounds: honest(rows, PersonBounds(bounds.rows, bounds.groups + 1))


def every_other_row(seed: int) -> Keep:
    """A planted fault: of each world every other row is kept, by its place in the table."""

    def keep(rows: TableRows, bounds: PersonBounds) -> TableRows:
        placed = (
            f"SELECT *, row_number() OVER (PARTITION BY world ORDER BY place) AS nth FROM {rows.table.source}"
        )
        chosen = f"SELECT world AS k0, team AS k1, value AS v0 FROM ({placed}) WHERE nth % 2 = 0"
        return replace(rows, source=f"({chosen})")

    return keep


def kept_counts(world: World, worlds: int, bounds: PersonBounds, keep: Keep) -> np.ndarray:
    """Rows that are kept in each world, by group and by whether the value is positive."""
    number = np.repeat(np.arange(worlds), len(world))
    names, groups, values = (np.tile(np.array(column), worlds) for column in zip(*world, strict=True))
    table = pa.table(
        {
            "world": number,
            "who": np.char.add(np.char.add(names, "/"), number.astype(str)),
            "team": groups,
            "value": values,
            "place": np.arange(number.size),
        }
    )
    with open_table(table) as opened:
        kept = keep(TableRows.of(opened, ["world", "team"], ["value"], "who"), bounds)
        found = opened.rows(f"SELECT k0, k1, v0 > 0, count(*) FROM {kept.source} GROUP BY ALL")
    counts = np.zeros((worlds, GROUPS, 2))
    for place, group, positive, rows in found:
        counts[place, group, int(positive)] = rows
    return counts.reshape(worlds, -1)


def audit(first: World, second: World, bounds: PersonBounds, keep: Callable[[int], Keep]) -> AuditReport:
    """Counts of rows by group and cell, with noise for the bounds, on two neighbouring tables."""
    rng = np.random.default_rng(11)
    noise = Gaussian(AbsoluteSensitivity(bounds.row_counts, "enforced"), 2 * GROUPS, 1 / MU).noise_std
    pools = [kept_counts(world, WORLDS, bounds, keep(seed)) for seed, world in enumerate((first, second))]
    direction = pools[1].mean(axis=0) - pools[0].mean(axis=0)

    def sampler(pool: np.ndarray) -> Callable[[int], np.ndarray]:
        def run(count: int) -> np.ndarray:
            return pool[rng.integers(WORLDS, size=count)] + noise * rng.normal(size=(count, pool.shape[1]))

        return run

    return audit_samplers(
        sampler(pools[0]),
        sampler(pools[1]),
        lambda rows: rows @ direction,
        claim=rg.GaussianDP(MU),
        samples=40_000,
        confidence=CONFIDENCE,
    )


OTHERS: World = [(f"other {n}", n % GROUPS, 1.0) for n in range(4)]
MOVES = (
    [*OTHERS, *[("x", group, 1.0) for group in (0, 1) for _ in range(5)]],
    [*OTHERS, *[("x", group, 1.0) for group in (2, 3) for _ in range(5)]],
)
FLOODS = [*OTHERS, *[("x", 0, 1.0)] * 20], [*OTHERS, *[("x", 0, -1.0)] * 20]


@pytest.mark.parametrize(("tables", "bounds"), [(MOVES, PersonBounds(2, 2)), (FLOODS, PersonBounds(3, 1))])
def test_a_person_who_moves_or_floods_stays_below_the_claim_and_near_it(
    tables: tuple[World, World], bounds: PersonBounds
):
    report = audit(*tables, bounds, keyed)
    assert report.verdict == "consistent"
    assert report.share > 0.7


@pytest.mark.parametrize(
    ("tables", "bounds", "fault"),
    [
        (MOVES, PersonBounds(1, 2), one_row_more),
        (MOVES, PersonBounds(2, 1), one_group_more),
        (FLOODS, PersonBounds(1, 1), one_row_more),
    ],
)
def test_a_bound_that_is_off_by_one_is_convicted(
    tables: tuple[World, World], bounds: PersonBounds, fault: Callable[[int], Keep]
):
    assert audit(*tables, bounds, fault).verdict == "convicted"
    assert audit(*tables, bounds, keyed).verdict == "consistent"


def test_a_choice_by_order_is_convicted():
    """One row more at the head of the table, and other rows of everybody after it are kept."""
    others: World = [(f"other {n}", 0, sign) for n in range(12) for sign in (1.0, -1.0)]
    first: World = [("x", 1, 1.0), *others]
    second: World = [("x", 1, 1.0), ("x", 1, 1.0), *others]
    bounds = PersonBounds(1, 1)
    assert audit(first, second, bounds, every_other_row).verdict == "convicted"
    report = audit(first, second, bounds, keyed)
    assert report.verdict == "consistent"


LEAK = 0.04
SOME_BOUNDS = PersonBounds(1, 1)


def shown(persons: int, threshold_has_noise: bool, seed: int) -> Callable[[int], np.ndarray]:
    """Whether a group of so many persons shows, in as many worlds as are asked for."""
    rng = np.random.default_rng(seed)

    def run(count: int) -> np.ndarray:
        exact = np.full(count, persons)
        if not threshold_has_noise:
            return (exact > 1)[:, None].astype(float)
        return find_groups(exact, SOME_BOUNDS, MU, LEAK, rng).shows[:, None].astype(float)

    return run


@pytest.mark.parametrize(("before", "after"), [(0, 1), (1, 2)])
def test_a_lone_persons_group_stays_below_the_claim(before: int, after: int):
    report = audit_shown(before, after, threshold_has_noise=True)
    assert report.verdict == "consistent"


def test_a_threshold_without_noise_is_convicted():
    assert audit_shown(1, 2, threshold_has_noise=False).verdict == "convicted"


def audit_shown(before: int, after: int, threshold_has_noise: bool) -> AuditReport:
    """A group that does not exist shows in no world: its count is 0, and no noise is drawn for it."""
    missing = lambda count: np.zeros((count, 1))  # noqa: E731
    return audit_samplers(
        missing if before == 0 else shown(before, threshold_has_noise, 1),
        shown(after, threshold_has_noise, 2),
        lambda rows: rows[:, 0],
        claim=rg.compose(rg.GaussianDP(MU), rg.ApproximateDP(0.0, LEAK)),
        samples=60_000,
        confidence=CONFIDENCE,
    )
