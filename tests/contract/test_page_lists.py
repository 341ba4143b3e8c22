"""A list stands after a blank line: the site would run it into the text before, and a code host would not."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("proofs/*.md"))]
ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def run_in(page: str) -> list[str]:
    """The lines that begin as an item of a list does, in the middle of a paragraph."""
    page = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    wrong = []
    for block in re.split(r"\n\s*\n", page):
        lines = [line for line in block.splitlines() if not line.startswith(("#", "<!--"))]
        if lines and not ITEM.match(lines[0]) and not lines[0].startswith(" "):
            wrong += [line for line in lines[1:] if ITEM.match(line)]
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_no_list_runs_into_the_text_before(page: Path):
    assert run_in(page.read_text(encoding="utf-8")) == []


def test_a_list_that_runs_in_is_seen():
    assert run_in("Three rules:\n1. one\n2. two\n") == ["1. one", "2. two"]
    assert run_in("true is\n1. These") == ["1. These"]
    assert run_in("Rules:\n\n- one\n  goes on\n- two\n\n## Head\n- three\n") == []


def test_the_site_keeps_paragraphs_in_their_item():
    spec = importlib.util.spec_from_file_location("lists", ROOT / "site" / "lists.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    page = "## Head\n1. one\n2. two\n\n   | a |\n   |---|\n\n   More.\n3. three\n"
    assert hook.on_page_markdown(page) == (
        "## Head\n1. one\n2. two\n\n    | a |\n    |---|\n\n    More.\n\n3. three\n"
    )
    alone = "Text.\n\n   Not of a list.\n\n```\n1. a\n\n   b\n```\n"
    assert hook.on_page_markdown(alone) == alone
