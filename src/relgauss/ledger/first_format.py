"""Records of the first format, two tables without a chain, brought into the one of today: nothing is lost.

account (name, terms, allowed)
spend (account, position, request, question, release or NULL)
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from relgauss.ledger.chained_log import begin, check_structure, damaged, write_schema

_TABLES = {("table", "account"), ("table", "spend")}


def is_first_format(connection: sqlite3.Connection) -> bool:
    """Whether the file holds just the two tables of the first format."""
    found = connection.execute("SELECT type, name FROM sqlite_master WHERE type <> 'index'").fetchall()
    return set(found) == _TABLES


def bring_up_to_date(connection: sqlite3.Connection, file: Path) -> None:
    """Write all accounts and spends as entries, in a transaction that is under way."""
    check_structure(connection, file)
    accounts = connection.execute("SELECT name, terms, allowed FROM account ORDER BY rowid").fetchall()
    spends = connection.execute(
        "SELECT account, position, request, question, release FROM spend ORDER BY account, position"
    ).fetchall()
    counted: dict[str, int] = {name: 0 for name, _, _ in accounts}
    for account, position, *_ in spends:
        if counted.get(account) != position:  # positions were given out one after another
            raise damaged(file, "spends are missing")
        counted[account] += 1
    connection.execute("DROP TABLE spend")
    connection.execute("DROP TABLE account")
    write_schema(connection)
    log = begin(connection, file)
    for name, terms, allowed in accounts:
        log.append("agree", account=name, terms=terms, allowed=allowed)
    for account, _, request, question, release in spends:
        log.append("reserve", account=account, request=request, question=question)
        if release is not None:
            log.append("commit", account=account, request=request, release=release)
