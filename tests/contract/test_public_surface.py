"""What users may import is listed in one place, is what the packages offer, and explains its parameters."""

import ast
import dataclasses
import importlib
import inspect
import re
import types
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = "docs/architecture.md"
LISTED = re.compile(r"^\| `(relgauss[\w.]*)` \| (`.*`) \|$", re.MULTILINE)
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
EXPLAINED = re.compile(r"^(\w+(?:, \w+)*)(?: : .*)?\n    \S", re.MULTILINE)

PACKAGES = (
    "relgauss",
    "relgauss.accounting",
    "relgauss.audit",
    "relgauss.bounded",
    "relgauss.budget",
    "relgauss.certify",
    "relgauss.errors",
    "relgauss.examples",
    "relgauss.federated",
    "relgauss.forecast",
    "relgauss.grouped",
    "relgauss.ledger",
    "relgauss.linear_model",
    "relgauss.linear_model.baselines",
    "relgauss.mechanisms",
    "relgauss.nodes",
    "relgauss.records",
)


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def listed(page: str) -> dict[str, list[str]]:
    """The table of a page: names by package."""
    return {package: re.findall(r"`(\w+)`", names) for package, names in LISTED.findall(page)}


def offered() -> dict[str, types.ModuleType]:
    """The packages that can be imported here: the one on Flower needs its extra."""
    has_flower = find_spec("flwr") is not None
    names = [name for name in PACKAGES if has_flower or name != "relgauss.federated"]
    return {name: importlib.import_module(name) for name in names}


def parameters(thing: object) -> set[str]:
    """What a caller passes to a function, or to make an object."""
    if dataclasses.is_dataclass(thing):
        return {field.name for field in dataclasses.fields(thing) if field.init}
    if not inspect.isclass(thing):
        return set(inspect.signature(thing).parameters)
    if not isinstance(thing.__init__, types.FunctionType):  # that of object, or of an exception
        return set()
    return set(inspect.signature(thing.__init__).parameters) - {"self"}


def unexplained(thing: object) -> set[str]:
    """Parameters that neither the docstring nor that of a base class explains by a line of their own."""
    bases = [each for each in thing.__mro__ if each is not object] if inspect.isclass(thing) else [thing]
    text = "\n".join(inspect.getdoc(each) or "" for each in bases)
    explained = {name for names in EXPLAINED.findall(text) for name in names.split(", ")}
    return parameters(thing) - explained


def unnamed(thing: type) -> list[str]:
    """Parameters of public methods that no docstring names: the method's own, or one that it overrides."""
    found = []
    for name, method in vars(thing).items():
        function = getattr(method, "__func__", method)
        if name.startswith("_") or not isinstance(function, types.FunctionType):
            continue
        text = " ".join(getattr(vars(base).get(name), "__doc__", None) or "" for base in thing.__mro__)
        named = set(re.findall(r"\w+", text))
        found += [f"{name}({each})" for each in parameters(function) - {"self", "cls"} - named]
    return sorted(found)


def imported(source: str) -> list[tuple[str, str]]:
    """Each name that a program imports from relgauss, with the module it comes from."""
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "relgauss"
        for alias in node.names
    ]


def riddles(source: str) -> list[str]:
    """Docstrings of fewer than three words."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return [text for text in texts if text and len(text.split()) < 3]


def foreign_imports(page: str, surface: dict[str, list[str]]) -> list[str]:
    """What the programs of a page import that is not listed; a package of the list may be imported whole."""
    return [
        f"{module}.{name}"
        for block in PYTHON_BLOCK.findall(page)
        for module, name in imported(block)
        if name not in surface.get(module, []) and f"{module}.{name}" not in surface
    ]


def test_the_list_names_every_package(project_root: Path):
    assert sorted(listed(read(project_root / PAGE))) == list(PACKAGES)


@pytest.mark.parametrize("package", offered())
def test_the_list_is_what_the_package_offers(project_root: Path, package: str):
    surface = listed(read(project_root / PAGE))
    module = importlib.import_module(package)
    assert surface[package] == list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        getattr(module, name)


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, module in offered().items() for name in module.__all__]
)
def test_every_parameter_is_explained(package: str, name: str):
    thing = getattr(importlib.import_module(package), name)
    assert len((thing.__doc__ or "").split()) >= 4
    assert unexplained(thing) == set()


@pytest.mark.parametrize("package", offered())
def test_every_parameter_of_a_method_is_named(package: str):
    module = importlib.import_module(package)
    classes = [thing for name in module.__all__ if inspect.isclass(thing := getattr(module, name))]
    found = {each.__name__: unnamed(each) for each in classes}
    assert {name: missing for name, missing in found.items() if missing} == {}


def test_no_docstring_is_a_riddle(project_root: Path):
    """One or two words do not say what a thing does."""
    short = [
        f"{file.name}: {text}"
        for file in (project_root / "src").rglob("*.py")
        for text in riddles(read(file))
    ]
    assert short == []


def test_the_check_sees_a_riddle():
    assert riddles('"""A module of its own."""\ndef f():\n    """Counted on."""\n') == ["Counted on."]


def test_programs_in_the_documentation_import_what_is_listed(project_root: Path):
    surface = listed(read(project_root / PAGE))
    pages = [project_root / "README.md", *sorted((project_root / "docs").glob("*.md"))]
    found = {page.name: foreign_imports(read(page), surface) for page in pages}
    assert {name: imports for name, imports in found.items() if imports} == {}


def test_the_check_sees_a_parameter_that_is_not_explained():
    def half(a, b, c, d):
        """Something.

        Parameters
        ----------
        a, b
            The first two.
        c : int
            The third.
        """

    assert unexplained(half) == {"d"}


def test_the_check_sees_a_parameter_that_a_method_does_not_name():
    class Base:
        def cost(self, steps):
            """What so many ``steps`` cost."""

    class Own(Base):
        def cost(self, steps):
            """As for all."""

        @classmethod
        def of(cls, one, two):
            """Made of ``one`` and another."""

    assert unnamed(Own) == ["of(two)"]


def test_the_check_sees_an_import_that_is_not_listed():
    surface = {"relgauss": ["Gaussian"], "relgauss.audit": ["audit"]}
    page = "```python\nfrom relgauss import Gaussian, audit\nfrom relgauss.audit.events import choose\n```\n"
    assert foreign_imports(page, surface) == ["relgauss.audit.events.choose"]


def test_the_list_is_read_as_it_is_written():
    assert listed("| `relgauss.audit` | `Pair`, `audit` |\n| `audit` | attacks |\n") == {
        "relgauss.audit": ["Pair", "audit"]
    }


def test_what_a_user_of_flower_needs_is_in_one_place():
    federated = pytest.importorskip("relgauss.federated", reason="needs the extra 'federated'")
    import relgauss.ledger
    import relgauss.nodes

    for name in ("Participant", "ridge_participant", "logistic_participant"):
        assert getattr(federated, name) is getattr(relgauss.nodes, name)
    assert federated.SpendRecord is relgauss.ledger.SpendRecord
