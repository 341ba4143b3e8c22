"""Build the site: gather the pages, write the reference from docstrings, let MkDocs fail on any warning.

Pages keep their places relative to each other, so that a link works on a code host and on the site.
"""

from __future__ import annotations

import importlib
import logging
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from notebook_pages import write_pages

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGES = ROOT / "build" / "pages"
FOLDERS = ("docs", "proofs")
ASSETS = ("iframe-worker.js", "site.css")  # the search, where there is no server; formulas on a phone
SINGLE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "LICENSE")
_PUBLIC = re.compile(
    r"^\| `(relgauss[\w.]*)` \| (`.*`) \|$", re.MULTILINE
)  # the list in docs/architecture.md
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def gather() -> None:
    """Copy every page to where MkDocs reads them."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, PAGES / folder)
    for name in SINGLE:
        shutil.copy(ROOT / name, PAGES / name)
    (PAGES / "assets").mkdir()
    for name in ASSETS:
        shutil.copy(HERE / name, PAGES / "assets" / name)


def write_reference() -> list[str]:
    """A page for each package that users import from, with the docstring of each of its names."""
    listed = _PUBLIC.findall((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    (PAGES / "reference").mkdir()
    written = []
    for package, names in listed:
        if package == "relgauss.federated" and find_spec("flwr") is None:
            continue
        about = (importlib.import_module(package).__doc__ or "").partition("\n")[0]
        members = "".join(f"::: {package}.{name}\n\n" for name in re.findall(r"`(\w+)`", names))
        written.append(f"reference/{package}.md")
        (PAGES / written[-1]).write_text(f"# {package}\n\n{about}\n\n{members}", encoding="utf-8")
    return written


def title(page: Path) -> str:
    """The first heading of a page."""
    found = _TITLE.search(page.read_text(encoding="utf-8"))
    return found[1] if found else page.stem


def main() -> int:
    """Build build/site; return 1 if anything is wrong with a page or a link."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    gather()
    notebooks = [page.relative_to(PAGES) for page in write_pages(PAGES / "docs" / "notebooks")]
    reference = write_reference()
    proofs = sorted(path.relative_to(PAGES) for path in (PAGES / "proofs").glob("*.md"))
    text = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    nav = yaml.safe_load(text)["nav"]
    for entry in nav:
        if "Reference" in entry:
            entry["Reference"] = [{Path(page).stem: page} for page in reference]
        if "Notebooks" in entry:
            entry["Notebooks"] = [{title(PAGES / page): str(page)} for page in notebooks]
        if "Proofs" in entry:
            entry["Proofs"] = [{title(PAGES / page): str(page)} for page in proofs]
    build(load_config(str(HERE / "mkdocs.yml"), nav=nav))
    print(f"The site is at {(ROOT / 'build' / 'site' / 'index.html').relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
