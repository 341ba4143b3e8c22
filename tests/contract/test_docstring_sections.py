"""An example after a section of a docstring has a heading: the reference would take it for a parameter."""

import ast
import re
from pathlib import Path

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def headless(docstring: str) -> bool:
    """Whether an example stands in another section than Examples."""
    before = docstring.partition(">>>")[0] if ">>>" in docstring else ""
    sections = SECTION.findall(before)
    return bool(sections) and sections[-1] != "Examples"


def test_every_example_has_its_heading(project_root: Path):
    wrong = [
        f"{file.name}: {getattr(node, 'name', 'module')}"
        for file in (project_root / "src").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if headless(ast.get_docstring(node) or "")
    ]
    assert wrong == []


def test_an_example_without_one_is_seen():
    assert headless("Do it.\n\nParameters\n----------\nx\n    A number.\n\n>>> f(1)")
    assert not headless("Do it.\n\nParameters\n----------\nx\n    A.\n\nExamples\n--------\n>>> f(1)")
    assert not headless("Do it.\n\n>>> f(1)")
