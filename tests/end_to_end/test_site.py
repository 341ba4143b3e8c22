"""The built site, opened from a file: its search finds words, nothing is fetched, a phone can read it."""

import re
import shutil
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .browser import Browser, programs, started

pytestmark = [
    pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs the extra docs"),
    pytest.mark.skipif(programs() is None, reason="needs chromium and chromedriver"),
]

ROOT = Path(__file__).parents[2]
PAGES = (
    "docs/glossary.md",
    "docs/relative-sensitivity.md",
    "docs/choosing-epsilon.md",
    "docs/clipping.md",
    "proofs/decoders.md",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few pages, built as all are, but for the reference."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs" / "images", folder / "pages" / "docs" / "images")
    (folder / "pages" / "assets").mkdir()
    for name in ("iframe-worker.js", "site.css"):
        shutil.copy(ROOT / "site" / name, folder / "pages" / "assets")
    (folder / "pages" / "proofs").mkdir()
    for page in PAGES:
        shutil.copy(ROOT / page, folder / "pages" / page)
    settings: dict[str, Any] = {"strict": False, "nav": [*PAGES], "plugins": ["search", "offline"]}
    places = {"docs_dir": str(folder / "pages"), "site_dir": str(folder / "built")}
    build(load_config(str(ROOT / "site" / "mkdocs.yml"), **settings, **places))
    return folder / "built"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with started(tmp_path_factory.mktemp("wide"), width=1300, height=900) as browser:
        yield browser


def soon(read: Callable[[], Any]) -> Any:
    """What a page shows, as soon as it shows anything."""
    for _ in range(100):
        if found := read():
            return found
        time.sleep(0.1)
    return read()


def test_the_search_works_from_a_file(site: Path, wide: Browser):
    wide.open(site / "docs" / "choosing-epsilon.html")
    wide.run("document.querySelector('.md-search__input').focus()")
    wide.press(".md-search__input", "Pareto")
    script = "return [...document.querySelectorAll('.md-search-result__link')].map((each) => each.href)"
    found = soon(lambda: wide.run(script))
    assert any("docs/glossary.html#pareto-tail" in each for each in found), found
    assert all(each.startswith("file:") for each in found)
    assert wide.errors() == []  # nothing was asked for that is not there


def test_a_page_fetches_nothing_from_outside(site: Path):
    for page in PAGES:
        html = (site / page).with_suffix(".html").read_text(encoding="utf-8")
        fetched = re.findall(r'<(?:script|img|link rel="stylesheet")[^>]+(?:src|href)="([^"]+)"', html)
        assert fetched
        assert not [each for each in fetched if each.startswith(("http", "//"))]


def test_every_formula_is_shown_as_one(site: Path):
    html = (site / "proofs" / "decoders.html").read_text(encoding="utf-8")
    assert html.count("<math") > 100
    assert (
        html.count('display="block"') == (ROOT / "proofs" / "decoders.md").read_text("utf-8").count("$$") // 2
    )
    assert "$" not in re.sub(r"<math.*?</math>|<script.*?</script>", "", html, flags=re.DOTALL)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_needs_no_sideways_scrolling(site: Path, tmp_path: Path, dark: bool):
    with started(tmp_path, width=500, height=900, dark=dark) as phone:
        for page in PAGES:
            phone.open((site / page).with_suffix(".html"))
            width, shown = phone.run("return [document.documentElement.scrollWidth, window.innerWidth]")
            assert width <= shown, page
        assert soon(lambda: phone.run("return document.body.dataset.mdColorScheme")) == (
            "slate" if dark else "default"
        )
