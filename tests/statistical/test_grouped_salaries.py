"""City salaries by job: far more accurate than one global bound, evenly so, and covered. Seeded."""

from pathlib import Path

import numpy as np
import pytest

import relgauss as rg
from relgauss.grouped.cell_tables import ValueColumn, count_column
from relgauss.grouped.contribution import ONE_ROW
from relgauss.grouped.measure_column import measure_column
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals import CellTotals
from relgauss.grouped.value_rule import ValueRule
from relgauss.records.tables import open_table

from .grouped_cases import true_means

pytestmark = pytest.mark.statistical

GLOBAL_BOUND = 300_000
RUNS = 4
JOBS = """SELECT lower(job_title) AS job, annual_salary AS pay FROM data
WHERE CAST(annual_salary AS DOUBLE) > 0 AND year = {}"""


@pytest.fixture(scope="module")
def salaries(shared_data: Path) -> CellTotals:
    grid = SignedGrid(LogGrid.over(1e3, 1e6))
    file = shared_data / "baltimore_salaries.csv.gz"
    with open_table(file, query=JOBS.format(2014)) as table:
        return next(count_column(table, "job", "pay", ValueColumn(ValueRule(1e3, 1e6), grid)).batches())


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(1.0, id="epsilon 1"),
        pytest.param(3.0, id="epsilon 3", marks=pytest.mark.slow),
    ],
)
def runs(request: pytest.FixtureRequest, salaries: CellTotals) -> tuple[float, np.ndarray, np.ndarray]:
    """Epsilon, relative errors and whether the interval covers: a row for each run."""
    rng, means = np.random.default_rng(1), true_means(salaries)
    mu = rg.Budget(request.param, 1e-6).mu
    columns = [measure_column(salaries, ONE_ROW, mu, ["mean"], 0.95, rng) for _ in range(RUNS)]
    found = [column.statistics["mean"] for column in columns]
    errors = np.abs(np.array([each.estimate for each in found]) / means - 1)
    covers = np.array([(each.lower <= means) & (means <= each.upper) for each in found])
    return request.param, errors, covers


def errors_by_global_bound(salaries: CellTotals, epsilon: float) -> np.ndarray:
    std = GLOBAL_BOUND / salaries.sizes / rg.Budget(epsilon, 1e-6).mu
    noise = np.random.default_rng(2).normal(0, std, (50, len(std)))
    return np.abs(noise) / true_means(salaries)


def median_of_jobs(errors: np.ndarray, chosen: np.ndarray) -> float:
    return float(np.median(errors[:, chosen], axis=1).mean())


@pytest.mark.parametrize("least", [10, 30])
def test_many_times_more_accurate_than_one_global_bound(runs, salaries: CellTotals, least: int):
    epsilon, errors, _ = runs
    chosen = salaries.sizes >= least
    gain = median_of_jobs(errors_by_global_bound(salaries, epsilon), chosen) / median_of_jobs(errors, chosen)
    assert gain > 10


def test_errors_are_even_across_pay(runs, salaries: CellTotals):
    _, errors, _ = runs
    chosen = np.flatnonzero(salaries.sizes >= 10)
    by_pay = chosen[np.argsort(true_means(salaries)[chosen])]
    deciles = [np.median((errors * salaries.sizes)[:, jobs]) for jobs in np.array_split(by_pay, 10)]
    assert max(deciles) < 3.5 * min(deciles)  # thirteen jobs in four runs: uncertain to a third


def test_intervals_cover(runs, salaries: CellTotals):
    _, _, covers = runs
    assert covers[:, salaries.sizes >= 10].mean() >= 0.95
    for low, high in ((10, 30), (30, 60), (60, 10_000)):
        chosen = (salaries.sizes >= low) & (salaries.sizes < high)
        assert covers[:, chosen].mean() >= 0.92  # about 130 intervals, with a standard error of 0.02
