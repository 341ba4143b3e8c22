"""Tables on a Dask cluster: exact numbers are gathered where partitions are, and only these are returned.

Rows of a person are brought together first, so the same rows of them are kept as from a file. Noise is drawn
where the numbers arrive, once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, TableError
from relgauss.grouped.cell_tables import CELLS, HALF
from relgauss.grouped.gathered import PERSONS, gather, rows_and_groups_a_person, rows_asked_for
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.table_question import TableQuestion
from relgauss.grouped.table_rows import WHOLE_AS_FLOAT, WITH_EXPONENT, TableRows
from relgauss.records.cells_as_text import MARK, MARKED, WHOLE_BELOW, valid_text
from relgauss.records.duckdb_connection import bounded_memory, connect, refusals
from relgauss.records.frames import text_of
from relgauss.records.number_style import NumberStyle, in_percent, styles_of
from relgauss.records.prepared import prepared_by
from relgauss.records.tables import Table, open_table

if TYPE_CHECKING:
    import pyarrow

Numbers = str | Mapping[str, str] | None
_TYPED = "iufbM"  # kinds of NumPy types that say what every cell is
_TEXT = "string"
_WHOLE_AS_FLOAT, _WITH_EXPONENT, _MARKED = (
    re.compile(each, re.ASCII) for each in (WHOLE_AS_FLOAT, WITH_EXPONENT, MARKED)
)
_FAN_IN = 16  # partial results that one task adds
ASSUMED = (prepared_by("what computes the Dask collection, alike in every pass,"),)


class Gathered(NamedTuple):
    """What one or more partitions add: cells, persons by group, and counts of persons by their fates."""

    cells: pyarrow.Table
    persons: pyarrow.Table | None
    fates: FloatArray


class DaskTable:
    """The columns of a Dask data frame that a question needs, each person in one partition."""

    def __init__(self, frame: Any, question: TableQuestion, numbers: Numbers) -> None:
        names = [*question.by, *question.values, *([] if question.person is None else [question.person])]
        if not hasattr(frame, "dtypes"):
            raise InvalidParameterError("data", type(frame).__name__, "a Dask data frame", "Not an array.")
        held = list(frame.columns)
        for name in names:
            if held.count(name) != 1:
                listed = ", ".join(map(repr, held))
                raise TableError(f"There is no one column {name!r} in the data frame.", f"It has {listed}.")
        styles = None if numbers is None else styles_of(numbers)
        _check_numbers(frame.dtypes, question, styles)
        chosen, person = frame[names], question.person
        texts = {name for name in names if getattr(frame.dtypes[name], "kind", "O") not in _TYPED}
        texts |= set() if person is None else {person}
        if texts:
            meta = chosen._meta.astype(dict.fromkeys(texts, _TEXT))
            parts = {name for name in texts if in_percent(styles, name)}
            chosen = chosen.map_partitions(_with_texts, texts, person, parts, meta=meta)
        if person is not None:
            chosen = chosen.shuffle(on=person)
        self._partitions, self._question, self._numbers = chosen.to_delayed(), question, numbers

    def histograms(self) -> NDArray[np.int64]:
        """Persons by what they hold, added up over the partitions."""
        import dask

        one = dask.delayed(_histograms_of, pure=False)
        found = dask.compute(*(one(part, self._question, self._numbers) for part in self._partitions))
        total: NDArray[np.int64] = np.sum(found, axis=0)
        return total

    @contextmanager
    def gathered(self, bounds: PersonBounds, key: str) -> Iterator[tuple[TableRows, FloatArray]]:
        """All that the partitions hold, added up, in a connection of its own."""
        import dask

        one, add = dask.delayed(_gathered_of, pure=False), dask.delayed(_added, pure=False)
        parts = [one(part, self._question, self._numbers, bounds, key) for part in self._partitions]
        while len(parts) > 1:
            parts = [add(*parts[start : start + _FAN_IN]) for start in range(0, len(parts), _FAN_IN)]
        (whole,) = dask.compute(parts[0])
        with _connection_with(whole) as connection:
            keys = tuple(name for name in whole.cells.column_names if name.startswith("k"))
            table = Table(connection, "", {}, frozenset(), "", ASSUMED)
            yield TableRows(table, "", keys, ()), whole.fates


def _check_numbers(dtypes: Any, question: TableQuestion, styles: object) -> None:
    for name in question.values:
        style = styles.get(name) if isinstance(styles, Mapping) else styles
        if getattr(dtypes[name], "kind", "O") not in "iufb" and not isinstance(style, NumberStyle):
            raise TableError(
                f"The column {name!r} does not hold numbers, but {dtypes[name]}.",
                "Convert it, or say how it writes numbers (numbers='$1,234.50').",
            )


def _with_texts(part: Any, names: set[str], person: str | None, in_percent: set[str]) -> Any:
    """A partition with some columns as text, cell by cell as in a frame.

    So a column that is none of numbers is text, however empty it is. And a person is one text before rows
    are brought together: 17 in one partition, 17.0 in another, where somebody is missing, are one.
    """
    texts = {
        name: part[name].map(
            _person if name == person else partial(_cell_as_text, in_percent=name in in_percent)
        )
        for name in names
    }
    return part.assign(**{name: text.astype(_TEXT) for name, text in texts.items()})


def _cell_as_text(cell: object, *, in_percent: bool = False) -> str | None:
    return valid_text(text_of(cell, in_percent=in_percent))


def _person(cell: object) -> str | None:
    """As ``person_sql`` has it."""
    text = _cell_as_text(cell)
    if text is None:
        return None
    plain = text.removesuffix(MARK) if _MARKED.fullmatch(text) else text
    if _WITH_EXPONENT.fullmatch(plain):
        number = float(plain)
        return str(int(number)) if number.is_integer() and abs(number) < WHOLE_BELOW else plain
    if not _WHOLE_AS_FLOAT.fullmatch(plain):
        return plain
    whole = plain.partition(".")[0]
    return "0" if whole == "-0" else whole


@contextmanager
def _opened(part: Any, question: TableQuestion, numbers: Numbers) -> Iterator[TableRows]:
    """A partition as rows, in a connection in bounded memory."""
    with open_table(part, numbers=numbers) as table, bounded_memory(table.connection):
        yield rows_asked_for(table, question)


def _histograms_of(part: Any, question: TableQuestion, numbers: Numbers) -> NDArray[np.int64]:
    with _opened(part, question, numbers) as rows:
        return rows_and_groups_a_person(rows, question)


def _gathered_of(
    part: Any, question: TableQuestion, numbers: Numbers, bounds: PersonBounds, key: str
) -> Gathered:
    with _opened(part, question, numbers) as rows:
        fates = gather(rows, question, bounds, key)
        connection = rows.table.connection
        with refusals():
            persons = None if question.person is None else _arrow(connection, f"FROM {PERSONS}")
            return Gathered(_arrow(connection, _halved(rows.key_list)), persons, fates)


def _added(*parts: Gathered) -> Gathered:
    """Partial results as one."""
    import pyarrow

    cells = pyarrow.concat_tables([part.cells for part in parts], promote_options="permissive")
    persons = None
    if parts[0].persons is not None:
        persons = pyarrow.concat_tables([part.persons for part in parts], promote_options="permissive")
    with _connection_with(Gathered(cells, persons, parts[0].fates)) as connection:
        keys = ", ".join(name for name in cells.column_names if name.startswith("k"))
        summed = _arrow(connection, _halved(keys))
        by_person = None if persons is None else _arrow(connection, f"FROM {PERSONS}")
    return Gathered(summed, by_person, np.sum([part.fates for part in parts], axis=0))


@contextmanager
def _connection_with(whole: Gathered) -> Iterator[Any]:
    """A connection that holds the tables that ``gather`` makes."""
    connection = connect()
    try:
        keys = ", ".join(name for name in whole.cells.column_names if name.startswith("k"))
        connection.register("gathered_cells", whole.cells)
        connection.execute(
            f"CREATE TEMP TABLE {CELLS} AS SELECT {keys}, value, place, CAST(sum(n) AS BIGINT) AS n, "
            f"sum(CAST(high AS HUGEINT) * {HALF} + low) AS total "
            f"FROM gathered_cells GROUP BY {keys}, value, place"
        )
        if whole.persons is not None:
            connection.register("gathered_persons", whole.persons)
            connection.execute(
                f"CREATE TEMP TABLE {PERSONS} AS SELECT {keys}, CAST(sum(n) AS BIGINT) AS n "
                f"FROM gathered_persons GROUP BY {keys}"
            )
        yield connection
    finally:
        connection.close()


def _halved(keys: str) -> str:
    """The cells with their sums in two numbers, as Arrow holds none of 128 bits."""
    total = "coalesce(total, 0)"
    return (
        f"SELECT {keys}, value, place, n, CAST({total} // {HALF} AS BIGINT) AS high, "
        f"CAST({total} % {HALF} AS BIGINT) AS low FROM {CELLS}"
    )


def _arrow(connection: Any, sql: str) -> pyarrow.Table:
    relation = connection.sql(sql)
    read = getattr(relation, "to_arrow_table", None) or relation.arrow
    return read()
