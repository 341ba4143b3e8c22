"""The command as a user runs it."""

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import duckdb
import pytest

from relgauss.cli import main
from relgauss.cli.app import app
from relgauss.cli.run import run as run_app
from relgauss.mechanisms.base import Mechanism

from .fit_tables import Done, made_frame
from .fit_tables import Run as Fit

COMMAND = Path(sys.executable).with_name("relgauss")

Run = Callable[..., subprocess.CompletedProcess[str]]
TERMINAL = {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def installed(tmp_path: Path) -> Run:
    """Run the installed command in an empty folder; keywords are variables of its environment."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env=os.environ | TERMINAL | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    return run


@pytest.fixture
def relgauss(
    installed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run what the installed command runs, in an empty folder.

    It gets a process of its own, which costs a second, where Python itself is to start otherwise.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", as_without_pytest)
    for name, value in TERMINAL.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        if any(name.startswith("PYTHON") for name in environment):
            return installed(*arguments, **environment)
        with pytest.MonkeyPatch.context() as patched:
            for name, value in environment.items():
                patched.setenv(name, value)
            patched.setattr("relgauss.cli.output.console.width", int(os.environ["COLUMNS"]))
            patched.setattr(sys, "argv", ["relgauss", *arguments])
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        return subprocess.CompletedProcess(arguments, int(str(ended.value.code)), *capsys.readouterr())

    return run


def as_without_pytest(message: Any, category: Any, filename: str, lineno: int, *_: object) -> None:
    """Put a warning on stderr, where the user of a command would see it."""
    if not issubclass(category, DeprecationWarning):
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


@pytest.fixture
def as_json(relgauss: Run) -> Callable[..., dict[str, Any]]:
    """Run a command with --json: it succeeds, and prints nothing else."""

    def run(*arguments: str) -> dict[str, Any]:
        done = relgauss(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run


class WithoutMatplotlib(MetaPathFinder):
    """Finds matplotlib nowhere."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if matplotlib were not installed."""
    for name in [each for each in sys.modules if each.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [WithoutMatplotlib(), *sys.meta_path])


@pytest.fixture
def is_picture() -> Callable[[Path], bool]:
    """Whether a file begins as one of its kind does."""
    signs = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}
    return lambda file: file.read_bytes().startswith(signs[file.suffix])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    frame = made_frame()
    frame.to_parquet(folder / "data.parquet")
    frame.to_csv(folder / "data.csv", index=False)
    frame.head(1_000).drop(columns="y").to_csv(folder / "public.csv", index=False)
    (folder / "parts").mkdir()
    for number in range(2):
        frame.iloc[number::2].to_parquet(folder / "parts" / f"{number}.parquet")
    (folder / "empty").mkdir()
    with duckdb.connect(folder / "data.duckdb") as connection:
        connection.execute(f"CREATE TABLE people AS FROM '{folder / 'data.parquet'}'")
    for name, column, value in (
        ("text", "a", "n/a"),
        ("infinite", "b", "inf"),
        ("category", "colour", "pink"),
    ):
        spoilt = frame.astype({column: object})
        spoilt.loc[7, column] = value
        spoilt.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def command(files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fit:
    monkeypatch.chdir(files)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["relgauss", *arguments])
        code = run_app(app)
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*arguments: Any, **options: Any) -> None:
        pytest.fail("noise was drawn before the mistake was found")

    monkeypatch.setattr(Mechanism, "release", drawn)
