"""The page on architecture: its order is the linter's, its formulas lead to proof, code and test."""

import re
import tomllib
from pathlib import Path

import pytest

PAGE = "docs/architecture.md"
ROW = re.compile(
    r"^\| .*? \| \[[\w-]+\]\(\.\./(proofs/[\w-]+\.md)\) \| `([\w/.]+)` \| `([\w/.]+)` \|$", re.MULTILINE
)
FOLDER_ROW = re.compile(r"^\| ((?:`[\w.]+/?`(?:, )?)+) \|", re.MULTILINE)
NAMED = re.compile(r"`((?:[a-z]\w*/)+\w+\.py)`")


def section(page: str, title: str) -> str:
    """The text under a heading."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def unnamed(root: Path, proof: str, code: str, test: str) -> list[str]:
    """Which of the three does not name the others: a proof may name a whole folder of code."""
    page, source = ((root / path).read_text(encoding="utf-8") for path in (proof, code))
    problems = [] if proof in source else [f"{code} does not cite {proof}"]
    if code not in page and f"`{code.rpartition('/')[0]}/`" not in page:
        problems.append(f"{proof} does not name {code}")
    return problems if test in page else [*problems, f"{proof} does not name {test}"]


def index_problems(root: Path) -> list[str]:
    """Rows of the formula index whose paths are absent, or whose proof, code and test are not linked."""
    index = section((root / PAGE).read_text(encoding="utf-8"), "Formula index")
    rows = [line for line in index.splitlines() if line.startswith("|")][2:]
    problems = [f"not a row of the index: {row}" for row in rows if not ROW.match(row)]
    for proof, code, test in ROW.findall(index):
        paths = (proof, f"src/relgauss/{code}", f"tests/{test}")
        missing = [path for path in paths if not (root / path).is_file()]
        problems += [f"{path} is absent" for path in missing]
        if not missing:
            problems += unnamed(root, *paths)
    return problems


def folders(page: str) -> list[list[str]]:
    """The folders of the table from the highest to the lowest; siblings share a row."""
    rows = FOLDER_ROW.findall(section(page, "The folders"))
    names = [[re.sub(r"/$|\.py$", "", name) for name in re.findall(r"`([^`]+)`", row)] for row in rows]
    return [row for row in names if row != ["src/relgauss"]][::-1]


def test_the_index_leads_to_proof_code_and_test(project_root: Path):
    assert index_problems(project_root) == []


def test_every_proof_is_in_the_index(project_root: Path):
    cited = {proof for proof, _, _ in ROW.findall((project_root / PAGE).read_text(encoding="utf-8"))}
    pages = {f"proofs/{page.name}" for page in (project_root / "proofs").glob("*.md")} - {"proofs/README.md"}
    assert cited == pages


def test_the_order_of_folders_is_the_one_that_is_checked(project_root: Path):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    expected = [[name.strip() for name in layer.split("|")] for layer in layers]
    assert folders((project_root / PAGE).read_text(encoding="utf-8")) == expected


def test_files_that_the_page_names_are_there(project_root: Path):
    text = section((project_root / PAGE).read_text(encoding="utf-8"), "The way of a release")
    absent = [name for name in NAMED.findall(text) if not (project_root / "src/relgauss" / name).is_file()]
    assert absent == []


@pytest.fixture
def small_project(tmp_path: Path) -> Path:
    """A project of one formula."""
    files = {
        PAGE: "# Page\n\n## Formula index\n| f | p | c | t |\n|---|---|---|---|\n"
        "| $x$ | [one](../proofs/one.md) | `a.py` | `test_a.py` |\n",
        "proofs/one.md": "`src/relgauss/a.py`, `tests/test_a.py`\n",
        "src/relgauss/a.py": '"""Proof: proofs/one.md."""\n',
        "tests/test_a.py": "",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_a_sound_index_has_no_problem(small_project: Path):
    assert index_problems(small_project) == []


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("src/relgauss/a.py", "", "src/relgauss/a.py does not cite proofs/one.md"),
        ("proofs/one.md", "tests/test_a.py", "proofs/one.md does not name src/relgauss/a.py"),
        ("proofs/one.md", "src/relgauss/a.py", "proofs/one.md does not name tests/test_a.py"),
    ],
)
def test_the_check_sees_what_does_not_name_the_others(
    small_project: Path, file: str, text: str, problem: str
):
    (small_project / file).write_text(text)
    assert index_problems(small_project) == [problem]


@pytest.mark.parametrize("file", ["proofs/one.md", "src/relgauss/a.py", "tests/test_a.py"])
def test_the_check_sees_a_path_that_is_absent(small_project: Path, file: str):
    (small_project / file).unlink()
    assert index_problems(small_project) == [f"{file} is absent"]


def test_the_check_sees_a_row_that_it_cannot_read(small_project: Path):
    with (small_project / PAGE).open("a") as page:
        page.write("| $y$ | no proof | `a.py` | `test_a.py` |\n")
    assert len(index_problems(small_project)) == 1
