"""Random tables replayed on hostile neighbours: no stage costs more than is charged for it, on every path."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.bounded import BoundedAnswer
from relgauss.grouped import (
    chosen_bounds,
    gathered,
    measure_column,
    measured_batches,
    measured_values,
    noisy_measurements,
    person_counts,
)
from relgauss.grouped.kept_rows import keep_within
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.grouped.totals import CellTotals

from .table_transcript import costs, faults, table_on_tape

JOBS = ["a", "b", "c"]
HOSTILE = [0.0, -0.0, 5e-324, -5e-324, 1e-6, -1.0, 1e5, 1e12, -1e12, 1.7e308, -1.7e308, math.nan, math.inf]
ASKED = {"pay": ["mean", "std", "zeros", "missing"], "bonus": ["mean", "median", "q90", "count", "sum"]}
PROMISES: dict[str, dict[str, Any]] = {
    "public": {"groups": "public"},
    "public, no means": {"groups": "public", "values": {"bonus": ["median", "q10"]}},
    "listed": {"groups": [*JOBS, "d"]},
    "private": {"groups": "private"},
    "persons": {"groups": JOBS, "person": "who", "rows_per_person": 2, "groups_per_person": 2},
    "persons, chosen": {"groups": JOBS, "person": "who"},
    "persons, rows chosen": {"groups": JOBS, "person": "who", "groups_per_person": 1},
    "persons, private": {
        "groups": "private",
        "person": "who",
        "rows_per_person": 3,
        "groups_per_person": 1,
        "without_person": "a person each",
    },
}
Plant = Callable[[pytest.MonkeyPatch], None]


def question(promise: str) -> dict[str, Any]:
    usual = {"by": ["job"], "values": ASKED, "epsilon": 4.0, "delta": 1e-6}
    return usual | PROMISES[promise]


def person(rng: np.random.Generator, name: str, job: str | None = None) -> pd.DataFrame:
    """Some rows of one person: few, or very many; in one group, or in any."""
    rows = int(rng.choice([1, 2, 5, 400], p=[0.4, 0.3, 0.2, 0.1]))
    return pd.DataFrame(
        {
            "who": name,
            "job": job or rng.choice([*JOBS, None], size=rows),
            "pay": rng.choice(HOSTILE, size=rows),
            "bonus": rng.choice(HOSTILE, size=rows),
        }
    )


def usual(rng: np.random.Generator) -> pd.DataFrame:
    persons = int(rng.integers(300, 900))
    rows = rng.integers(1, 4, size=persons)
    who, count = np.repeat(np.arange(persons), rows), int(rows.sum())
    pay = np.exp(rng.normal(8, rng.choice([0.0, 0.5, 2.0]), size=count)) * rng.choice([1, -1], size=count)
    bonus = np.where(rng.random(count) < 0.5, 0.0, rng.standard_cauchy(count))
    return pd.DataFrame(
        {"who": who.astype(str), "job": rng.choice(JOBS, size=count), "pay": pay, "bonus": bonus}
    )


def pair(rng: np.random.Generator, promise: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A table and its neighbour: a person is replaced, or a row, which stays in its group if it is public."""
    others = usual(rng)
    if "person" in PROMISES[promise]:
        last = [person(rng, name, rng.choice([None, *JOBS])) for name in ("new", "newer")]
    else:
        last = [person(rng, "new", rng.choice(JOBS)).head(1) for _ in range(2)]
        if PROMISES[promise]["groups"] == "public":
            last[1]["job"] = last[0]["job"]
    first, second = (pd.concat([others, each]).sample(frac=1, random_state=1) for each in last)
    return first, second


def check(promise: str, seeds: range) -> tuple[set[str], dict[str, float]]:
    """The faults that these pairs show, and of each stage the part of its charge that the worst one cost."""
    found, worst = set[str](), dict[str, float]()
    for seed in seeds:
        first, second = pair(np.random.default_rng(seed), promise)
        script = table_on_tape(first, question(promise))
        neighbour = table_on_tape(second, question(promise), script)
        found |= set(faults(script, neighbour))
        cost = costs(script, neighbour)
        worst = {stage: max(worst.get(stage, 0.0), each) for stage, each in cost.items()}
    return found, worst


@pytest.mark.parametrize("promise", PROMISES)
def test_no_stage_costs_more_than_is_charged(promise: str):
    found, worst = check(promise, range(2))
    assert found == set()
    assert max(worst.values()) > 0.5  # so that the test can fail


@pytest.mark.parametrize("promise", ["public", "listed", "persons"])
def test_groups_in_batches_and_threads_cost_no_more(promise: str, monkeypatch: pytest.MonkeyPatch):
    """A batch for each group: threads draw their noise in turns, always fresh, in one order."""
    monkeypatch.setattr(measured_batches, "_WEIGHTS", 1)
    tapes = []
    for threads in (1, 2):
        monkeypatch.setattr(measure_column, "thread_count", lambda _, threads=threads: threads)
        assert check(promise, range(2))[0] == set()
        tapes.append(table_on_tape(pair(np.random.default_rng(7), promise)[0], question(promise)))
    first, second = ([each.output.tolist() for each in tape.releases] for tape in tapes)
    assert first == second
    assert tapes[0].published == tapes[1].published
    noise = [
        ((each.output - each.value) / each.mechanism.noise_std).ravel()[:2].round(9).tolist()
        for each in tapes[1].releases
        if each.value.size >= 2
    ]
    assert len(noise) > 3 * len(JOBS)
    assert len(set(map(tuple, noise))) == len(noise)


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize("first", range(100, 400, 100))
def test_no_stage_of_many_tables_costs_more_than_is_charged(promise: str, first: int):
    assert check(promise, range(first, first + 100))[0] == set()


def less_noise_on(module: Any, part: float) -> Plant:
    """Noise for a smaller bound than answers carry."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        honest = module.Gaussian
        patch.setattr(
            module, "Gaussian", lambda bound, dim, multiplier: honest(bound, dim, part * multiplier)
        )

    return plant


def more_rows_kept(patch: pytest.MonkeyPatch) -> None:
    """A person keeps nine times the rows that noise is made for."""

    def wrong(rows: Any, bounds: PersonBounds, *arguments: Any) -> Any:
        return keep_within(rows, PersonBounds(9 * bounds.rows, bounds.groups), *arguments)

    patch.setattr(gathered, "keep_within", wrong)


def a_choice_that_depends_on_others(patch: pytest.MonkeyPatch) -> None:
    """The key of the choice follows the number of rows of the table."""

    def wrong(rows: Any, bounds: PersonBounds, without: Any, key: str) -> Any:
        return keep_within(rows, bounds, without, key + str(rows.table.count()))

    patch.setattr(gathered, "keep_within", wrong)


def a_window_not_applied(patch: pytest.MonkeyPatch) -> None:
    """Sums of values as they are, whatever the window."""
    honest = CellTotals.window_sums

    def wrong(self: CellTotals, groups: Any, windows: Any, contribution: Any) -> BoundedAnswer:
        answer = honest(self, groups, windows, contribution)
        low, high = (self.grid.edges[ends] for ends in (windows.lower, windows.upper))
        sums = (self.sums[groups].sum(axis=1) * 2.0**self.rule.exponent).astype(float) / (high - low)
        return BoundedAnswer(np.column_stack([sums, answer.value[:, 1]]), answer.sensitivity)

    patch.setattr(CellTotals, "window_sums", wrong)


def totals_at_the_price_of_values(patch: pytest.MonkeyPatch) -> None:
    """The totals row is released at three times its mu."""
    honest = measured_values.measure_column

    def wrong(cells: Any, contribution: Any, mu: float, *others: Any) -> Any:
        return honest(cells, contribution, 3 * mu if cells.groups == (None,) else mu, *others)

    patch.setattr(measured_values, "measure_column", wrong)


def sizes_without_noise(patch: pytest.MonkeyPatch) -> None:
    honest = noisy_measurements.NoisySizes

    def wrong(rows: Any, bounds: Any, mu: float, rng: Any) -> Any:
        return honest(rows.astype(float), bounds.row_counts / mu)

    patch.setattr("relgauss.grouped.measured_table.noisy_rows", wrong)


def a_histogram_that_moves_by_one(patch: pytest.MonkeyPatch) -> None:
    """Bounds of the contributions chosen as if a person were in one bin of both histograms together."""
    honest = chosen_bounds.choose_bounds

    def wrong(of_persons: Any, rows: Any, groups: Any, mu: float, rng: Any) -> PersonBounds:
        return honest(of_persons, rows, groups, 5 * mu, rng)

    patch.setattr("relgauss.grouped.measured_table.choose_bounds", wrong)


COSTS, PUBLISHED = (
    "the releases cost more than is charged",
    ("what is published depends on more than the releases"),
)
PLANTED: dict[str, tuple[str, Plant, str]] = {
    "half the noise on counts and sums": ("public", less_noise_on(noisy_measurements, 0.5), COSTS),
    "half the noise on quantiles": ("public, no means", less_noise_on(noisy_measurements, 0.5), COSTS),
    "a tenth of the noise on fates": ("persons", less_noise_on(person_counts, 0.1), COSTS),
    "a window that is not applied": ("public", a_window_not_applied, COSTS),
    "more rows kept than noise is for": ("persons", more_rows_kept, COSTS),
    "a choice that depends on others": ("persons", a_choice_that_depends_on_others, COSTS),
    "totals at another price": ("listed", totals_at_the_price_of_values, COSTS),
    "sizes without noise": ("private", sizes_without_noise, PUBLISHED),
    "bounds chosen at another price": ("persons, chosen", a_histogram_that_moves_by_one, COSTS),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_planted_mistake_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch):
    promise, plant, expected = PLANTED[mistake]
    plant(monkeypatch)
    assert expected in check(promise, range(2))[0]
