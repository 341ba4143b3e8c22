"""What is assumed of records that somebody's own code prepares before relgauss reads them."""

from __future__ import annotations


def prepared_by(what: str) -> str:
    """A query, a view or a Dask graph may repeat or drop records by what they hold; none of it is checked.

    A record that is in k rows spends k times what the statement says, and a row that is there because of a
    private value tells that value.
    """
    return (
        f"{what} makes each row from one record, puts each record into one row at most, and chooses rows and "
        "groups by public values only"
    )
