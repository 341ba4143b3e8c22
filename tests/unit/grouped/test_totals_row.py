"""The totals row by groups: no wider than they are together, and it holds. Seeded, on made-up jobs."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.grouped import TableRelease, release_table

ASKED = ["count", "sum", "mean", "median", "zeros", "missing"]
JOBS = ["cook", "driver", "guard", "nurse"]


def shifts() -> pd.DataFrame:
    """6,000 persons, one row each, in jobs of unlike pay; a tenth is zero, a twentieth missing."""
    rng = np.random.default_rng(8)
    job = rng.integers(0, 4, 6_000)
    pay = np.array([18.0, 24.0, 40.0, 95.0])[job] * np.exp(0.3 * rng.normal(size=job.size))
    pay[rng.random(job.size) < 0.1] = 0.0
    pay[rng.random(job.size) < 0.05] = np.nan
    return pd.DataFrame({"who": np.arange(job.size), "job": np.array(JOBS)[job], "pay": pay})


DATA = shifts()
TRUTH = {
    "count": DATA["pay"].notna().sum(),
    "sum": DATA["pay"].sum(),
    "mean": DATA["pay"].mean(),
    "zeros": (DATA["pay"] == 0).sum() / DATA["pay"].notna().sum(),
    "missing": DATA["pay"].isna().mean(),
}
PROMISES: dict[str, dict[str, Any]] = {
    "as found": {},
    "listed": {"groups": JOBS},
    "persons": {"groups": JOBS, "person": "who", "rows_per_person": 1, "groups_per_person": 1},
    "private": {"groups": "private", "person": "who", "rows_per_person": 1, "groups_per_person": 1},
}


def release(seed: int, promise: str, **options: Any) -> TableRelease:
    settings = {"epsilon": 1.0, "delta": 1e-6, "value_range": (1.0, 1e5), "signs": "positive"}
    settings |= PROMISES[promise] | options
    return release_table(DATA, by="job", values={"pay": ASKED}, rng=np.random.default_rng(seed), **settings)


@pytest.mark.parametrize("promise", PROMISES)
def test_it_is_no_wider_than_the_groups_together_and_holds(promise: str):
    held: dict[str, list[bool]] = {name: [] for name in [*TRUTH, "rows"]}
    for seed in range(8):
        found = release(seed, promise)
        table, total = found.to_pandas(), found.total()
        weights = table["count"] / table["count"].sum()
        for name, truth in TRUTH.items():
            lower, upper = total[f"pay_{name}_lower"], total[f"pay_{name}_upper"]
            assert lower <= total[f"pay_{name}"] <= upper
            held[name].append(lower <= truth <= upper)
            widths = table[f"pay_{name}_upper"] - table[f"pay_{name}_lower"]
            together = widths.sum() if name in ("sum", "count") else (weights * widths).sum()
            assert upper - lower <= 1.05 * together, name
        if promise != "as found":
            assert (
                total["count_upper"] - total["count_lower"]
                <= (table["count_upper"] - table["count_lower"]).sum()
            )
            held["rows"].append(total["count_lower"] <= len(DATA) <= total["count_upper"])
        if promise in ("persons", "private"):
            assert total["persons_lower"] <= total["persons"] <= total["persons_upper"]
    for name, each in held.items():
        assert np.mean(each or [1]) >= 0.74, name  # four standard errors of eight


def test_counts_of_values_are_no_higher_than_counts_of_rows():
    for promise in PROMISES:
        for seed in range(4):
            found = release(seed, promise, epsilon=0.4)
            total, table = found.total(), found.to_pandas()
            rows = [*table.to_dict("records"), *([total] if total else [])]
            for row in rows:
                assert not row["pay_count"] > row["count"]
                assert not row["pay_count_upper"] > row.get("count_upper", row["count"])


def test_a_person_in_several_groups_is_not_counted_twice():
    found = release(0, "persons", groups_per_person=2)
    assert "persons" not in found.total()
    assert found.published()["persons"][-1] is None
