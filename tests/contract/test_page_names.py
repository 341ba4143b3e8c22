"""No page shows an option, a command, a name, an extra or a quoted figure that does not exist."""

import importlib
import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from relgauss.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted(ROOT.glob("docs/**/*.md")),
]
FOREIGN = re.compile(
    r"(?:pytest|pip|git|flower-superlink|flwr|ssh-keygen|duckdb|python -m \w+|python) [^`\n]*"
)
FLOWER_S = {"--trusted-entities", "--isolation"}  # options of its programs that pages speak of
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
COMMAND = re.compile(r"(?:^\$ |`)relgauss ([a-z]+)(?: ([a-z]+))?", re.MULTILINE)
NAME = re.compile(r"\b(relgauss(?:\.\w+)+|rg\.\w+)\b(?!\.(?:csv|png|json|md|toml|html))")


def commands() -> dict[str, dict[str, object]]:
    """Each command and the commands inside it."""
    group = typer.main.get_command(app)
    return {name: getattr(command, "commands", {}) for name, command in group.commands.items()}


def options() -> set[str]:
    """Every option of every command."""

    def walk(command: object) -> Iterator[str]:
        for parameter in command.params:
            yield from (
                name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("--")
            )
        for inner in getattr(command, "commands", {}).values():
            yield from walk(inner)

    return {*walk(typer.main.get_command(app)), "--help", *FLOWER_S}


def exists(name: str) -> bool:
    """Whether a dotted name is a module of relgauss, or something in one."""
    parts = name.replace("rg.", "relgauss.", 1).split(".") if name.startswith("rg.") else name.split(".")
    if "federated" in parts and find_spec("flwr") is None:
        return True
    thing: object = importlib.import_module(parts[0])
    for number, part in enumerate(parts[1:], 2):
        if not hasattr(thing, part):
            try:
                importlib.import_module(".".join(parts[:number]))
            except ImportError:
                return False
        thing = getattr(thing, part)
    return True


def problems(text: str) -> list[str]:
    """What a page names and is not there."""
    ours = FOREIGN.sub("", text.replace("\\\n", " "))
    known, tree = options(), commands()
    wrong = [option for option in OPTION.findall(ours) if option not in known]
    for first, second in COMMAND.findall(text):
        if first not in tree or (second and tree[first] and second not in tree[first]):
            wrong.append(f"relgauss {first} {second}".strip())
    return wrong + [name for name in NAME.findall(text) if not exists(name)]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_a_page_names_only_what_exists(page: Path):
    assert problems(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "planted",
    [
        "`relgauss means --no-such-option`",
        "`relgauss mean`",
        "`rg.calibrated`",
        "from relgauss.grouped.nowhere import x",
    ],
)
def test_a_planted_name_is_seen(planted: str):
    assert len(problems(planted)) == 1


def test_every_extra_is_explained():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert explained == set(project["optional-dependencies"]) - {"dev", "docs"}
    assert f"relgauss-{project['version']}-py3-none-any.whl" in page


def quotes(text: str) -> list[tuple[str, str]]:
    """Each passage that a page quotes from another, and that page."""
    found = re.findall(r"^<!-- quoted from ([\w.-]+) -->\n((?:^> .*\n)+)", text, re.MULTILINE)
    return [(page, " ".join(quoted.replace("> ", " ").split())) for page, quoted in found]


def test_what_is_quoted_stands_there():
    quoted = [each for page in PAGES for each in quotes(page.read_text(encoding="utf-8"))]
    assert quoted
    for page, passage in quoted:
        text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
        assert passage in text, f"docs/{page} no longer says: {passage}"
