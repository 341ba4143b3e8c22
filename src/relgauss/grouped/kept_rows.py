"""Which rows of a person are kept: a keyed random choice that depends on that person's rows alone.

Groups of a person are ordered by a hash of a secret key, the person and the group; rows of a person in a
group by a hash of the key, the person, the group, what the row holds, and which of several equal rows it is.
The first ones are kept. Equal rows count alike in everything that is released, so it does not matter which of
them is called the first, and the place of a row in the table never does.

Proof: proofs/person-contributions.md.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Literal

import numpy as np

from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_rows import TableRows, joined_text
from relgauss.records.duckdb_connection import literal, refusals

WithoutPerson = Literal["left out", "a person each"]
_KEPT = "relgauss_kept"
_KEY_BYTES = 32


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
    columns, same_group, same_row = ", ".join(content), ", ".join(within), ", ".join(content)
    sql = f"""
        CREATE TEMP TABLE {_KEPT} AS
        WITH held AS (SELECT * FROM {rows.source} WHERE p IS NOT NULL AND {rows.has_group}),
        groups_held AS (
            SELECT *, count(*) OVER (PARTITION BY p) AS held FROM (SELECT DISTINCT {same_group} FROM held)),
        groups_drawn AS (
            SELECT *, CASE WHEN held > {bounds.groups} THEN sha256({key} || 'group' || {by_group}) END AS draw
            FROM groups_held),
        groups_placed AS (
            SELECT *, row_number() OVER (PARTITION BY p ORDER BY draw, {rows.key_list}) AS place
            FROM groups_drawn),
        in_kept_groups AS (
            SELECT a.* FROM held AS a JOIN groups_placed AS b ON a.p = b.p AND {rows.same_keys}
            WHERE b.place <= {bounds.groups}),
        rows_held AS (
            SELECT *, row_number() OVER (PARTITION BY {same_row}) AS copy,
                count(*) OVER (PARTITION BY {same_group}) AS held
            FROM in_kept_groups),
        rows_drawn AS (
            SELECT *, CASE WHEN held > {bounds.rows} THEN sha256({key} || 'row' || {by_row}) END AS draw
            FROM rows_held),
        rows_placed AS (
            SELECT *, row_number() OVER (PARTITION BY {same_group} ORDER BY draw, {columns}, copy) AS place
            FROM rows_drawn)
        SELECT {columns} FROM rows_placed WHERE place <= {bounds.rows}
    """
    if without_person == "a person each":
        sql += f" UNION ALL SELECT {columns} FROM {rows.source} WHERE p IS NULL AND {rows.has_group}"
    with refusals():
        rows.table.connection.execute(sql)
    return replace(rows, source=_KEPT)
