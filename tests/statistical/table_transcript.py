"""Everything that a table releases, taped; and the same table of a neighbour, made to release the same.

What the releases of a stage cost together, for this pair of neighbours, is exact: each is Gaussian, so they
are as hard to tell apart as N(0, 1) and N(c, 1), c² the sum of the squares of shifts over noise levels.
"""

import math
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd

from relgauss.accounting import GaussianDP
from relgauss.grouped import measured_table, measured_values, release_table
from relgauss.grouped.table_budget import BOUNDS, FATES, PERSONS, ROWS, TOTALS, VALUES
from relgauss.grouped.table_result import TableRelease
from relgauss.mechanisms import Gaussian
from relgauss.mechanisms.base import Mechanism

KEY = "0" * 64  # of the choice of rows: it is the same for neighbours
STAGES = {"choose_bounds": BOUNDS, "noisy_fates": FATES, "_find_groups": PERSONS, "noisy_rows": ROWS}


@dataclass(frozen=True, eq=False)
class Release:
    """One question to a mechanism: the true answer, what was told, and in which stage."""

    stage: str
    mechanism: Gaussian
    value: np.ndarray
    output: np.ndarray


@dataclass(eq=False)
class Tape:
    """A table and what it released, in order."""

    releases: list[Release] = field(default_factory=list)
    table: TableRelease | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def published(self) -> tuple[str, ...]:
        """All that the user sees."""
        assert self.table is not None
        return str(self.table), repr(self.table.to_dict()), *self.warnings

    @property
    def charged(self) -> dict[str, float]:
        """The mu that the statement charges for each stage."""
        assert self.table is not None
        charges = self.table.privacy.charges
        return {each.stage: each.guarantee.mu for each in charges if isinstance(each.guarantee, GaussianDP)}


def table_on_tape(frame: pd.DataFrame, question: dict[str, Any], script: Tape | None = None) -> Tape:
    """Release a table, and keep all that is released; a script's releases are told instead of noisy ones."""
    tape, honest, stages = Tape(), Mechanism.release, list[str]()

    def release(self: Gaussian, value: Any, *, rng: Any = None) -> np.ndarray:
        number = len(tape.releases)
        output = honest(self, value, rng=rng) if script is None else script.releases[number].output
        values = (np.array(each, dtype=float) for each in (value, output))
        tape.releases.append(Release(stages[-1], self, *values))
        return output

    def in_stage(work: Callable[..., Any], stage_of: Callable[..., str]) -> Callable[..., Any]:
        def told(*arguments: Any) -> Any:
            stages.append(stage_of(*arguments))
            return work(*arguments)

        return told

    def values_or_totals(cells: Any, *others: Any) -> str:
        return TOTALS if cells.groups == (None,) else VALUES

    with ExitStack() as patched, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        patched.enter_context(mock.patch.object(Mechanism, "release", release))
        patched.enter_context(mock.patch.object(measured_table, "secret_key", return_value=KEY))
        places = [(measured_table, name, lambda *_, stage=stage: stage) for name, stage in STAGES.items()]
        for module, name, stage_of in (*places, (measured_values, "measure_column", values_or_totals)):
            told = in_stage(getattr(module, name), stage_of)
            patched.enter_context(mock.patch.object(module, name, told))
        tape.table = release_table(frame, **question, rng=np.random.default_rng(1))
    tape.warnings = [str(warning.message) for warning in caught]
    return tape


def costs(script: Tape, neighbour: Tape) -> dict[str, float]:
    """How far the releases of two neighbours are apart, stage by stage, as parts of what is charged."""
    squares = Counter[str]()
    for a, b in zip(script.releases, neighbour.releases, strict=True):
        squares[a.stage] += float(np.linalg.norm(a.value - b.value) / a.mechanism.noise_std) ** 2
    return {stage: math.sqrt(each) / script.charged.get(stage, 0.0) for stage, each in squares.items()}


def faults(script: Tape, neighbour: Tape) -> list[str]:
    """What is wrong with a table, as far as this pair of neighbours shows."""
    found = []
    first, second = ([(each.stage, each.mechanism) for each in tape.releases] for tape in (script, neighbour))
    if first != second:
        return ["the mechanisms depend on the records"]
    if any(each > 1 for each in costs(script, neighbour).values()):
        found.append("the releases cost more than is charged")
    if script.published != neighbour.published:
        found.append("what is published depends on more than the releases")
    return found
