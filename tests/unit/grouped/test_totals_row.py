"""The totals row by groups: no wider than they are together, and it holds. Seeded, on made-up jobs."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.grouped import TableRelease, release_table
from relgauss.grouped.column_estimates import ColumnEstimates, EdgeCounts, WindowFacts
from relgauss.grouped.column_statistics import share_interval
from relgauss.grouped.noisy_measurements import Present
from relgauss.grouped.signed_grid import LogGrid, SignedGrid
from relgauss.grouped.totals_row import narrower_totals
from relgauss.grouped.usefulness import Yardsticks, said_of

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


def counted_zeros(rows: np.ndarray, zeros: np.ndarray, noise_std: float, deviates: float) -> ColumnEstimates:
    """What counts with this noise say of the shares of zeros, where nothing else was asked."""
    nothing, levels = np.zeros(len(rows)), np.full(len(rows), noise_std)
    share = share_interval((zeros, levels), Present(rows, nothing), np.maximum(zeros / rows, 0.0), deviates)
    said = said_of("zeros", share, nothing.astype(np.int8), Yardsticks(*[nothing] * 5))
    edges = EdgeCounts(rows, nothing, zeros, nothing, nothing, nothing, levels)
    window = WindowFacts(*(nothing for _ in WindowFacts.__dataclass_fields__))
    return ColumnEstimates(rows, {"zeros": said}, window, edges, np.zeros(1))


@pytest.mark.parametrize(("own_noise", "by_groups"), [(40.0, False), (90.0, True)])
def test_a_share_of_all_is_from_lower_noise_and_not_from_where_noise_made_it_narrow(
    own_noise: float, by_groups: bool
):
    """Both intervals are cut off at 0: the narrower of two is the one that noise led there."""
    rng, deviates = np.random.default_rng(4), 1.96
    grid, rows = SignedGrid(LogGrid.over(1.0, 1e5), "positive"), np.full(16, 1_000.0)
    share, holds = 0.004, []
    for _ in range(1_000):
        parts = counted_zeros(rows, rows * share + rng.normal(0, 15.0, 16), 15.0, deviates)
        every = rows.sum(keepdims=True)
        whole = counted_zeros(every, every * share + rng.normal(0, own_noise, 1), own_noise, deviates)
        said = narrower_totals(whole, parts, 0.0, deviates, grid).statistics["zeros"]
        source = parts.edges.zeros.sum() / every if by_groups else whole.edges.zeros / every
        assert said.estimate[0] == pytest.approx(max(source[0], 0.0), abs=1e-4)
        holds.append(said.lower[0] <= share <= said.upper[0])
    assert np.mean(holds) > 0.935


@pytest.mark.parametrize("unknown", [0, 25], ids=["all known", "nothing known of one"])
def test_a_small_group_far_from_the_others_is_in_the_mean_of_all(unknown: int):
    """Found by itself, with most of the budget, and not in all together: then the groups are right."""
    held = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        score = np.concatenate([np.full(1_500, 3.0), rng.uniform(60, 100, 130)])
        group = np.repeat(["a", "b", "c"], [1_500, 130 - unknown, unknown])
        data = pd.DataFrame({"group": group, "score": score})
        found = release_table(
            data,
            by="group",
            values={"score": ["mean", "sum"]},
            epsilon=3.0,
            delta=1e-6,
            value_range=(0.1, 1e3),
            signs="positive",
            rng=rng,
        ).total()
        assert found is not None
        held.append(found["score_mean_lower"] <= score.mean() <= found["score_mean_upper"])
        assert found["score_mean_lower"] <= found["score_mean"] <= found["score_mean_upper"]
    assert np.mean(held) >= 0.9


def test_no_mean_of_all_stands_without_a_window():
    """The noisy number of all rows may be too small for a release, though the one group's is not."""
    without = 0
    for seed in range(25, 57):
        rows = ["a"] * 53 + ["b"] * 5 + ["c"] * 3
        who = np.random.default_rng(seed).integers(0, len(rows), len(rows))
        total = release_table(
            pd.DataFrame({"who": who, "job": rows, "pay": np.full(len(rows), np.nan)}),
            by="job",
            values={"pay": ["mean", "sum", "zeros"]},
            person="who",
            groups="private",
            value_range=(100.0, 2e4),
            signs="positive",
            missing=5.0,
            epsilon=8.0,
            delta=1e-6,
            rng=np.random.default_rng(seed),
        ).total()
        if total is not None and total["pay_window_low"] is None:
            without += 1
            assert total["pay_mean_flag"] == total["pay_sum_flag"] == "too small"
            assert total["pay_mean_lower"] is total["pay_sum_lower"] is total["pay_mean"] is None
    assert without > 1
