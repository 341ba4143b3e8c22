"""The notebooks run from an empty folder, and what they show has a view worth looking at."""

import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

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


def test_a_cell_that_fails_is_seen(runner: ModuleType):
    with pytest.raises(NameError):
        runner.run_cell("undefined", {})
