"""``relgauss doctor``: what works here, and what is missing."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from relgauss.cli.doctor import BRINGS


def test_it_says_that_noise_works_and_what_extras_bring(relgauss: Callable[..., object]):
    done = relgauss("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Secure noise: works" in done.stdout
    assert "numpy" in done.stdout


def test_as_json(as_json: Callable[..., dict[str, object]]):
    found = as_json("doctor")
    assert found["secure_noise"] == {"works": True, "faults": [], "drawn": 2**15}
    assert found["packages"]["numpy"]
    assert found["extras"]["plot"]["brings"] == BRINGS["plot"]


def test_every_extra_of_users_is_explained(project_root: Path):
    project = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(BRINGS) == set(project["optional-dependencies"]) - {"dev", "docs"}


def test_a_machine_without_random_bytes_is_told(
    relgauss: Callable[..., object], monkeypatch: pytest.MonkeyPatch
):
    def broken(count: int) -> bytes:
        raise OSError("no entropy")

    monkeypatch.setattr(os, "urandom", broken)
    done = relgauss("doctor")
    assert done.returncode == 1
    assert "Secure noise: FAULTY" in done.stdout
    assert "no random bytes" in done.stdout
