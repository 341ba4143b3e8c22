"""Files around the code: versions agree, paths exist, the workflow and the hooks run what make runs."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml


def text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def named_paths(page: str) -> list[str]:
    """The files of the repository that a page names."""
    return re.findall(r"`((?:tests|src|benchmarks)/[\w/]+\.py)`", page)


def pages(root: Path) -> list[Path]:
    """Everything that is written for readers."""
    return [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob(".github/ISSUE_TEMPLATE/*.md")]


def test_every_named_path_exists(project_root: Path):
    named = {path for page in pages(project_root) for path in named_paths(page.read_text(encoding="utf-8"))}
    assert len(named) > 40
    assert [path for path in named if not (project_root / path).is_file()] == []


def unknown_programs(root: Path, page: str) -> list[str]:
    """The benchmarks and the targets of make that a page names and that are not there."""
    script = text(root, "benchmarks/__main__.py")
    known = set(re.findall(r'^    "(\w+)": \w+\.run,$', script, re.MULTILINE))
    targets = set(re.findall(r"^([\w-]+):", text(root, "Makefile"), re.MULTILINE))
    wrong = [f"make {name}" for name in re.findall(r"`make ([\w-]+)", page) if name not in targets]
    flat = " ".join(page.split())  # a command may be broken between lines
    for module, name in re.findall(r"python -m benchmarks((?:\.\w+)*)(?: ([a-z]\w+))?(?=[ `])", flat):
        place = root.joinpath("benchmarks", *module.strip(".").split("."))
        if module and not (place.with_suffix(".py").is_file() or (place / "__main__.py").is_file()):
            wrong.append(f"benchmarks{module}")
        if name and not module and name not in known:
            wrong.append(f"benchmarks {name}")
        if name and module == ".regression" and not (place / f"{name}.py").is_file():
            wrong.append(f"benchmarks.regression {name}")
    return wrong


def test_every_named_benchmark_and_target_exists(project_root: Path):
    wrong = {
        page.name: found
        for page in pages(project_root)
        if (found := unknown_programs(project_root, text(page.parent, page.name)))
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "planted",
    [
        "`make tests`",
        "(`.venv/bin/python -m benchmarks speed`)",
        "`python -m benchmarks.intervalls 100`",
        "`python -m benchmarks.regression heldout`",
    ],
)
def test_a_planted_command_is_seen(project_root: Path, planted: str):
    assert len(unknown_programs(project_root, planted)) == 1


def test_the_citation_has_the_version_of_the_project(project_root: Path):
    citation = yaml.safe_load(text(project_root, "CITATION.cff"))
    project = tomllib.loads(text(project_root, "pyproject.toml"))["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors"} <= set(citation)


def test_the_workflow_runs_the_readme_s_command_and_both_ends_of_the_wheel(project_root: Path):
    jobs = yaml.safe_load(text(project_root, ".github/workflows/test.yml"))["jobs"]
    runs = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert ".ci/run" in runs
    assert jobs["wheel"]["strategy"]["matrix"]["versions"] == ["newest", "lowest"]
    oldest = jobs["test"]["strategy"]["matrix"]["python"][0]
    project = tomllib.loads(text(project_root, "pyproject.toml"))["project"]
    assert project["requires-python"] == f">={oldest}"


def test_the_hooks_run_what_make_lint_and_make_types_run(project_root: Path):
    hooks = yaml.safe_load(text(project_root, ".pre-commit-config.yaml"))["repos"][0]["hooks"]
    commands = {hook["entry"].removeprefix(".venv/bin/") for hook in hooks}
    makefile = text(project_root, "Makefile")
    recipes = "".join(
        re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.M)[0] for target in ("lint", "types")
    )
    assert commands == set(re.findall(r"\$\(BIN\)/(.*)", recipes))


def in_menu(nav: object) -> set[str]:
    """Every page that a menu names."""
    if isinstance(nav, str):
        return {nav}
    entries = nav.values() if isinstance(nav, dict) else nav
    return {page for entry in entries for page in in_menu(entry)}


def test_every_page_is_in_the_menu_of_the_site(project_root: Path):
    menu = in_menu(yaml.safe_load(text(project_root, "site/mkdocs.yml"))["nav"])
    pages = {str(page.relative_to(project_root)) for page in (project_root / "docs").rglob("*.md")}
    assert {page for page in menu if page.startswith("docs/")} == pages


def test_the_readme_is_short(project_root: Path):
    assert len(text(project_root, "README.md").split()) <= 700
