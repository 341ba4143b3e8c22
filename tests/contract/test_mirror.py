"""The unit tests mirror the source: a test of a module is found where the module is."""

from pathlib import Path

import pytest


def misplaced(root: Path) -> list[str]:
    """Each unit test under `root` whose folder or name leads to no module of the source.

    A test may be named after a module or sub-package of its folder, with words that say which part of it, or
    after the folder, where it tests the package as a whole.
    """
    package, unit = root / "src" / "relgauss", root / "tests" / "unit"
    problems = []
    for test in sorted(unit.rglob("test_*.py")):
        folder = package / test.parent.relative_to(unit)
        place = test.relative_to(root).as_posix()
        if not (folder / "__init__.py").is_file():
            problems.append(f"{place} is in a folder that the source does not have")
        elif not any(
            test.stem == f"test_{name}" or test.stem.startswith(f"test_{name}_") for name in names(folder)
        ):
            problems.append(f"{place} is named after no module of its folder")
    return problems


def names(folder: Path) -> set[str]:
    """What a test in the mirror of this folder may be named after."""
    modules = {file.stem for file in folder.glob("*.py")}
    packages = {file.parent.name for file in folder.glob("*/__init__.py")}
    return (modules | packages | {folder.name}) - {"__init__"}


def test_every_unit_test_mirrors_the_source(project_root: Path):
    assert misplaced(project_root) == []


@pytest.fixture
def small_project(tmp_path: Path) -> Path:
    """A project whose every unit test is in its place."""
    for name in (
        "src/relgauss/__init__.py",
        "src/relgauss/errors.py",
        "src/relgauss/noise/__init__.py",
        "src/relgauss/noise/lattice.py",
        "src/relgauss/noise/secure/__init__.py",
        "tests/unit/conftest.py",
        "tests/unit/test_errors.py",
        "tests/unit/noise/test_lattice.py",
        "tests/unit/noise/test_lattice_rounding.py",
        "tests/unit/noise/test_noise.py",
        "tests/unit/noise/test_secure_draws.py",
        "tests/unit/noise/helper.py",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def test_a_mirror_has_no_problem(small_project: Path):
    assert misplaced(small_project) == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("tests/unit/noise/test_rounding.py", "is named after no module of its folder"),
        ("tests/unit/noise/test_lattices.py", "is named after no module of its folder"),
        ("tests/unit/noise/test_errors.py", "is named after no module of its folder"),
        ("tests/unit/test_lattice.py", "is named after no module of its folder"),
        ("tests/unit/sound/test_lattice.py", "is in a folder that the source does not have"),
    ],
)
def test_the_check_sees_a_planted_stray(small_project: Path, name: str, problem: str):
    file = small_project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    assert misplaced(small_project) == [f"{name} {problem}"]
