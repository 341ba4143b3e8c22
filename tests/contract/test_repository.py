"""No file of the project names a package registry or a path of one machine."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

REGISTRY = re.compile(r"(?:pypi|pythonhosted|npmjs)\.(?:org|com)|--(?:index-url|extra-index-url|find-links)")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|Users|opt/pypi|opt/wheels|tmp/scratch)/")


def leaks(files: Iterable[Path]) -> list[str]:
    """Each line of `files` that ties the project to a registry or to a machine."""
    return [
        f"{file}:{number}: {line.strip()}"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if REGISTRY.search(line) or MACHINE_PATH.search(line)
    ]


def test_no_registry_address_and_no_machine_path(project_files: list[Path]):
    assert leaks(project_files) == []


@pytest.mark.parametrize(
    "line",
    [
        "https://{}/simple".format("pypi" + ".org"),
        "--{}=internal".format("extra-index-url"),
        "data = '/{}/shared/data'".format("work"),
        "numpy @ file:///{}/wheels/numpy.whl".format("root"),
    ],
)
def test_the_check_sees_a_planted_leak(tmp_path: Path, line: str):
    planted = tmp_path / "planted.txt"
    planted.write_text(f"harmless\n{line}\n")
    assert leaks([planted]) == [f"{planted}:2: {line}"]


def test_relative_paths_are_no_leaks(tmp_path: Path):
    harmless = tmp_path / "harmless.md"
    harmless.write_text("../shared/data, docs/work/notes.md, ./home/page.md\n")
    assert leaks([harmless]) == []
