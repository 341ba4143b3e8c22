"""Proof, code and test name each other, and every link between pages leads somewhere."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

CITED_PAGE = re.compile(r"\bproofs/[\w./-]+\.md\b")
NAMED_PATH = re.compile(r"\b(?:src|tests)/[\w./-]*\w")
# Code and mathematics hold brackets that are no links: f[i](x).
NO_PROSE = re.compile(r"^```.*?^```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", re.DOTALL | re.MULTILINE)
LINK_TARGET = re.compile(r"\]\(<?([^)\s>]+)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
OVERVIEW_ROW = re.compile(r"^\| \[[^\]]+\]\(([\w-]+\.md)\) \|.*\| (.*) \|$", re.MULTILINE)
LEADS_OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|#", re.IGNORECASE)


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def proof_problems(root: Path) -> list[str]:
    """What keeps proofs, code and tests under `root` from naming each other; empty where all is well."""
    pages = {str(page.relative_to(root)) for page in root.glob("proofs/**/*.md") if page.name != "README.md"}
    cited = {
        (str(source.relative_to(root)), page)
        for source in root.glob("src/**/*.py")
        for page in CITED_PAGE.findall(read(source))
    }
    problems = [
        f"{source} cites {page}, which is absent" for source, page in cited if not (root / page).exists()
    ]
    problems += [f"{page} is cited by no source file" for page in pages - {page for _, page in cited}]
    for page in pages:
        named = set(NAMED_PATH.findall(read(root / page)))
        problems += [f"{page} names {path}, which is absent" for path in named if not (root / path).exists()]
        problems += [
            f"{page} names no path under {folder}"
            for folder in ("src/", "tests/")
            if not any(path.startswith(folder) for path in named)
        ]
    return sorted(problems)


def overview_problems(root: Path) -> list[str]:
    """Where the table in proofs/README.md leaves out a page, or code is absent or not on the page."""
    code_of = dict(OVERVIEW_ROW.findall(read(root / "proofs" / "README.md")))
    pages = {page.name for page in (root / "proofs").glob("*.md")} - {"README.md"}
    problems = [f"{page} is not listed" for page in pages - set(code_of)]
    for page, paths in code_of.items():
        for path in re.findall(r"`([^`]+)`", paths):
            place = root / "src" / "relgauss" / path
            if not place.exists():
                problems.append(f"{page}: {path} is absent")
            elif path not in read(root / "proofs" / page):
                problems.append(f"{page} does not name {path}")
    return sorted(problems)


def broken_links(pages: Iterable[Path], root: Path) -> list[str]:
    """Each relative link in `pages` that leads to no file or folder under `root`."""
    problems = []
    for page in pages:
        for inline, reference in LINK_TARGET.findall(NO_PROSE.sub("", read(page))):
            target = inline or reference
            if LEADS_OUTSIDE.match(target):
                continue
            file = (page.parent / target.partition("#")[0]).resolve()
            if not (file.exists() and file.is_relative_to(root)):
                problems.append(f"{page.relative_to(root)} links to {target}, which is absent")
    return problems


def test_proofs_code_and_tests_name_each_other(project_root: Path):
    assert proof_problems(project_root) == []


def test_the_overview_of_proofs_names_code_that_is_there(project_root: Path):
    assert overview_problems(project_root) == []


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("| [one.md](one.md) | all | `a.py` |", []),
        ("| [one.md](one.md) | all | `a.py`, `gone.py` |", ["one.md: gone.py is absent"]),
        ("| [one.md](one.md) | all | `b.py` |", ["one.md does not name b.py"]),
        ("", ["one.md is not listed"]),
    ],
)
def test_the_check_sees_a_stale_overview(tmp_path: Path, row: str, problem: list[str]):
    for name, text in {"proofs/one.md": "a.py", "src/relgauss/a.py": "", "src/relgauss/b.py": ""}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "proofs/README.md").write_text(f"| page | what | code |\n|---|---|---|\n{row}\n")
    assert overview_problems(tmp_path) == problem


def test_markdown_links_resolve(project_root: Path, project_files: list[Path]):
    pages = [file for file in project_files if file.suffix == ".md"]
    assert broken_links(pages, project_root) == []


@pytest.fixture
def small_project(tmp_path: Path) -> Path:
    """A project of one theorem whose proof, code and test name each other."""
    files = {
        "src/pkg/a.py": '"""Theorem 1: proofs/one.md."""\n',
        "tests/test_a.py": "",
        "proofs/one.md": "# One\n\n## Code and tests\n`src/pkg/a.py`, `tests/test_a.py`.\n",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_a_sound_project_has_no_problem(small_project: Path):
    assert proof_problems(small_project) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("src/pkg/b.py", "# proofs/two.md", "src/pkg/b.py cites proofs/two.md, which is absent"),
        ("src/pkg/a.py", "", "proofs/one.md is cited by no source file"),
        ("proofs/one.md", "tests/test_a.py", "proofs/one.md names no path under src/"),
        ("proofs/one.md", "src/pkg/a.py", "proofs/one.md names no path under tests/"),
        (
            "proofs/one.md",
            "src/pkg/a.py, tests/test_a.py and tests/gone.py.",
            "proofs/one.md names tests/gone.py, which is absent",
        ),
    ],
)
def test_the_check_sees_a_planted_fault(small_project: Path, name: str, text: str, problem: str):
    (small_project / name).write_text(text)
    assert proof_problems(small_project) == [problem]


@pytest.mark.parametrize(
    "text",
    [
        "[there](gone.md)",
        "[there](gone.md#part)",
        "![plot](gone.md)",
        "[there]\n\n[there]: gone.md",
        "[out of the project](../)",
    ],
)
def test_the_check_sees_a_planted_broken_link(tmp_path: Path, text: str):
    page = tmp_path / "page.md"
    page.write_text(text)
    assert len(broken_links([page], tmp_path)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "[self](page.md#part)",
        "[part](#part)",
        "[web](https://example.org/gone.md)",
        "`f[i](x)`",
        "$f[i](x)$",
        "```\nf[i](x)\n```",
    ],
)
def test_what_is_no_broken_link(tmp_path: Path, text: str):
    page = tmp_path / "page.md"
    page.write_text(text)
    assert broken_links([page], tmp_path) == []
