"""Every block of README and docs runs as pasted, and prints what the page shows."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from relgauss.mechanisms import registry

from .pages import as_printed, blocks_of, first_unpasteable, run_page

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]


@pytest.fixture(autouse=True)
def forgets_what_a_page_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_BY_NAME", dict(registry._BY_NAME))


@pytest.fixture
def run(relgauss: Callable[..., object]) -> Callable[[list[str]], str]:
    """What a command prints, on either stream."""

    def printed(arguments: list[str]) -> str:
        done = relgauss(*arguments)
        return done.stdout + done.stderr

    return printed


def page_of(text: str) -> str:
    """A page, its fences written with tildes."""
    return text.replace("~~~", "```")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(b.is_run for b in blocks_of((ROOT / page).read_text("utf-8")))]
)
def test_the_page_runs_as_pasted(page: str, tmp_path: Path, run: Callable[[list[str]], str]):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a reader would see them, beside what is printed
        problems = run_page((ROOT / page).read_text(encoding="utf-8"), tmp_path, run)
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("page", PAGES)
def test_fences_are_closed_and_a_block_that_is_not_run_says_why(page: str):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(blocks_of(text))
    outputs = [block for block in blocks_of(text) if not block.language]
    assert [block.line for block in outputs if not block.follows and block.mark != "one run"] == []
    reasons = [block.mark.removeprefix("not run: ") for block in blocks_of(text) if "not run" in block.mark]
    assert all(len(reason) > 15 for reason in reasons)


AS_FILES = {"docs/your-own-mechanism.md"}  # a program to save, not to paste


@pytest.mark.parametrize("page", [page for page in PAGES if page not in AS_FILES])
def test_python_can_be_pasted_line_by_line(page: str):
    programs = [b for b in blocks_of((ROOT / page).read_text("utf-8")) if b.language == "python" and b.is_run]
    assert {b.line: stop for b in programs if (stop := first_unpasteable(b.text))} == {}


def test_a_program_that_cannot_be_pasted_is_seen():
    assert first_unpasteable("for x in [1]:\n    y = x\nprint(y)\n") == "print(y)"
    assert first_unpasteable("for x in [1]:\n    y = x\n\nprint(y)\n") is None
    assert first_unpasteable("f(\n    1,\n)\nif x:\n    y = 1\n") is None


@pytest.mark.parametrize(
    "planted",
    [
        "~~~python\nprint(undefined)\n~~~\n",
        "~~~python\nprint(1 + 1)\n~~~\n\n~~~\n3\n~~~\n",
        "~~~console\n$ relgauss calibrate --absolute 1 --dim 2 --epsilon 1 --delta 1e-6\nGaussian\n~~~\n",
        "~~~console\n$ relgauss no-such-command\n~~~\n",
        "~~~sh\nrelgauss-no-such-program\n~~~\n",
        "~~~python\nprint('a 1')\n~~~\n\n<!-- noisy -->\n~~~\nb 2\n~~~\n",
        "~~~python\nprint('a 1.3')\n~~~\n\n<!-- nearly -->\n~~~\na 1\n~~~\n",
        "<!-- nearly -->\n~~~console\n$ printf 'b 1\\na 3\\n'\n...\na 5\n~~~\n",
        "~~~console\n$ printf ' job pay\\n ──\\n b 1\\nAll.\\n'\n...\n~~~\nOne run:\n\n"
        "<!-- one run -->\n~~~\n job wage\n ──\n a 1\nAll.\n~~~\n",
        "~~~console\n$ printf ' job pay\\n ──\\n b 1\\nAll.\\n'\n...\n~~~\nOne run:\n\n"
        "<!-- one run -->\n~~~\n job pay\n ──\n b 1\nNone.\n~~~\n",
    ],
)
def test_a_planted_fault_in_a_page_is_seen(planted: str, tmp_path: Path, run: Callable[[list[str]], str]):
    assert run_page(page_of(planted), tmp_path, run)


@pytest.mark.parametrize(
    "right",
    [
        "~~~python\nx = 1\n~~~\n\n~~~python\nprint(x)\n~~~\n\n~~~\n1\n~~~\n",
        "~~~python\nprint('a', 1.5)\n~~~\n\n<!-- noisy -->\n~~~\na 2.25\n~~~\n",
        "<!-- not run: needs a cluster of machines -->\n~~~python\nprint(undefined)\n~~~\n",
        "~~~console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n~~~\n",
        "<!-- nearly -->\n~~~console\n$ printf 'b 1\\na 3.1\\nAbout 7 s\\n'\n...\na 3\nAbout 1 s\n~~~\n",
        "~~~console\n$ printf ' job pay\\n ──\\n b 1\\nTwo rows. All.\\n'\n...\n~~~\nOne run:\n\n"
        "<!-- one run -->\n~~~\n job  pay\n ────\n a 2\n c 3\n3 rows. All.\n~~~\n",
    ],
)
def test_a_right_page_passes(right: str, tmp_path: Path, run: Callable[[list[str]], str]):
    assert run_page(page_of(right), tmp_path, run) == []


def test_numbers_before_a_statement_are_noise_and_those_in_it_are_not():
    shown = "3 rows, secure noise.\n a  1.5\n\nPrivacy: epsilon 1 at delta 1e-06\n  spent  0.2-GDP\n"
    assert as_printed(shown, shown.replace("1.5", "-1,732.9"))
    assert not as_printed(shown, shown.replace("0.2-GDP", "0.3-GDP"))
    assert not as_printed(shown, shown.replace(" a ", " b "))
