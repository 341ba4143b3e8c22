"""The notebooks run from an empty folder, and what they show has a view worth looking at."""

import importlib.util
import json
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def runner() -> ModuleType:
    """The script that also keeps the notebooks' outputs."""
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "site" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", NOTEBOOKS, ids=[file.stem for file in NOTEBOOKS])
def test_every_cell_runs_and_results_have_a_view(runner: ModuleType, file: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = [cell for cell in runner.run_notebook(file)["cells"] if cell["cell_type"] == "code"]
    shown = [output for cell in cells for output in cell["outputs"] if "data" in output]
    assert sum("text/html" in output["data"] for output in shown) >= 2
    assert any("Privacy: epsilon" in "".join(output["data"]["text/plain"]) for output in shown)
    kept = [cell for cell in json.loads(file.read_text(encoding="utf-8"))["cells"] if "outputs" in cell]
    assert spent(kept) == spent(cells), "run site/notebooks.py: a release now spends its budget otherwise"


def spent(cells: list[dict[str, Any]]) -> list[str]:
    """What statements say of the budget: no noise is in that."""
    outputs = [output for cell in cells for output in cell["outputs"] if "data" in output]
    lines = [line for output in outputs for line in "".join(output["data"]["text/plain"]).splitlines()]
    found = [line for line in lines if line.startswith(("Privacy: epsilon", "  spent"))]
    assert len(found) > 3
    return found


def test_a_cell_that_fails_is_seen(runner: ModuleType):
    with pytest.raises(NameError):
        runner.run_cell("undefined", {})
