"""Columns of instants, durations and times of a day in a frame, moved to where DuckDB fails on none of them.

Arrow holds any number of seconds, DuckDB 290,000 years of microseconds: a record beyond them would be told by
an error. What is beyond is moved to a public end of the range, record by record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

_MICROSECONDS = {"s": 10**6, "ms": 10**3, "us": 1, "ns": 1}  # of nanoseconds, after they are made such
_NANOSECONDS = 1_000  # in a microsecond
_DAY = 24 * 60 * 60 * 10**6
_MOST_MICROSECONDS = 9_200_000_000_000_000_000  # 291,000 years before or after 1970


def is_of_moments(kind: pyarrow.DataType) -> bool:
    """Whether it is one of instants, durations or times of a day, but for instants of which DuckDB knows
    nanoseconds.
    """
    import pyarrow

    types = pyarrow.types
    is_any = types.is_timestamp(kind) or types.is_duration(kind) or types.is_time(kind)
    return bool(is_any) and bool(kind != pyarrow.timestamp("ns"))


def in_microseconds(column: pyarrow.ChunkedArray) -> pyarrow.ChunkedArray:
    """Instants, durations or times of a day within a range that DuckDB holds: it fails on others, also where
    they are marked as missing, as pandas does it with durations.
    """
    import pyarrow
    from pyarrow import compute

    kind = column.type
    each, least, most = _MICROSECONDS[kind.unit], -_MOST_MICROSECONDS, _MOST_MICROSECONDS
    if pyarrow.types.is_time(kind):
        wanted, least, most = pyarrow.time64("us"), 0, _DAY - 1
    elif pyarrow.types.is_duration(kind):
        wanted = pyarrow.duration("us")
    else:
        wanted = pyarrow.timestamp("us", kind.tz)
    steps = column.cast(pyarrow.int32() if kind.bit_width == 32 else pyarrow.int64()).cast(pyarrow.int64())
    if kind.unit == "ns":
        steps = compute.divide(steps, _NANOSECONDS)
    least, most = least // each, most // each
    below = compute.min_element_wise(steps, most, skip_nulls=False)
    within = compute.max_element_wise(below, least, skip_nulls=False)
    return compute.multiply(within, each).cast(wanted)
