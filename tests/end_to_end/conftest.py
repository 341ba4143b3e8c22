"""The command as a user runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("relgauss")

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def relgauss(tmp_path: Path) -> Run:
    """Run the installed command in an empty folder; keywords are variables of its environment."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments],
            cwd=tmp_path,
            env=os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"} | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    return run


@pytest.fixture
def as_json(relgauss: Run) -> Callable[..., dict[str, Any]]:
    """Run a command with --json: it succeeds, and prints nothing else."""

    def run(*arguments: str) -> dict[str, Any]:
        done = relgauss(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run


@pytest.fixture
def no_matplotlib(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PYTHONPATH on which matplotlib cannot be imported."""
    folder = tmp_path_factory.mktemp("without")
    (folder / "matplotlib.py").write_text("raise ImportError")
    return str(folder)


@pytest.fixture
def is_picture() -> Callable[[Path], bool]:
    """Whether a file begins as one of its kind does."""
    signs = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}
    return lambda file: file.read_bytes().startswith(signs[file.suffix])
