"""The names that a first line or row gives to columns: one for each, all different."""

from __future__ import annotations

from collections.abc import Sequence

from relgauss.errors import TableError


def check_header(names: Sequence[object], where: str) -> None:
    """Refuse a header without names, or in which one is empty, no text or there twice.

    ``where`` is what it is the header of. Columns are told by their numbers: a file without a header begins
    with a record, which is not quoted.
    """
    texts = [name if isinstance(name, str) else "" for name in names]
    if not any(texts):
        what, fix = "it is empty", "Start with one name for each column, all different."
    elif not all(texts):
        place = texts.index("") + 1
        what = f"column {place} has no text for a name"
        fix = "Give it one, or leave the column out (pandas: to_csv(index=False))."
    elif len(set(texts)) < len(texts):
        second = next(place for place, name in enumerate(texts) if name in texts[:place])
        what = f"columns {texts.index(texts[second]) + 1} and {second + 1} have the same name"
        fix = "Rename one."
    else:
        return
    raise TableError(f"{where} does not name its columns: {what}.", fix)
