"""Every word of the glossary stands there once, and is linked where a page first uses it."""

import re
from pathlib import Path

import pytest

from relgauss.grouped.column_estimates import FLAGS

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
PAGES = [ROOT / "README.md", *sorted(page for page in ROOT.glob("docs/*.md") if page != GLOSSARY)]
ENTRY = re.compile(r"^### (?P<word>.+)\n(?:<!-- forms: (?P<forms>.+) -->\n)?(?P<text>(?:(?!#).*\n)+)", re.M)
NO_PROSE = (
    r"^```.*?^```$",  # blocks
    r"<!--.*?-->",
    r"^#[^\n]*",  # headings
    r"^\|[^\n]*",  # tables
    r"^> [^\n]*",  # quotes
    r"`[^`\n]*`",
    r"\$[^$\n]+\$",  # formulas
    r"!\[[^\]]*\]\([^)]*\)",  # pictures
)
LINK = re.compile(r"\[((?:[^\[\]])+)\]\(([^)\s]+)\)")


def entries(text: str) -> list[tuple[str, tuple[str, ...], str]]:
    """Each word, its forms in running text and what is said of it."""
    return [
        (found["word"], tuple(filter(None, (found["forms"] or "").split(", "))), found["text"])
        for found in ENTRY.finditer(text)
    ]


def blanked(text: str, patterns: tuple[str, ...]) -> str:
    """The text with what the patterns find replaced by as many blanks."""
    for pattern in patterns:
        text = re.sub(pattern, lambda found: re.sub(r"\S", " ", found[0]), text, flags=re.DOTALL | re.M)
    return text


def first_use(page: str, forms: tuple[str, ...]) -> re.Match[str] | None:
    """Where running text first uses one of the forms."""
    words = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in sorted(forms, key=len, reverse=True))
    return re.search(rf"(?<![\w./#-])(?:{words})(?![\w-])", page, re.I)


def unlinked(text: str) -> list[str]:
    """The words that a page first uses outside of a link."""
    prose = blanked(text, NO_PROSE)
    links = [found.span() for found in LINK.finditer(prose)]
    missing = []
    for word, forms, _ in entries(GLOSSARY.read_text(encoding="utf-8")):
        found = first_use(prose, forms) if forms else None
        if found and not any(start <= found.start() < end for start, end in links):
            missing.append(f"line {prose.count(chr(10), 0, found.start()) + 1}: {found[0]!r} ({word})")
    return missing


def test_a_word_is_explained_once():
    found = entries(GLOSSARY.read_text(encoding="utf-8"))
    words, forms = [word for word, _, _ in found], [form for _, forms, _ in found for form in forms]
    assert len(words) > 40
    assert len(set(words)) == len(words)
    assert len(set(forms)) == len(forms)
    assert all(text.strip() for _, _, text in found)


def test_every_flag_of_a_table_is_explained():
    (said,) = [text for word, _, text in entries(GLOSSARY.read_text(encoding="utf-8")) if word == "Flag"]
    assert [flag.name for flag in FLAGS if flag is not None and f"*{flag.name}*:" not in said] == []


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_a_page_links_a_word_where_it_first_uses_it(page: Path):
    assert unlinked(page.read_text(encoding="utf-8")) == [], "link it: [word](glossary.md#word)"


def test_a_planted_word_without_a_link_is_seen():
    assert unlinked("Values are `clip` and\nclipped.") == ["line 2: 'clipped' (Clip)"]
    assert unlinked("Values are [clipped](glossary.md#clip), and clipped again.\n```\nusable\n```\n") == []


def anchors() -> set[str]:
    """The places in the glossary that a link may lead to, as code hosts and the site name them."""
    words = (word for word, _, _ in entries(GLOSSARY.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\s-]", "", word).strip().lower().replace(" ", "-") for word in words}


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_a_link_to_a_word_leads_there(page: Path):
    linked = re.findall(r"glossary\.md#([^)\s]+)", page.read_text(encoding="utf-8"))
    assert set(linked) <= anchors()
