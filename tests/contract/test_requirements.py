"""What the package imports is what it requires: in pyproject.toml itself, or in the extra that it names."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

INSTALLED = packages_distributions()  # it looks at every file of every package: once is enough
FEDERATED = ("federated/", "paper/on_flower.py")  # loaded only where Flower is there


class Import(NamedTuple):
    package: str
    waits: bool  # it is in a function, behind `try`, or for types only


def imports_of(source: str) -> Iterator[Import]:
    """Every import of a package that is neither ours nor Python's."""

    def walk(node: ast.AST, waits: bool) -> Iterator[Import]:
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.Import):
                names = [alias.name for alias in inner.names]
            elif isinstance(inner, ast.ImportFrom):
                names = [inner.module or ""]
            else:
                names = []
            for name in (name.partition(".")[0] for name in names):
                if name not in sys.stdlib_module_names and name != "relgauss":
                    yield Import(name, waits)
            yield from walk(inner, waits or isinstance(inner, ast.FunctionDef | ast.If | ast.Try))

    return walk(ast.parse(source), waits=False)


def required(project_root: Path) -> dict[str, set[str]]:
    """The distributions that are always required, under "", and those of each extra."""
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    del groups["dev"]
    return {
        name: {normal(re.split(r"[\[><=!~; ]", each)[0]) for each in group} for name, group in groups.items()
    }


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def unrequired(file: str, source: str, groups: dict[str, set[str]]) -> list[str]:
    """Packages that a file imports and that installing relgauss, or its extras, would not bring."""
    always, extras = groups[""], set().union(*groups.values())
    missing = []
    for package, waits in imports_of(source):
        allowed = extras if waits else always | (groups["federated"] if file.startswith(FEDERATED) else set())
        if not {normal(each) for each in INSTALLED.get(package, [package])} & allowed:
            missing.append(f"{file}: {package}")
    return missing


def test_every_import_is_required(project_root: Path):
    folder, groups = project_root / "src" / "relgauss", required(project_root)
    found = [
        each
        for file in folder.rglob("*.py")
        for each in unrequired(file.relative_to(folder).as_posix(), file.read_text(encoding="utf-8"), groups)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("import click", ["click"]),
        ("import duckdb", ["duckdb"]),
        ("def read():\n    import duckdb\n    import click", ["click"]),
        ("from flwr.app import Context", ["flwr"]),
        ("import numpy as np\nfrom scipy.special import erf\nimport sklearn, typer.core", []),
    ],
)
def test_the_check_sees_what_is_missing(project_root: Path, source: str, missing: list[str]):
    assert unrequired("cli/run.py", source, required(project_root)) == [
        f"cli/run.py: {each}" for each in missing
    ]


def test_every_requirement_has_a_lower_bound(project_root: Path):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group in (project["dependencies"], *project["optional-dependencies"].values()):
        for requirement in group:
            assert re.fullmatch(r"[\w-]+(\[[\w,]+\])?>=[\d.]+(,<[\d.]+)?|relgauss\[[\w,]+\]", requirement), (
                requirement
            )
