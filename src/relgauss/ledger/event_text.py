"""Events of Google's dp_accounting as JSON: what ``json.dumps(event.to_named_tuple())`` writes.

    [module, class, value of the first field, value of the second, ...]

or an object with "class_name" and the fields by name. No other module is imported, whatever the text says.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from relgauss.errors import NoEventError

_MODULE = "dp_accounting.dp_event"
_FIX = "Write it with json.dumps(event.to_named_tuple())."


def read_event(text: str) -> Any:
    """The event that a text tells of; what is no event of dp_accounting is refused."""
    try:
        return _event(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise NoEventError("This is no event of dp_accounting as JSON.", _FIX) from None


def _event(said: object) -> Any:
    from dp_accounting import dp_event as events

    fields: dict[str, object] | None = None
    match said:
        case [str(module), str(name), *values]:
            pass
        case {"class_name": str(name), **named}:
            module, values = str(named.pop("module_name", _MODULE)), []
            fields = {str(key): each for key, each in named.items()}
        case _:
            raise NoEventError("This is no event of dp_accounting as JSON.", _FIX)
    kind = getattr(events, name, None) if module == _MODULE else None
    if not isinstance(kind, type) or not issubclass(kind, events.DpEvent):
        raise NoEventError(f"{module}.{name} is no event of dp_accounting.", _FIX)
    if fields is None:
        fields = dict(zip(inspect.signature(kind).parameters, values, strict=True))
    return kind(**{key: _value(key, each) for key, each in fields.items()})


def _value(field: str, said: object) -> Any:
    """An event where a field is called so, a list of them, or a plain number."""
    if field == "event":
        return _event(said)
    if field == "events" and isinstance(said, list):
        return [_event(each) for each in said]
    if isinstance(said, bool) or not isinstance(said, int | float):
        raise NoEventError(f"The field {field!r} of an event is no number.", _FIX)
    return said
