"""What every row of a released table obeys, whatever the column, the seed and the promise."""

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.grouped import release_table

ASKED = ["count", "sum", "mean", "std", "q25", "median", "q75", "zeros", "missing"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A column of some form with zeros, missing and far values, and what is asked of it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.sampled_from([60, 400, 2_000]))
    scale, spread = 10.0 ** rng.uniform(-1, 5), rng.choice([0.0, 0.1, 0.7, 2.5])
    values = scale * np.exp(spread * rng.normal(size=rows))
    values[rng.random(rows) < rng.choice([0.0, 0.1, 0.9])] = 0.0
    values[rng.random(rows) < rng.choice([0.0, 0.02])] *= 50
    values[rng.random(rows) < rng.choice([0.0, 0.05, 0.7, 1.0])] = np.nan
    signs = draw(st.sampled_from(["positive", "both"]))
    if signs == "both":
        values *= rng.choice([-1.0, 1.0], rows)
    who = rng.integers(0, max(rows // int(rng.choice([1, 4])), 1), rows)
    job = rng.choice(["a", "b", "c"], rows, p=[0.85, 0.1, 0.05])
    options: dict[str, Any] = {
        "signs": signs,
        "value_range": draw(st.sampled_from([(1.0, 1e6), (1e-3, 1e9), (100.0, 2e4)])),
        "missing": draw(st.sampled_from(["leave out", 5.0])),
        "epsilon": draw(st.sampled_from([0.3, 2.0, 8.0])),
    }
    promise = draw(st.sampled_from(["public", "listed", "listed persons", "private persons"]))
    if promise != "public":
        options["groups"] = "private" if "private" in promise else ["a", "b", "c", "nobody's"]
        options["person"] = "who" if "persons" in promise else None
    return pd.DataFrame({"who": who, "job": job, "pay": values}), options


@settings(max_examples=settings.default.max_examples // 4)
@given(tables(), st.integers(0, 2**32 - 1))
def test_every_row_agrees_with_itself(made: tuple[pd.DataFrame, dict[str, Any]], seed: int):
    data, options = made
    asked = [each for each in ASKED if each != "missing" or options["missing"] == "leave out"]
    release = release_table(
        data, by="job", values={"pay": asked}, delta=1e-6, rng=np.random.default_rng(seed), **options
    )
    columns = release.data()
    rows = [{name: column[row] for name, column in columns.items()} for row in range(len(release))]
    for row in [*rows, *([release.total()] if release.total() else [])]:
        _check_row(row, asked, options)
    for row in rows:
        assert row["count_lower"] <= row["count"] <= row["count_upper"] if "count_lower" in row else True
        if "persons" in row:
            assert 0 <= row["persons_lower"] <= row["persons"] <= row["persons_upper"]
            assert row["persons"] <= row["count"]


def _check_row(row: dict[str, Any], asked: list[str], options: dict[str, Any]) -> None:
    """One row, or the totals."""
    low, high = (
        (-1 if options["signs"] == "both" else 0) * options["value_range"][1],
        options["value_range"][1],
    )
    for name in asked:
        one, lower, upper = (row[f"pay_{name}{end}"] for end in ("", "_lower", "_upper"))
        assert (lower is None) == (upper is None)
        if lower is None:
            assert one is None
            assert row[f"pay_{name}_flag"] == "too small"
            continue
        assert lower <= upper
        assert one is None or lower <= one <= upper, name
        assert one is not None or row[f"pay_{name}_flag"] == "unknown"
        if name in ("zeros", "missing"):
            assert 0 <= lower <= upper <= 1
            assert upper > 0, "that there is none is never known"
        elif name in ("mean", "q25", "median", "q75"):
            assert low <= lower <= upper <= high
        elif name == "std":
            assert 0 <= lower <= upper <= (high - low) / 2
        elif name == "count" or options["signs"] == "positive":
            assert lower >= 0
        if row[f"pay_{name}_usable"]:
            assert row[f"pay_{name}_flag"] is None
    if row["pay_count"] is not None:
        assert row["pay_count"] == round(row["pay_count"])
        assert row["pay_count"] <= row["count"]
    if row["pay_mean_lower"] is not None:
        ends = [
            row[f"pay_mean_{mean}"] * row[f"pay_count_{count}"]
            for mean in ("lower", "upper")
            for count in ("lower", "upper")
        ]
        room = 1e-9 * max(map(abs, ends))
        assert min(ends) - room <= row["pay_sum_lower"] <= row["pay_sum_upper"] <= max(ends) + room
        assert row["pay_window_low"] <= row["pay_clipped_lower"] <= row["pay_clipped_upper"]
        assert row["pay_clipped_upper"] <= row["pay_window_high"]
        assert 0 < row["pay_outside"] <= 1
        assert 0 <= row["pay_assumed_outside"] <= 1
    quantiles = [row[f"pay_{name}"] for name in ("q25", "median", "q75")]
    known = [each for each in quantiles if each is not None]  # of an unknown one there is no estimate
    assert known == sorted(known)
