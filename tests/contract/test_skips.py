"""A test is skipped for a reason that it names, and never for a package that comes with pytest."""

import ast
from pathlib import Path

import pytest

OPTIONAL = {"flwr", "relgauss.federated"}  # not among the packages of the extra `dev`


def nameless(source: str) -> list[int]:
    """The lines of a program that skip a test, or expect it to fail, without a reason that may hold."""
    return [node.lineno for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and bad(node)]


def bad(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(attr="importorskip"), args=[ast.Constant(value=package)]):
            return package not in OPTIONAL or not has_reason(call)
        case ast.Call(func=ast.Attribute(attr="skipif" | "xfail")):
            return not has_reason(call)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="pytest"), attr="skip")):
            return not call.args
    return False


def has_reason(call: ast.Call) -> bool:
    return any(keyword.arg == "reason" for keyword in call.keywords)


def test_every_skip_names_a_reason(project_root: Path):
    found = {
        file.name: lines
        for file in (project_root / "tests").rglob("*.py")
        if (lines := nameless(file.read_text(encoding="utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "pytest.importorskip('flwr')",
        "pytest.importorskip('dask', reason='needs the extra dask')",
        "pytest.mark.skipif(True)",
        "pytest.mark.xfail()",
        "pytest.skip()",
    ],
)
def test_the_check_sees_a_planted_skip(source: str):
    assert nameless(source) == [1]
