"""Formulas become MathML while the site is built, so that no script has to be fetched to read them."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
_IN_TEXT = re.compile(
    r'\$<span class="arithmatex">\\\((.*?)\\\)</span>\$', re.DOTALL
)  # $$ right after a line
_PRIMED_POWER = re.compile(r"('+)\^(\{[^{}]*\}|\\\w+|\w)")  # a prime and a power are one superscript

_LONG = 45  # characters of a formula that may be wider than a phone


def on_page_content(content: str, **_: Any) -> str:
    """Replace every formula of a page; MkDocs calls this."""
    for shown in (_BLOCK, _IN_TEXT):
        content = shown.sub(lambda found: _mathml(found[1], "block"), content)
    return _INLINE.sub(lambda found: _mathml(found[1], "inline"), content)


def _mathml(formula: str, display: str) -> str:
    latex = _PRIMED_POWER.sub(_one_superscript, html.unescape(formula))
    latex = latex.replace("''", r"^{\prime\prime}")  # one sign with two strokes
    latex = latex.replace(r"\setminus", r"\smallsetminus")  # a sign that fonts have
    try:
        shown = convert(latex, display=display)
    except Exception as error:
        raise ValueError(f"not a formula that can be shown: {latex}") from error
    is_long = display == "inline" and len(latex) > _LONG
    return f'<span class="long-formula">{shown}</span>' if is_long else shown


def _one_superscript(found: re.Match[str]) -> str:
    return "^{" + r"\prime" * len(found[1]) + " " + found[2].strip("{}") + "}"
