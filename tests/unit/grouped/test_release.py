"""``release_means`` as a user meets it: columns, zeros, signs, missing values and mistakes."""

import json
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, TableError
from relgauss.grouped import release_means

from .pay_by_job import COLUMNS, FACTS, pay, release, simulated, truth


@pytest.mark.parametrize("spread", [None, 1.0])
def test_columns(spread: float | None):
    table = release(spread=spread).to_pandas()
    assert list(table.columns) == COLUMNS + FACTS
    assert table["group"].tolist() == ["chief", "clerk", "guard", "intern"]
    assert table["n"].tolist() == [150, 400, 40, 2]
    assert set(table["mechanism"]) == {"enforced" if spread is None else "assumed spread"}
    known = table[table["estimate"].notna()]
    assert (known["lower"] <= known["estimate"]).all()
    assert (known["estimate"] <= known["upper"]).all()


def test_arrow_holds_the_same_and_the_statement():
    result = simulated()
    table = result.to_arrow()
    assert table.column_names == COLUMNS + FACTS
    assert table.schema.field("estimate").type == pa.float64()
    assert table["estimate"].null_count == 1
    statement = table.schema.metadata[b"relgauss.privacy"].decode()
    assert json.loads(statement) == result.privacy.to_dict()
    assert rg.PrivacyStatement.from_json(statement) == result.privacy
    assert table.to_pydict() == result.columns()


def test_estimates_are_near_the_truth():
    result, means = simulated(epsilon=3.0), truth()
    for group, estimate in zip(result.groups[:3], result.estimate[:3], strict=True):
        assert estimate == pytest.approx(means[group], rel=0.1)


def test_a_group_that_is_too_small_says_nothing():
    table = simulated().to_pandas().set_index("group")  # of secure noise guards are unknown once in thirty
    assert table.loc["intern", ["estimate", "lower", "upper"]].isna().all()
    assert not table.loc["intern", "usable"]
    assert table.loc[["chief", "clerk", "guard"], ["estimate", "lower", "upper"]].notna().all(axis=None)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 10.0])
def test_usable_means_an_interval_narrower_than_a_factor_of_two_and_no_flag(epsilon: float):
    result = simulated(epsilon=epsilon)
    narrow = result.upper <= 2 * result.lower
    unflagged = np.array([flag is None for flag in result.flags])
    assert result.usable.tolist() == (narrow & unflagged).tolist()


def test_what_is_usable_grows_with_the_budget():
    assert simulated(epsilon=0.05).usable.tolist() == [False] * 4
    assert simulated(epsilon=10.0).usable.tolist() == [True, True, True, False]
    assert np.isnan(simulated(epsilon=0.01).estimate).all()


def test_every_row_says_what_its_interval_rests_on():
    result = simulated(epsilon=3.0)
    table = result.to_pandas().iloc[:3]
    assert (table["window_low"] < table["window_high"]).all()
    assert (table["lower"] <= table["clipped_lower"]).all()
    assert (table["upper"] >= table["clipped_upper"]).all()
    assert table["outside"].between(0, 1).all()
    assert (table["assumed_outside"] > 0).all()
    assert "Pareto tail of index 2" in result.to_dict()["tail_assumption"]
    assert result.flags[3].name == result.to_dict()["groups"][3]["flag"] == "too small"
    assert "too small" in result.to_dict()["flags"]
    assert simulated(spread=0.5).tail_assumption is None


def test_zeros_are_zeros():
    """Six in ten have no overtime: the mean is of everybody."""
    rng = np.random.default_rng(0)
    paid = 2_000 * np.exp(rng.normal(size=(2, 1_500)))
    data = pd.DataFrame({"job": np.repeat(["a", "b"], 1_500), "salary": paid.ravel()})
    data.loc[rng.random(3_000) < 0.6, "salary"] = 0.0
    result = simulated(data=data, value_range=(1e-6, 1e12), epsilon=3.0)
    means = data.groupby("job")["salary"].mean().to_numpy()
    assert result.estimate == pytest.approx(means, rel=0.2)
    assert (result.lower < means).all()
    assert (means < result.upper).all()


def test_negative_values_need_a_word():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"job": "a", "salary": rng.normal(-2_000, 3_000, size=2_000)})
    options = {"data": data, "value_range": (1.0, 1e8), "epsilon": 3.0}
    both = simulated(signs="both", **options)
    assert both.estimate[0] == pytest.approx(data["salary"].mean(), abs=300)
    assert both.usable[0]
    kept = data["salary"].clip(lower=0).mean()
    assert simulated(**options).estimate[0] == pytest.approx(kept, rel=0.3)


def test_missing_values_are_left_out_or_counted_as_told():
    data = pay()[lambda table: table["job"] == "clerk"].copy()
    data.iloc[:100, 1] = np.nan
    options = {"data": data, "epsilon": 10.0}
    assert simulated(**options).estimate[0] == pytest.approx(data["salary"].mean(), rel=0.02)
    as_zero = simulated(missing=0.0, **options)
    assert as_zero.estimate[0] == pytest.approx(data["salary"].fillna(0.0).mean(), rel=0.05)
    assert "missing or no number counts as 0" in as_zero.privacy.text().replace("\n              ", " ")
    assert simulated(**options).sizes.tolist() == as_zero.sizes.tolist() == [400]


def test_default_range_spans_eighteen_decades():
    tiny = pay().assign(salary=pay()["salary"] * 1e-9)
    result = release_means(
        tiny, by="job", value="salary", epsilon=3.0, delta=1e-6, rng=np.random.default_rng(1)
    )
    assert result.estimate[1] == pytest.approx(1e-9 * truth()["clerk"], rel=0.1)


def test_an_estimate_stays_in_the_range():
    result = simulated(epsilon=0.3)
    known = ~np.isnan(result.estimate)
    for column in (result.estimate, result.lower, result.upper):
        assert ((column[known] >= 0) & (column[known] <= 1e6)).all()


def test_confidence_widens_intervals():
    wide, narrow = simulated(confidence=0.99), simulated(confidence=0.5)
    assert wide.estimate[:3] == pytest.approx(narrow.estimate[:3])
    assert (wide.upper[:3] > narrow.upper[:3]).all()
    assert (wide.lower[:3] < narrow.lower[:3]).all()


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"delta": 0}, "delta"),
        ({"signs": "negative"}, "signs"),
        ({"missing": "low"}, "missing"),
        ({"missing": math.nan}, "missing"),
        ({"spread": 0.1, "signs": "both"}, "spread"),
        ({"spread": 0.1, "missing": 0.0}, "spread"),
        ({"spread": 0.0}, "spread"),
        ({"spread": -0.1}, "spread"),
        ({"spread": "10 %"}, "spread"),
        ({"confidence": 95}, "confidence"),
        ({"value_range": (1e6, 1e3)}, "value_range"),
        ({"value_range": 1e6}, "value_range"),
        ({"value_range": (0, 1e6)}, "low end"),
        ({"rng": 3}, "rng"),
        ({"table": "staff"}, "table"),
        ({"table": 3}, "table"),
        ({"query": 3}, "query"),
        ({"by": "salary"}, "another column than value"),
        ({"spread": {"chief": 0.5, "clerk": "x", "guard": 1, "intern": 1}}, "spread of 'clerk'"),
    ],
)
def test_parameters_outside_their_range(options: dict[str, object], name: str):
    with pytest.raises(InvalidParameterError, match=name):
        release(**options)


@pytest.mark.parametrize("options", [{"by": "gone"}, {"by": ["job"]}, {"value": "gone"}, {"value": None}])
def test_columns_that_do_not_serve(options: dict[str, object]):
    with pytest.raises(TableError):
        release(**options)


def test_a_column_of_names_is_not_one_of_values():
    with pytest.raises(TableError, match="'name' does not hold numbers"):
        release(pay().assign(name="x"), value="name")
