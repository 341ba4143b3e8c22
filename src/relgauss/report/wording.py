"""Numbers and names as people read them."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"  # parts of words in some scripts, and of emoji


_LEAST_SHARE = 1e-6


def percent(share: float) -> str:
    """Two digits that matter, or all before the point: 0.11 %, 3.5 %, 1,710 %, 3.2e+09 %.

    What is next to nothing is said to be below the least that is shown: below 0.0001 %.
    """
    if 0 < abs(share) < _LEAST_SHARE:
        return f"below {100 * _LEAST_SHARE:.4f} %"
    value = 100 * share
    return f"{value:,.0f} %" if 9.95 <= abs(value) < 1e6 else f"{value:.2g} %"


def number(value: float) -> str:
    """A few digits; 1e-6 rather than 1e-06."""
    return f"{value:g}".replace("e-0", "e-").replace("e+0", "e+")


def counted(number: int, one: str, several: str = "") -> str:
    """So many of a thing: one row, 2 rows; ``several`` is the word for them if it is not ``one`` and an s."""
    return f"one {one}" if number == 1 else f"{number:,} {several or f'{one}s'}"


def printable(name: object, kept: str = "") -> str:
    """A text from a table or a file, in which nothing but what is in ``kept`` moves a terminal's cursor.

    Control characters, and those that turn the direction of writing, are shown as Python writes them: \\x1b.
    """
    text = str(name)
    if text.isprintable():
        return text
    return "".join(each if _is_harmless(each) or each in kept else _shown(each) for each in text)


def in_picture(name: object) -> str:
    """The same for a picture, where dollars begin no formula."""
    return printable(name).replace("$", r"\$")


def _is_harmless(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs" or character in _JOINERS


def _shown(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
