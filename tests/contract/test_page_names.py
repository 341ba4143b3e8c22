"""No page shows an option, a command, a name, an extra or a quoted figure that does not exist."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import click
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
WITH_OPTIONS = re.compile(r"(?:^(?:\$ )?|`)relgauss ([a-z]+)(?: ([a-z]+))?([^`\n]*)", re.MULTILINE)
BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(?<!`)`([^`\n]+)`")
NO_NAMES = ("relgauss ", "make ", "pip ", "git ", "python ", ".venv", "--", "flower", "flwr")  # programs
WORD = re.compile(r"(?<![\w/-])(\.?)([A-Za-z_]\w*)(\(|=(?!=))?")
OF_THE_PAYROLL = re.compile(r"pay_\w+")  # columns; tests/end_to_end/test_page_columns.py looks them up
FOREIGN_NAMES = {
    "COUNT",  # SQL's, DuckDB's
    "quantile_cont",
    "FLWR_HOME",  # Flower's
    "LocalDpMod",
    "clipping_norm",
    "HuberRegressor",  # scikit-learn's
    "LinearRegression",
    "Ridge",
    "StandardScaler",
    "cross_val_score",
    "error_score",
    "MALLOC_MMAP_THRESHOLD_",  # of the environment
    "MALLOC_TRIM_THRESHOLD_",
    "OPENBLAS_NUM_THREADS",
    "RdpAccountant",  # dp_accounting's, OpenDP's
    "to_named_tuple",
    "value_discretization_interval",
    "make_private_quantile",
    "shared_data",  # a fixture
    "release_",  # parts of names
    "not_private",
    "dask_frame",  # made up
    "pilot",
}
NAME = re.compile(r"\b(relgauss(?:\.\w+)+|rg\.\w+)\b(?!\.(?:csv|png|json|md|toml|html))")


@cache
def program() -> click.Group:
    """All commands, as typer makes them: it takes a while."""
    return typer.main.get_command(app)


def commands() -> dict[str, dict[str, object]]:
    """Each command and the commands inside it."""
    return {name: getattr(command, "commands", {}) for name, command in program().commands.items()}


def options_of(command: object) -> Iterator[str]:
    """Every option of a command, and of those inside it."""
    for parameter in command.params:
        yield from (name for name in (*parameter.opts, *parameter.secondary_opts) if name.startswith("--"))
    for inner in getattr(command, "commands", {}).values():
        yield from options_of(inner)


def options() -> set[str]:
    """Every option of every command."""
    return {*options_of(program()), "--help", *FLOWER_S}


def misplaced(text: str) -> list[str]:
    """Options that a page gives to a command that has others only."""
    tree = program().commands
    wrong = []
    for first, second, rest in WITH_OPTIONS.findall(text.replace("\\\n", " ")):
        if first in tree:
            command = getattr(tree[first], "commands", {}).get(second, tree[first])
            known = {*options_of(command), "--help"}
            wrong += [f"relgauss {first} {option}" for option in OPTION.findall(rest) if option not in known]
    return wrong


@cache
def words_of_the_code() -> frozenset[str]:
    """All names that the package defines, uses or writes as a text without blanks."""
    source = ROOT / "src" / "relgauss"
    found = {part.removesuffix(".py") for file in source.rglob("*") for part in file.relative_to(ROOT).parts}
    for file in source.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            found.update(
                value
                for field in ("name", "id", "attr", "arg")
                if isinstance(value := getattr(node, field, None), str)
            )
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
                found.update(re.findall(r"\w+", node.value))
    return frozenset(found)


def unknown_names(text: str) -> list[str]:
    """Names in the prose of a page that neither the package nor a block of the page knows."""
    shown = {name for block in BLOCK.findall(text) for name in re.findall(r"\w+", block)}
    known = words_of_the_code() | shown | FOREIGN_NAMES
    return [
        name
        for code in CODE.findall(BLOCK.sub("", text))
        if not code.startswith(NO_NAMES) and "/" not in code and not code.startswith("test_")
        for dot, name, call in WORD.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", code))
        if dot or call or "_" in name or re.search("[a-z][A-Z]", name)
        if name not in known and not OF_THE_PAYROLL.fullmatch(name)
    ]


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
    wrong += [name for name in NAME.findall(text) if not exists(name)]
    return wrong + misplaced(text) + unknown_names(text)


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
        "`relgauss fit homes.csv --spread 0.1`",  # an option of another command
        "```console\n$ relgauss ledger init a.ledger \\\n  --what x\n```\n",
        "as `outcome_.ignored_columns` says",
        "`feature_ranges_` has them",
        "pass `feature_bound=(0, 1)`",
        "`release_medians` does it",
    ],
)
def test_a_planted_name_is_seen(planted: str):
    assert problems(planted)


def sections(page: str) -> dict[str, str]:
    """The parts of a page by their headings."""
    return dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))


def unsaid(name: str, section: str) -> set[str]:
    """The options of a command that its section of the page does not name."""
    command = typer.main.get_command(app)
    for word in name.split():
        command = command.commands[word]
    return set(options_of(command)) - set(OPTION.findall(section)) - {"--help", "--json"}


def test_every_option_of_a_command_stands_on_the_page_of_commands():
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    elsewhere = {"audit": "audit.md", "ledger": "ledger.md", "reproduce": "paper.md"}
    parts = {name.lower(): text for name, text in sections(page).items() if not name.startswith("Federated")}
    parts |= {
        "federated node": sections(page)["Federated node"],
        "federated demo": sections(page)["Federated demo"],
    }
    parts |= {name: (ROOT / "docs" / file).read_text(encoding="utf-8") for name, file in elsewhere.items()}
    assert {name.partition(" ")[0] for name in parts} == set(commands())
    assert {name: missing for name, text in parts.items() if (missing := unsaid(name, text))} == {}


def test_an_option_that_the_page_forgot_is_seen():
    assert unsaid("doctor", "") == set()
    assert unsaid("demo", "`--plot FILE`, `--seed N`") == {"--force"}


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
