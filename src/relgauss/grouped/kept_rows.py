"""Which rows of a person are kept: a keyed random choice that depends on that person's rows alone.

Groups of a person are ordered by a hash of a secret key, the person and the group; rows of a person in a
group by a hash of the key, the person, the group, what the row holds, and which of several equal rows it is.
The first ones are kept. Equal rows count alike in everything that is released, so it does not matter which of
them is called the first, and the place of a row in the table never does.

A person may have any number of rows: what is sorted are only those whose hash is so low that the first ones
are among them, but for once in 2^50 times; then fewer are kept.

Proof: proofs/person-contributions.md.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import replace
from typing import Literal

import numpy as np

from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_rows import TableRows, joined_text
from relgauss.records.duckdb_connection import literal, refusals

WithoutPerson = Literal["left out", "a person each"]
_KEPT, _CONTENTS, _IN_GROUPS = "relgauss_kept", "relgauss_contents", "relgauss_kept_groups"
_KEY_BYTES = 32
_TOGETHER = 2048  # equal rows that are written out at once


def secret_key(rng: np.random.Generator | None) -> str:
    """A key that nobody knows and that is forgotten; ``rng`` draws that of a simulation."""
    return secrets.token_hex(_KEY_BYTES) if rng is None else rng.bytes(_KEY_BYTES).hex()


def keep_within(
    rows: TableRows, bounds: PersonBounds, without_person: WithoutPerson, secret: str
) -> TableRows:
    """The rows that are kept, as a table of the connection; rows without a group are left out."""
    key = literal(secret)
    within, content = ("p", *rows.keys), ("p", *rows.keys, *rows.values)
    by_group, by_row = joined_text(within), joined_text((*content, "copy"))
    columns, same_group = ", ".join(content), ", ".join(within)
    contents = f"""
        CREATE OR REPLACE TEMP TABLE {_CONTENTS} AS SELECT {columns}, count(*) AS copies
        FROM {rows.source} WHERE p IS NOT NULL AND {rows.has_group} GROUP BY {columns}
    """
    groups = f"""
        CREATE OR REPLACE TEMP TABLE {_IN_GROUPS} AS
        WITH groups_held AS (
            SELECT {same_group}, sum(copies) AS held FROM {_CONTENTS} GROUP BY {same_group}),
        persons AS (SELECT p, count(*) AS held FROM groups_held GROUP BY p),
        groups_drawn AS (
            SELECT a.*, b.held AS number,
                CASE WHEN number > {bounds.groups} THEN sha256({key} || 'group' || {by_group}) END AS draw
            FROM groups_held AS a JOIN persons AS b USING (p)),
        groups_placed AS (
            SELECT *, row_number() OVER (PARTITION BY p ORDER BY draw, {rows.key_list}) AS place
            FROM groups_drawn WHERE {_may_be_first("number", bounds.groups)})
        SELECT {same_group}, held FROM groups_placed WHERE place <= {bounds.groups}
    """
    sql = f"""
        CREATE OR REPLACE TEMP TABLE {_KEPT} AS
        WITH in_kept_groups AS (
            SELECT a.*, b.held FROM {_CONTENTS} AS a JOIN {_IN_GROUPS} AS b
            ON a.p = b.p AND {rows.same_keys}),
        rows_held AS (
            SELECT {columns}, held, 1 AS copy FROM in_kept_groups WHERE copies = 1
            UNION ALL
            SELECT {columns}, held, unnest(range(first, least(first + {_TOGETHER}, copies + 1))) AS copy
            FROM (SELECT *, unnest(range(1, copies + 1, {_TOGETHER})) AS first FROM in_kept_groups
                  WHERE copies > 1)),
        rows_drawn AS (
            SELECT *, CASE WHEN held > {bounds.rows} THEN sha256({key} || 'row' || {by_row}) END AS draw
            FROM rows_held),
        rows_placed AS (
            SELECT *, row_number() OVER (PARTITION BY {same_group} ORDER BY draw, {columns}, copy) AS place
            FROM rows_drawn WHERE {_may_be_first("held", bounds.rows)})
        SELECT {columns} FROM rows_placed WHERE place <= {bounds.rows}
    """
    if without_person == "a person each":
        sql += f" UNION ALL SELECT {columns} FROM {rows.source} WHERE p IS NULL AND {rows.has_group}"
    with refusals():
        for each in (contents, groups, sql, f"DROP TABLE {_CONTENTS}", f"DROP TABLE {_IN_GROUPS}"):
            rows.table.connection.execute(each)
    return replace(rows, source=_KEPT)


def _may_be_first(number: str, kept: int) -> str:
    """SQL for a draw, a hash in hexadecimal digits, that may be one of the ``kept`` lowest of ``number``.

    The number below the limit has the mean m = kept + 10 sqrt(kept) + 64, and is below ``kept`` with a
    probability of at most exp(-(m - kept)²/(2 m)) < 2^-50, by Chernoff's bound. There is a limit for any
    number, so that no person's can overflow, whichever condition DuckDB looks at first.
    """
    enough = kept + 10 * math.sqrt(kept) + 64
    limit = f"format('{{:013x}}', CAST({enough!r} / greatest({number}, {enough!r}) * {2**52} AS BIGINT))"
    return f"({number} <= {math.ceil(enough)} OR draw < {limit})"
