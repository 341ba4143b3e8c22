"""Estimates of the totals row by groups: a median of a mixture, a mean beside a group of which nothing shows.

Seeded noise, made-up jobs of unlike pay.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.grouped import TableRelease, release_table

SIZES = {"cook": 900, "driver": 700, "guard": 1_400, "nurse": 1_500, "board": 4}
PAY = {"cook": 1_800.0, "driver": 2_400.0, "guard": 3_000.0, "nurse": 7_500.0, "board": 25_000.0}


def shifts(jobs: list[str]) -> pd.DataFrame:
    """A row for each person; three in a hundred are zero."""
    rng = np.random.default_rng(3)
    job = np.repeat(jobs, [SIZES[each] for each in jobs])
    pay = np.array([PAY[each] for each in job]) * np.exp(0.25 * rng.normal(size=job.size))
    pay[rng.random(job.size) < 0.03] = 0.0
    return pd.DataFrame({"who": np.arange(job.size), "job": job, "pay": pay})


def release(data: pd.DataFrame, jobs: list[str], seed: int, **options: Any) -> TableRelease:
    settings = {"epsilon": 2.0, "delta": 1e-6, "value_range": (1.0, 1e6)}
    settings |= {"person": "who", "rows_per_person": 1, "groups_per_person": 1, "groups": jobs} | options
    values = {"pay": ["mean", "sum", "median", "q90"]}
    return release_table(data, by="job", values=values, rng=np.random.default_rng(seed), **settings)


@pytest.mark.parametrize("zeros", [0.03, 0.6])
def test_a_median_of_unlike_groups_is_near_and_not_at_the_ends_of_its_interval(zeros: float):
    jobs = [each for each in SIZES if each != "board"]
    data = shifts(jobs)
    data.loc[np.random.default_rng(1).random(len(data)) < zeros, "pay"] = 0.0
    for seed in range(6):
        total = release(data, jobs, seed).total()
        for name, level in (("median", 0.5), ("q90", 0.9)):
            truth = data["pay"].quantile(level)
            lower, upper = total[f"pay_{name}_lower"], total[f"pay_{name}_upper"]
            assert lower <= truth <= upper
            assert total[f"pay_{name}"] == pytest.approx(truth, rel=0.05, abs=1e-9)
            assert lower < total[f"pay_{name}"] < upper or truth == 0.0


def test_a_tiny_listed_group_does_not_move_the_estimates_of_all():
    jobs = list(SIZES)
    data = shifts(jobs)
    unknown = 0
    for seed in range(6):
        found = release(data, jobs, seed)
        table, total = found.to_pandas().set_index("job"), found.total()
        unknown += table.loc["board", "pay_mean_flag"] is not None
        assert total["pay_mean_lower"] <= total["pay_mean"] <= total["pay_mean_upper"]
        assert total["pay_mean"] == pytest.approx(data["pay"].mean(), rel=0.08)
        assert total["pay_sum"] == pytest.approx(table["pay_sum"].sum(), rel=0.1)
        spoilt = any("without groups of a few people it would be narrower" in each for each in found.notes())
        assert spoilt == (not total["pay_mean_usable"])
    assert unknown


def test_groups_as_found_keep_the_second_look_at_all_where_groups_are_many():
    rng = np.random.default_rng(9)
    data = pd.DataFrame({"job": rng.integers(0, 40, 8_000).astype(str), "pay": rng.gamma(9.0, 300.0, 8_000)})
    total = release_table(
        data, by="job", values={"pay": ["median"]}, epsilon=2.0, delta=1e-6, value_range=(1.0, 1e6), rng=rng
    ).total()
    assert total["pay_median"] == pytest.approx(data["pay"].median(), rel=0.03)
