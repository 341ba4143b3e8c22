"""Settings found by tuning, kept in the output folder: the search takes minutes, and its result is reused."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.regression.protocol import Task
from benchmarks.regression.tuning import Boosting, Descent, tune_boosting, tune_descent


class Tuned:
    """The best setting of each peer, by data set and epsilon; searched for when first asked for."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        self.reused = bool(self._found)

    def descent(self, task: Task, epsilon: float) -> Descent:
        """ClippedGD's setting."""
        key = f"descent {task.name} {epsilon:g}"
        if key not in self._found:
            self._keep(key, asdict(tune_descent(task, epsilon)))
        return Descent(**self._found[key])

    def boosting(self, task: Task, epsilon: float) -> Boosting:
        """Boosted AdaSSP's setting."""
        key = f"boosting {task.name} {epsilon:g}"
        if key not in self._found:
            self._keep(key, asdict(tune_boosting(task, epsilon)))
        return Boosting(**self._found[key])

    def _keep(self, key: str, value: object) -> None:
        self._found[key] = value
        self._file.write_text(json.dumps(self._found, indent=1))
