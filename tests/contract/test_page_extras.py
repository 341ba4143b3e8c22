"""A page says which extras its blocks need, and the page on installing explains every extra."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
BLOCK = re.compile(r"^```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS = {  # what a block holds, and the word that the page around it must have
    r"relgauss (?:means|table|fit|predict) |\b(?:read_records|release_means|release_table)\(": "`files`",
    r"--plot\b": "`plot`",
    r"\.xlsx\b": "`excel`",
    r"import pandas|\.to_pandas\(": "pandas",
    r"from flwr|relgauss\.federated|relgauss federated": "federated",
    r"import dask": "`dask`",
    r"import opendp": "pip install opendp",
}


def unsaid(page: str) -> list[str]:
    """The packages that blocks of a page need and its text does not name."""
    blocks, prose = "".join(BLOCK.findall(page)), BLOCK.sub("", page)
    return [word for need, word in NEEDS.items() if re.search(need, blocks) and word not in prose]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_a_page_says_which_extras_it_needs(page: Path):
    assert unsaid(page.read_text(encoding="utf-8")) == []


def test_the_first_install_line_brings_what_the_first_tutorial_needs():
    """A reader goes from the README to the page on salaries, with what the README told to install."""
    readme, tutorial = (
        (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/salaries.md")
    )
    found = re.search(r"pip install '\.\[([\w,]+)\]'`, then `relgauss demo`", readme)
    needed = [word for need, word in NEEDS.items() if re.search(need, "".join(BLOCK.findall(tutorial)))]
    assert found is not None
    assert {word.strip("`") for word in needed} - {"pandas"} == set(found[1].split(","))


def test_an_extra_that_is_not_named_is_seen():
    assert unsaid("```console\n$ relgauss means a.csv --plot a.png\n```\nNeeds `files`.") == ["`plot`"]
    assert unsaid("```python\nimport opendp\n```\n") == ["pip install opendp"]


def test_every_extra_is_explained():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert explained == set(project["optional-dependencies"]) - {"dev", "docs"}
    assert f"relgauss-{project['version']}-py3-none-any.whl" in page
