"""Run the built wheel where nothing else is installed: ``make test-wheel``.

It is installed into an empty environment without extras and into one for each extra, at the newest and at the
lowest versions that pyproject.toml allows. In each, every command's help, the demo, three mistakes and what
the extra is for are run. Names of extras, or ``none``, choose some of them; ``lowest`` or ``newest`` one end.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NONE, FOR_DEVELOPERS = "none", ("dev", "docs")
EXTRAS = (NONE, *(name for name in PROJECT["optional-dependencies"] if name not in FOR_DEVELOPERS))
ENDS = ("newest", "lowest")

TARGET = ["--dim", "2", "--epsilon", "1", "--delta", "1e-6"]
MISTAKES = [["nonsense"], ["calibrate", *TARGET[2:]], ["calibrate", "--eta", "-1", *TARGET]]
COMMANDS = """
import typer
from relgauss.cli.app import app
for name, command in typer.main.get_command(app).commands.items():
    for inner in getattr(command, "commands", {"": None}):
        print(name, inner)
"""
MEANS = ["means", "relgauss-demo.csv", "--by", "job", "--value", "pay", "--epsilon", "1", "--delta", "1e-6"]
DASK = """
import dask.array
import numpy
from relgauss.records.read import read_records
rows = dask.array.from_array(numpy.ones((100, 2)), chunks=50)
assert read_records(rows, target=rows[:, 0]).columns == 2
"""
SHEET = """
import openpyxl
from relgauss.records.tables import open_table
book = openpyxl.Workbook()
book.active.append(["pay"])
book.active.append([5])
book.save("pay.xlsx")
with open_table("pay.xlsx") as table:
    assert table.rows(f"FROM {table.source}") == [("5",)]
"""
FRAME = """
import numpy, pandas
from relgauss.budget import PrivacyStatement
from relgauss.grouped.result import Estimates, GroupedRelease
empty = numpy.array([])
estimates = Estimates((), empty, empty, empty, empty, empty, ())
release = GroupedRelease("a", "b", estimates, "assumed", 0.9, PrivacyStatement((), 1e-6))
assert isinstance(release.to_pandas(), pandas.DataFrame)
"""


def lower_bounds(extra: str) -> list[str]:
    """The lowest version of every requirement, as constraints."""
    lines = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"].get(extra, [])]
    bounds = []
    for requirement in map(Requirement, lines):
        (lowest,) = [bound.version for bound in requirement.specifier if bound.operator == ">="]
        bounds.append(f"{requirement.name}=={lowest}")
    return bounds


def run(command: list[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")


def must_run(command: list[str | Path], folder: Path) -> str:
    """Run what has to succeed and say nothing on stderr."""
    done = run(command, folder)
    assert (done.returncode, done.stderr) == (0, ""), f"{command}: {done}"
    return done.stdout


def must_refuse(command: list[str | Path], folder: Path, words: str = "") -> None:
    """Run what has to end with one line."""
    done = run(command, folder)
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(lines)) == (2, "", 1), f"{command}: {done}"
    assert lines[0].startswith("Error: "), lines
    assert words in lines[0], lines


def check(binaries: Path, extra: str, folder: Path) -> None:
    """Every command's help, the demo, three mistakes, and what the extra is for."""
    python, relgauss = binaries / "python", binaries / "relgauss"
    must_run([python, "-m", "pip", "check"], folder)
    for command in must_run([python, "-c", COMMANDS], folder).splitlines():
        must_run([relgauss, *command.split(), "--help"], folder)
    must_run([relgauss, "--help"], folder)
    must_run([relgauss, "demo"], folder)
    for mistake in MISTAKES:
        must_refuse([relgauss, *mistake], folder)
    uses: dict[str, Callable[[], object]] = {
        NONE: partial(must_refuse, [relgauss, *MEANS], folder, "relgauss[files]"),
        "plot": partial(must_run, [relgauss, "compare", "--eta", "0.1", *TARGET, "--plot", "a.png"], folder),
        "files": partial(must_run, [relgauss, *MEANS, "--output", "means.parquet"], folder),
        "excel": partial(must_run, [python, "-c", SHEET], folder),
        "dask": partial(must_run, [python, "-c", DASK], folder),
        "pandas": partial(must_run, [python, "-c", FRAME], folder),
        "federated": partial(must_run, [python, "-c", "import relgauss.federated"], folder),
    }
    uses[extra]()


def main(chosen: list[str]) -> None:
    extras = [extra for extra in EXTRAS if extra in chosen] or EXTRAS
    ends = [end for end in ENDS if end in chosen] or ENDS
    with tempfile.TemporaryDirectory(prefix="relgauss-wheel-") as name:
        base = Path(name)
        pip = [sys.executable, "-m", "pip"]
        subprocess.run([*pip, "wheel", "-q", "--no-deps", "--wheel-dir", base, ROOT], check=True)
        (wheel,) = base.glob("relgauss-*.whl")
        for end in ends:
            for extra in extras:
                with tempfile.TemporaryDirectory(dir=base) as room:
                    folder, environment = Path(room), Path(room) / "env"
                    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
                    constraints = folder / "constraints.txt"
                    constraints.write_text("\n".join(lower_bounds(extra)) if end == "lowest" else "")
                    binaries = environment / "bin"
                    what = str(wheel) if extra == NONE else f"{wheel}[{extra}]"
                    install = [binaries / "pip", "install", "-q", "--constraint", constraints, what]
                    subprocess.run(install, check=True)
                    check(binaries, extra, folder)
                    sys.stdout.write(f"{end}, {extra}: runs\n")
                    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
