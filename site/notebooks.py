"""Run the notebooks of docs/notebooks and keep what they show: ``.venv/bin/python site/notebooks.py``.

A cell's last expression is shown as Jupyter would show it, as HTML where it has such a view. The tests run
every cell again (tests/end_to_end/test_notebooks.py).
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"


def run_cell(source: str, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    """Run one cell; return its outputs in the notebook's format."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), namespace)
        value = None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": str(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        outputs.append(
            {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}
        )
    return outputs


def run_notebook(file: Path) -> dict[str, Any]:
    """The notebook with the outputs of a run in an empty folder."""
    notebook: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    cell["outputs"] = run_cell("".join(cell["source"]), namespace)
        finally:
            os.chdir(before)
    return notebook


if __name__ == "__main__":
    for each in sorted(NOTEBOOKS.glob("*.ipynb")):
        each.write_text(json.dumps(run_notebook(each), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(each.name)
