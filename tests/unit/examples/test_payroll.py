"""The made-up payroll: the same each time, by the recipe that the page states."""

import csv
from pathlib import Path

import numpy as np
import pytest

from relgauss.errors import InvalidParameterError, UnwrittenError
from relgauss.examples import write_payroll
from relgauss.examples.payroll import JOBS


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def payroll(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("payroll") / "payroll.csv"
    write_payroll(file)
    return file


def test_it_is_the_same_each_time(payroll: Path, tmp_path: Path):
    write_payroll(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == payroll.read_bytes()


def test_pay_and_overtime_follow_the_recipe(payroll: Path):
    rows = rows_of(payroll)
    known = [row for row in rows if row["pay"] != "n/a"]
    assert 0.97 < len(known) / len(rows) < 0.995
    for job, (_, base) in JOBS.items():
        pay = [float(row["pay"].strip("$").replace(",", "")) for row in known if row["job"] == job]
        assert np.median(pay) == pytest.approx(1.02 * base, rel=0.06)
    zeros = np.mean([row["overtime"] == "$0.00" for row in rows])
    assert zeros == pytest.approx(0.6, abs=0.02)


def test_persons_have_one_to_three_rows_and_some_change_jobs(payroll: Path):
    jobs: dict[str, list[str]] = {}
    for row in rows_of(payroll):
        jobs.setdefault(row["person"], []).append(row["job"])
    assert {len(each) for each in jobs.values()} == {1, 2, 3}
    assert 0.01 < np.mean([len(set(each)) > 1 for each in jobs.values()]) < 0.1


def test_mistakes(payroll: Path, tmp_path: Path):
    with pytest.raises(UnwrittenError):
        write_payroll(payroll)
    with pytest.raises(InvalidParameterError, match="persons"):
        write_payroll(tmp_path / "none.csv", 0)
