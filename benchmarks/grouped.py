"""Means by group: accuracy on city salaries beside one global bound, and speed beside DuckDB's average."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb
import numpy as np
from opendp.combinators import make_fix_delta, make_zCDP_to_approxDP
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import then_gaussian
from opendp.metrics import symmetric_distance
from opendp.mod import binary_search_param, enable_features
from opendp.transformations import make_clamp, then_mean
from rich.console import Console
from rich.table import Table

import relgauss as rg
from benchmarks.tables import every_core
from benchmarks.timing import interleaved, show
from relgauss.grouped import GroupedRelease, release_means

enable_features("contrib")

SALARIES = Path(__file__).parents[2] / "shared" / "data" / "baltimore_salaries.csv.gz"
YEARS, EPSILONS, DELTA, RUNS = (2012, 2013, 2014, 2015, 2016), (1.0, 3.0), 1e-6, 30
PUBLIC_RANGE, GLOBAL_BOUND = (1e3, 1e6), (0.0, 300_000.0)
# Leaving out rows by their pay is no part of a private release; here it only says which table is released.
JOBS = "SELECT lower(job_title) AS job, annual_salary AS pay FROM '{}' WHERE annual_salary > 0 AND year = {}"
ROWS, GROUPS = 10_000_000, 1_000

console = Console(width=110)


@dataclass(frozen=True)
class Year:
    """One fiscal year, its jobs in the order of the released tables."""

    number: int

    @cached_property
    def people(self) -> object:
        """Everybody's job and pay, as an Arrow table."""
        return duckdb.sql(JOBS.format(SALARIES, self.number)).to_arrow_table()

    @cached_property
    def _by_job(self) -> dict[object, np.ndarray]:
        people = duckdb.from_arrow(self.people)
        rows = people.aggregate("job, list(pay)").order("job").fetchall()
        return {job: np.array(pay) for job, pay in rows}

    @cached_property
    def pay(self) -> list[np.ndarray]:
        """Everybody's pay, job by job."""
        return list(self._by_job.values())

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of people in each job."""
        return np.array([len(pay) for pay in self.pay])

    @cached_property
    def means(self) -> np.ndarray:
        """The true means."""
        return np.array([pay.mean() for pay in self.pay])

    @cached_property
    def spreads(self) -> dict[object, float]:
        """The true spread of each job, one per mille at least: the best that an assumption could be."""
        return {job: max(float(pay.max() / pay.min() - 1), 1e-3) for job, pay in self._by_job.items()}

    def release(self, epsilon: float, spread: dict[object, float] | None = None) -> GroupedRelease:
        """Secure noise, as a user gets it."""
        options = {"by": "job", "value": "pay", "value_range": PUBLIC_RANGE}
        return release_means(self.people, epsilon=epsilon, delta=DELTA, spread=spread, **options)

    def by_global_bound(self, epsilon: float) -> np.ndarray:
        """Gaussian noise for the global bound, at exactly the same budget."""
        width = GLOBAL_BOUND[1] - GLOBAL_BOUND[0]
        mu = rg.Budget(epsilon, DELTA).mu
        mechanisms = [rg.Gaussian(rg.AbsoluteSensitivity(width / n), 1, 1 / mu) for n in self.sizes]
        return np.array([float(m.release(q)) for m, q in zip(mechanisms, self.means, strict=True)])

    def by_opendp(self, epsilon: float) -> np.ndarray:
        """Each job's mean as in OpenDP's guide: clamp, mean of a known size, Gaussian of a searched scale."""
        chains = {n: opendp_mean(int(n), epsilon) for n in np.unique(self.sizes)}
        return np.array([chains[len(values)](values.tolist()) for values in self.pay])


def opendp_mean(size: int, epsilon: float) -> Callable[[list[float]], float]:
    """OpenDP's measurement of a mean of this many values; one replaced record is a distance of 2."""
    domain = vector_domain(atom_domain(T=float, nan=False), size=size)
    clamped = make_clamp(domain, symmetric_distance(), bounds=GLOBAL_BOUND)
    mean = clamped >> then_mean()

    def measurement(scale: float):
        return make_fix_delta(make_zCDP_to_approxDP(mean >> then_gaussian(scale)), DELTA)

    bounds = (0.1 * GLOBAL_BOUND[1] / size, 100 * GLOBAL_BOUND[1] / size)
    scale = binary_search_param(measurement, d_in=2, d_out=(epsilon, DELTA), T=float, bounds=bounds)
    return mean >> then_gaussian(scale)


def accuracy() -> None:
    """Median relative error across jobs, every year, with secure noise."""
    for epsilon in EPSILONS:
        table = Table(
            title=f"City salaries: median relative error across jobs, epsilon {epsilon:g}, delta 1e-6"
        )
        headers = (
            "year",
            "jobs",
            "global bound",
            "OpenDP",
            "enforced",
            "gain",
            "assumed",
            "evenness",
            "covered",
        )
        for header in headers:
            table.add_column(header, justify="right")
        for number in YEARS:
            _add_year(table, Year(number), epsilon)
        console.print(table)
    console.print(
        "gain: global bound / enforced. assumed: with each job's true spread. evenness: error × n, worst pay "
        "decile over best. covered: 95 % intervals of enforced that hold the mean."
    )


def _add_year(table: Table, year: Year, epsilon: float) -> None:
    by_bound = _errors(year, lambda: year.by_global_bound(epsilon), 5)
    by_opendp = _errors(year, lambda: year.by_opendp(epsilon), 1)
    releases = [year.release(epsilon) for _ in range(RUNS)]
    enforced = np.abs(np.array([each.estimate for each in releases]) / year.means - 1)
    covered = np.array([(each.lower <= year.means) & (year.means <= each.upper) for each in releases])
    assumed = _errors(year, lambda: year.release(epsilon, year.spreads).estimate, 5)
    for least in (10, 30):
        jobs = year.sizes >= least
        typical = [np.median(errors[:, jobs]) for errors in (by_bound, by_opendp, enforced, assumed)]
        by_pay = np.flatnonzero(jobs)[np.argsort(year.means[jobs])]
        deciles = [np.median((enforced * year.sizes)[:, each]) for each in np.array_split(by_pay, 10)]
        table.add_row(
            str(year.number),
            f"n ≥ {least}: {jobs.sum()}",
            *(f"{100 * error:.2f} %" for error in typical[:3]),
            f"{typical[0] / typical[2]:.1f}",
            f"{100 * typical[3]:.2f} %",
            f"{max(deciles) / min(deciles):.1f}" if least == 10 else "",
            f"{100 * covered[:, jobs].mean():.1f} %",
        )


def _errors(year: Year, estimate: Callable[[], np.ndarray], runs: int) -> np.ndarray:
    return np.abs(np.array([estimate() for _ in range(runs)]) / year.means - 1)


def speed() -> None:
    """A large table as CSV, as Parquet and in memory; both sides have every core, and end with means."""
    with every_core(), tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute(
            f"""CREATE TABLE big AS SELECT 'job ' || job AS job,
            exp(10 + job / 500.0 + 0.3 * (random() + random() + random() - 1.5)) AS pay
            FROM (SELECT CAST(floor({GROUPS} * random()) AS INT) AS job FROM range({ROWS}))"""
        )
        for file in (f"{folder}/big.csv", f"{folder}/big.parquet"):
            connection.execute(f"COPY big TO '{file}'")
            _time(file.rpartition(".")[2], file)
        _time("Arrow table in memory", connection.table("big").to_arrow_table())


def _time(kind: str, data: object) -> None:
    cases = {
        "DuckDB, average": lambda: _average(data),
        "relgauss, simulated noise": lambda: _release_big(data, np.random.default_rng(0)),
        "relgauss, secure noise": lambda: _release_big(data, None),
    }
    show(f"{ROWS:,} rows, {GROUPS:,} groups: {kind}", interleaved(cases, rounds=5), "DuckDB, average")


def _average(data: object) -> None:
    with duckdb.connect() as connection:
        table = connection.sql(f"FROM '{data}'") if isinstance(data, str) else connection.from_arrow(data)
        table.aggregate("job, avg(pay)").fetchall()


def _release_big(data: object, rng: np.random.Generator | None) -> None:
    options = {"by": "job", "value": "pay", "value_range": PUBLIC_RANGE}
    release_means(data, epsilon=1.0, delta=DELTA, rng=rng, **options)


def run() -> None:
    """Print accuracy, where the salaries are at hand, and speed."""
    if SALARIES.exists():
        accuracy()
    else:
        console.print("Accuracy is left out: it needs ../shared/data/baltimore_salaries.csv.gz.")
    speed()
