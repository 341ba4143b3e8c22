"""The blocks of a page, run in order as a reader would paste them, and their printed output compared.

    ```python            run, in one namespace for the whole page
    ```                  right after it: what it prints
    ```console           each line after "$ " is run, the others are what it prints
    ```sh                run
    <!-- not run: why -->   before a block that needs what a test cannot have
    <!-- noisy -->          before an output whose numbers are noise: words must agree, numbers may differ
    <!-- nearly -->         before an output with a fixed seed: numbers may differ by a quarter; those of a
                            line that begins with "About" are the machine's
    <!-- one run -->        before what the last command printed in another run, in which noise decided on
                            rows and words too: the table's head must agree, and sentences without numbers

A line "..." stands for any lines. What a command prints before its statement is noisy if it says so
("secure noise"); the statement itself never is.
"""

from __future__ import annotations

import codeop
import contextlib
import io
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RUN_LANGUAGES = {"python", "console", "sh"}

_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>not run: [^\n]+|noisy|nearly|one run) -->\n)?(?:^<!-- [\w ]+ -->\n)?"
    r"^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?!\w|\.\d)")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{11,}(?:e[+-]?\d+)?")
_NOISY = "secure noise"
_NEAR = 0.25

Command = Callable[[list[str]], str]


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it begins at, what the mark before it says."""

    language: str
    text: str
    line: int
    mark: str
    follows: bool  # stands right after another block, as its output

    @property
    def is_run(self) -> bool:
        return self.language in RUN_LANGUAGES and not self.mark.startswith("not run")


def blocks_of(page: str) -> list[Block]:
    """All blocks of a page, in order."""
    blocks, end = [], -1
    for found in _FENCE.finditer(page):
        follows = end >= 0 and not page[end : found.start()].strip()
        line = page.count("\n", 0, found.start("language")) + 1
        blocks.append(Block(found["language"], found["text"], line, found["mark"] or "", follows))
        end = found.end()
    return blocks


def commands_in(text: str) -> list[tuple[str, str]]:
    """Each command of a console block, and the lines that it prints."""
    parts = re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]
    return [(command.strip(), output) for command, _, output in (part.partition("\n") for part in parts)]


def as_printed(expected: str, printed: str, *, noisy: bool = False) -> bool:
    """Whether the printed lines are those expected, up to spaces and, in noise, up to numbers."""
    noisy_part, privacy, exact = expected.partition("Privacy: epsilon")
    if _NOISY in noisy_part and privacy:
        printed_noise, _, printed_exact = printed.partition(privacy)
        return as_printed(noisy_part, printed_noise, noisy=True) and as_printed(exact, printed_exact)
    if not noisy:
        expected, printed = _without_last_digits(expected), _without_last_digits(printed)
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in _lines(expected, noisy)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed, noisy))) is not None


def nearly_as_printed(expected: str, printed: str) -> bool:
    """Whether words agree, and numbers up to a quarter, but for those of a machine."""
    if not as_printed(expected, printed, noisy=True):
        return False
    lines = iter(_lines(printed, noisy=False))
    for line in _lines(expected, noisy=False):
        if line == "...":
            continue
        words = _NUMBER.sub("#", line)
        found = next(each for each in lines if _NUMBER.sub("#", each) == words)
        pairs = zip(_numbers(line), _numbers(found), strict=True)
        if not line.startswith("About") and any(abs(a - b) > _NEAR * abs(a) for a, b in pairs):
            return False
    return True


def is_one_run(shown: str, printed: str) -> bool:
    """Whether what is shown has the head of the printed table, and says nothing that was not printed."""
    lines = shown.splitlines()
    rule = next((number for number, line in enumerate(lines) if "──" in line), 0)
    prose = " ".join(line for line in lines[rule:] if line and not line.startswith(" "))
    sentences = [each for each in re.split(r"(?<=[.:]) ", prose) if each and not re.search(r"\d", each)]
    said, heads = " ".join(printed.split()), _lines(printed, noisy=False)
    return all(each in heads for each in _lines("\n".join(lines[:rule]), noisy=False)) and all(
        each in said for each in sentences
    )


def first_unpasteable(program: str) -> str | None:
    """The first line at which Python's prompt would stop, if the program is pasted line by line."""
    waiting: list[str] = []
    for line in [*program.splitlines(), ""]:
        waiting.append(line)
        try:
            if codeop.compile_command("\n".join(waiting)) is not None:
                waiting = []
        except SyntaxError:
            return line
    return waiting[0] if waiting else None


def run_page(page: str, folder: Path, relgauss: Command) -> list[str]:
    """Run a page's blocks in a folder; return what was not as printed, and what failed."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    problems, printed, last = [], None, ""
    for block in blocks_of(page):
        is_output = not block.language and block.follows and printed is not None
        if is_output and not _as_marked(block, block.text, printed or ""):
            problems.append(f"line {block.line} printed:\n{printed}")
        if block.mark == "one run" and not is_one_run(block.text, last):
            problems.append(f"line {block.line} is no run of the last command, which printed:\n{last}")
        printed = None
        if not block.is_run:
            continue
        try:
            if block.language == "python":
                with contextlib.redirect_stdout(io.StringIO()) as output:
                    exec(compile(block.text, f"line {block.line}", "exec"), namespace)
                printed = output.getvalue()
            elif block.language == "sh":
                for line in block.text.replace("\\\n", " ").splitlines():
                    _run(line, folder, relgauss)
            else:
                for command, expected in commands_in(block.text):
                    last = _run(command, folder, relgauss)
                    if not _as_marked(block, expected, last):
                        problems.append(f"line {block.line}, {command!r} printed:\n{last}")
        except Exception as error:  # noqa: BLE001  (whatever a page raises is its fault)
            problems.append(f"line {block.line}: {type(error).__name__}: {error}")
    return problems


def _as_marked(block: Block, expected: str, printed: str) -> bool:
    if block.mark == "nearly":
        return nearly_as_printed(expected, printed)
    return as_printed(expected, printed, noisy=block.mark == "noisy")


def _numbers(line: str) -> list[float]:
    return [float(found.replace(",", "")) for found in _NUMBER.findall(line)]


def _without_last_digits(text: str) -> str:
    """Numbers in full precision to nine digits: the last ones are those of a machine."""
    return _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.9g}", text)


def _lines(text: str, noisy: bool) -> list[str]:
    """Lines without the spaces and rules that depend on a table's widths; in noise without numbers."""
    text = _NUMBER.sub("#", text) if noisy else text
    lines = (re.sub(r"[\s─]+", " ", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def _run(command: str, folder: Path, relgauss: Command) -> str:
    words = shlex.split(command, comments=True)
    if words[:1] == ["relgauss"]:
        return relgauss(words[1:])
    command = command.replace("python -c", f"{shlex.quote(sys.executable)} -c")
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout
