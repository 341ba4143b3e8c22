"""The keyed choice keeps the bounds, and depends on nothing but the person's own rows and the key."""

import hashlib
import math
import tempfile
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.grouped.kept_rows import WithoutPerson, _may_be_first, keep_within, secret_key
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_rows import TableRows
from relgauss.records.tables import open_table

Row = tuple[str | None, str | None, float | None]
LEFT_OUT: WithoutPerson = "left out"
SCHEMA = pa.schema([("who", pa.string()), ("job", pa.string()), ("pay", pa.float64())])


def kept(
    rows: list[Row], bounds: PersonBounds, without: WithoutPerson = LEFT_OUT, seed: int | None = 0
) -> list[Row]:
    """What is kept, in some order; NaN as the text 'nan', so that it equals itself."""
    columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[], [], []]
    with open_table(pa.table(columns, schema=SCHEMA)) as table:
        all_rows = TableRows.of(table, ["job"], ["pay"], "who")
        key = secret_key(None if seed is None else np.random.default_rng(seed))
        chosen = keep_within(all_rows, bounds, without, key)
        found = table.rows(f"SELECT p, k0, v0 FROM {chosen.source}")
    return [(p, k, "nan" if isinstance(v, float) and math.isnan(v) else v) for p, k, v in found]


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob", "cem", None]),
        st.sampled_from(["a", "b", "c", "", None]),
        st.sampled_from([0.0, 1.0, 2.0, math.nan, None]),
    ),
    max_size=30,
)
BOUNDS = st.builds(PersonBounds, st.integers(1, 3), st.integers(1, 3))


@settings(max_examples=20, deadline=None)
@given(ROWS, BOUNDS)
def test_the_bounds_hold_and_nothing_is_dropped_without_need(rows: list[Row], bounds: PersonBounds):
    found = kept(rows, bounds)
    held = Counter((p, k) for p, k, _ in rows if p is not None and k is not None)
    by_group = Counter((p, k) for p, k, _ in found)
    groups = Counter(p for p, _ in by_group)
    for p, k in by_group:
        assert by_group[p, k] == min(held[p, k], bounds.rows)
    for p in {p for p, _ in held}:
        assert groups[p] == min(sum(q == p for q, _ in held), bounds.groups)


@settings(max_examples=20, deadline=None)
@given(ROWS, BOUNDS, st.randoms(use_true_random=False))
def test_neither_order_nor_other_persons_matter(rows: list[Row], bounds: PersonBounds, random):
    """Reorder the rows and take out a person: what is kept of the others is the same."""
    before = Counter(row for row in kept(rows, bounds) if row[0] != "bob")
    others = [row for row in rows if row[0] != "bob"]
    random.shuffle(others)
    assert Counter(kept(others, bounds)) == before


@pytest.mark.parametrize("others", [(0.0, -0.0), (math.nan, -math.nan)], ids=["zeros", "nan"])
def test_equal_values_that_are_written_differently_do_not_let_order_decide(others: tuple[float, float]):
    """Equal rows are numbered, and number and text are hashed: equal ones must have one text."""
    for seed in range(20):
        rows: list[Row] = [("ann", "a", value) for value in (*others, *others, 1.0, 2.0)]
        found = [Counter(kept(each, PersonBounds(3, 1), seed=seed)) for each in (rows, rows[::-1])]
        turned = [rows[1], rows[0], *rows[2:]]
        assert found[0] == found[1] == Counter(kept(turned, PersonBounds(3, 1), seed=seed))


def test_a_choice_by_order_is_noticed():
    """The law above has teeth: the first rows in the table's order are not the same after a shuffle."""
    rows: list[Row] = [("ann", "a", float(n)) for n in range(10)]
    first = rows[:2]
    assert Counter(first) != Counter(rows[::-1][:2])
    assert Counter(kept(rows, PersonBounds(2, 1))) == Counter(kept(rows[::-1], PersonBounds(2, 1)))


def test_the_key_decides_and_equal_rows_are_drawn_like_others():
    """Over many persons every row has the same chance, also one that is there three times."""
    persons = 2000
    rows: list[Row] = [(str(n), "a", pay) for n in range(persons) for pay in (1.0, 1.0, 1.0, 2.0)]
    first, second = (kept(rows, PersonBounds(1, 1), seed=seed) for seed in (0, 1))
    assert Counter(first) != Counter(second)
    twos = sum(pay == 2.0 for _, _, pay in first)
    assert abs(twos - persons / 4) < 6 * math.sqrt(persons * 3 / 16)


def test_without_a_seed_the_key_is_new_each_time():
    rows: list[Row] = [("ann", "a", float(n)) for n in range(1000)]
    bounds = PersonBounds(rows=10)
    assert Counter(kept(rows, bounds, seed=None)) != Counter(kept(rows, bounds, seed=None))


@pytest.mark.parametrize(("rule", "expected"), [("left out", 0), ("a person each", 2)])
def test_rows_without_a_person(rule: WithoutPerson, expected: int):
    rows: list[Row] = [(None, "a", 1.0), (None, "a", 1.0), (None, None, 1.0)]
    assert len(kept(rows, PersonBounds(1, 1), rule)) == expected


def lowest(key: str, texts: list[str], number: int) -> list[str]:
    """The texts whose hashes come first."""
    return sorted(texts, key=lambda text: hashlib.sha256((key + text).encode()).hexdigest())[:number]


@pytest.mark.parametrize("bounds", [PersonBounds(1, 2), PersonBounds(3, 1), PersonBounds(40, 70)])
def test_of_many_rows_and_groups_the_first_by_their_hashes_are_kept(bounds: PersonBounds):
    """One person has 300 groups and, in each, five rows; another has 7,000 rows, 6,000 of them alike."""
    rows: list[Row] = [("ann", f"{group}", float(row)) for group in range(300) for row in range(5)]
    rows += [("bob", "a", float(max(row, 5_999))) for row in range(7_000)]
    key = secret_key(np.random.default_rng(0))
    groups = lowest(key, [f"groupann\x1f{group}" for group in range(300)], bounds.groups)
    expected: list[Row] = []
    for group in (text.partition("\x1f")[2] for text in groups):
        texts = lowest(key, [f"rowann\x1f{group}\x1f{row}.0\x1f1" for row in range(5)], bounds.rows)
        expected += [("ann", group, float(text.split("\x1f")[2])) for text in texts]
    alike = [f"rowbob\x1fa\x1f5999.0\x1f{copy}" for copy in range(1, 6_001)]
    texts = lowest(key, alike + [f"rowbob\x1fa\x1f{row}.0\x1f1" for row in range(6_000, 7_000)], bounds.rows)
    expected += [("bob", "a", float(text.split("\x1f")[2])) for text in texts]
    assert Counter(kept(rows, bounds)) == Counter(expected)


@pytest.mark.parametrize("bound", [1, 2_000, 10**12])
def test_no_number_of_rows_overflows_the_limit_of_hashes(bound: int):
    """An overflow would be an error that tells of a person; in a SELECT DuckDB looks at both conditions."""
    numbers = "unnest([1, 2, 100, 10000, 4000000000000]) AS held"
    with open_table(pa.table({"x": [0]})) as table:
        found = table.rows(
            f"SELECT held, {_may_be_first('held', bound)} FROM (SELECT 'g' AS draw, {numbers})"
        )
    few = [held for held, _ in found if held <= bound + 10 * math.sqrt(bound) + 65]
    assert [held for held, may_be in found if may_be] == few


def test_a_person_with_very_many_rows_in_one_group_is_cut_in_bounded_memory():
    """Sorting them all would need more memory than there is, and the error would tell of the person."""
    pay = np.arange(300_000) % 250_000 / 7
    with open_table(pa.table({"who": ["a" * 90] * len(pay), "job": ["a"] * len(pay), "pay": pay})) as table:
        table.connection.execute("SET memory_limit = '80MiB'")
        with tempfile.TemporaryDirectory() as folder:
            table.connection.execute(f"SET temp_directory = '{folder}'")
            all_rows = TableRows.of(table, ["job"], ["pay"], "who")
            chosen = keep_within(all_rows, PersonBounds(5, 1), LEFT_OUT, secret_key(None))
            assert table.rows(f"SELECT count(*) FROM {chosen.source}") == [(5,)]
            table.connection.close()
