"""Messages in the words of the command line: a parameter of Python as the option that it is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

_PAIR = re.compile(r"\(([-+.\de]+), ([-+.\de]+)\)")
_TEXTS = re.compile(r"\['[^'\]]*'(?:, '[^'\]]*')*\]")
_ONE_OF = r"\{'([^']*)': '?([^',\[\]{}]*)'?\}"  # a value for one column
_OTHER = re.compile(r"^([^=:]+)=(.*?): \1 must be")  # what is no parameter by itself, such as a statistic
_ELSEWHERE = {
    "feature_bounds": "--bounds",
    "for_failures": "ledger init --for-failures",
    "for_pure": "ledger init --for-pure",
    "label_bounds": "--bounds",
    "neighbours": "ledger init --neighbours",
    "person": "relgauss table --person",
}


def in_options(text: str, options: Mapping[str, str]) -> str:
    """Name ``options`` for the parameters that a message names: value_range=(1, 5) is --range 1 5, and
    missing['age']=1 or missing={'age': 1} is --missing age=1.
    """
    text = text.replace("Ledger.create", "`relgauss ledger init`").replace("= of read_records", "=")
    for name, option in {**_ELSEWHERE, **options}.items():
        parameter = rf"(?<![\w.-]){name}"
        text = re.sub(rf"{parameter}={_ONE_OF}", partial(_of_column, option), text)
        text = re.sub(rf"{parameter}\['([^'\]]*)'\]", rf"{name} of '\1'", text)
        text = re.sub(rf"{parameter} of '([^'\]]*)'(?= must be)", "it", text)
        text = re.sub(rf"{parameter} of '([^'\]]*)'=", rf"{option} \1=", text)
        text = re.sub(rf"{parameter}=(?=[^\s.,;)])", f"{option} ", text)
        text = re.sub(rf"{parameter}=", option, text)
        text = text.replace(f": {name} must be", ": it must be")
        if "_" in name:
            text = re.sub(rf"{parameter}(?!\w)", option, text)
    text = _OTHER.sub(r"\1 \2: it must be", text)
    text = _TEXTS.sub(lambda found: found[0][1:-1].replace("'", "").replace(", ", ","), text)
    return _PAIR.sub(r"\1 \2", text)


def _of_column(option: str, found: re.Match[str]) -> str:
    """A value for one column as an option has it; it writes truths in small letters."""
    name, value = found.groups()
    return f"{option} {name}={value.lower() if value in ('False', 'True') else value}"
