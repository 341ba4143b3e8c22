"""Reading plain values from a file: a part that is missing or of another kind is refused by its name."""

from __future__ import annotations

from typing import TypeVar

from relgauss.errors import InvalidValueError

Part = TypeVar("Part")


def part(values: object, name: str, kind: type[Part]) -> Part:
    """The part of this name, if ``values`` is a mapping that holds one of this kind."""
    found = values.get(name) if isinstance(values, dict) else None
    if isinstance(found, kind) and (kind is bool or not isinstance(found, bool)):
        return found
    raise InvalidValueError(
        f"The part {name!r} of a privacy statement is missing or wrong.", "Write the statement again."
    )
