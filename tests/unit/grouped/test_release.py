"""``release_means`` as a user meets it: columns, files, marks, statements and mistakes."""

import csv
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import relgauss as rg
from relgauss.errors import InvalidParameterError, RelgaussError, TableError
from relgauss.grouped import GroupedRelease, release_means
from relgauss.grouped.assumed_spread import relative_sensitivity
from relgauss.grouped.totals import total_by_cell, total_by_group
from relgauss.grouped.write import write_release

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
COLUMNS = ["group", "estimate", "lower", "upper", "n", "usable", "mechanism"]
FACTS = ["clipped_lower", "clipped_upper", "window_low", "window_high", "outside", "assumed_outside", "flag"]


def pay() -> pd.DataFrame:
    """Three jobs of very different pay and size, and one of two people."""
    rng = np.random.default_rng(0)
    jobs = {"clerk": (3e4, 400), "guard": (2.2e4, 40), "chief": (4e5, 150), "intern": (1e4, 2)}
    parts = [
        pd.DataFrame({"job": job, "salary": centre * np.exp(0.08 * rng.normal(size=n))})
        for job, (centre, n) in jobs.items()
    ]
    return pd.concat(parts, ignore_index=True)


def release(data: object | None = None, **options: object) -> GroupedRelease:
    options = {"by": "job", "value": "salary", "value_range": (1e3, 1e6), **BUDGET, **options}
    return release_means(pay() if data is None else data, **options)


def simulated(seed: int = 0, **options: object) -> GroupedRelease:
    return release(rng=np.random.default_rng(seed), **options)


def truth() -> pd.Series:
    return pay().groupby("job")["salary"].mean()


# The table


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
    table = release().to_pandas().set_index("group")
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


# Zeros, signs and missing values


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


# Assumed


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
def test_assumed_is_the_isometric_mechanism_with_an_exact_interval():
    result = simulated(spread=1.0)
    mu = rg.Budget(**BUDGET).mu
    rng = np.random.default_rng(0)
    for place, group in enumerate(result.groups):
        size = int(result.sizes[place])
        eta = relative_sensitivity(1.0, size)
        assert eta == pytest.approx(1.0 / size, rel=1e-7)
        assert eta > 1.0 / size
        mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(eta, nonnegative=True), 1, 1 / mu)
        expected = float(np.asarray(mechanism.release(truth()[group], rng=rng)))
        assert result.estimate[place] == pytest.approx(np.clip(expected, 1e3, 1e6), rel=1e-6)
        std = math.log1p(eta) / mu
        ends = [expected * math.exp(std**2 / 2 + side * 1.959964 * std) for side in (-1, 1)]
        assert (result.lower[place], result.upper[place]) == pytest.approx(np.clip(ends, 1e3, 1e6), rel=1e-6)


def test_each_group_may_have_its_own_spread():
    spreads = {"chief": 0.5, "clerk": 0.5, "guard": 2.0, "intern": 0.5, "nobody": 1.0}
    result = simulated(spread=spreads)
    assert result.estimate[:2] == pytest.approx(simulated(spread=0.5).estimate[:2])
    assert result.upper[2] - result.lower[2] > 2 * (
        simulated(spread=0.5).upper[2] - simulated(spread=0.5).lower[2]
    )
    assert "its own public factor" in result.privacy.text()


def test_a_missing_spread_is_refused():
    with pytest.raises(InvalidParameterError, match="known for every group, as 'clerk'"):
        release(spread={"chief": 0.5})


def test_assumed_groups_that_would_be_nothing_but_noise_say_nothing():
    result = simulated(spread=50.0, epsilon=0.2)
    assert np.isnan(result.estimate).tolist() == [False, False, True, True]
    assert not result.usable[2:].any()


# What it cost


def test_statement_of_an_enforced_release():
    statement = release().privacy
    assert not statement.simulated
    assert 0.999 < statement.epsilon() <= 1.0
    text = statement.text()
    assert "one row is one person" in text
    assert (
        "one record replaced by another of the same group by 'job'; groups and their sizes are public" in text
    )
    assert "every row is in one group; rows without a group are left out" in text
    assert "missing or no number is left out, and counted with noise; 0 stays 0" in text
    assumed = [each.text for each in statement.conditions() if each.provenance == "assumed"]
    assert assumed == ["every row is in one group; rows without a group are left out"]


def test_statement_of_an_assumed_release_begins_with_the_assumption():
    statement = release(spread=0.1).privacy
    first = statement.conditions()[0]
    assert first.provenance == "assumed"
    assert "lie within a factor of 1.1 of each other" in first.text
    assert statement.epsilon() <= 1.0


@pytest.mark.parametrize("spread", [None, 0.5])
def test_simulation_is_marked_on_every_number(spread: float | None):
    result = simulated(spread=spread)
    assert result.privacy.simulated
    assert all(mechanism.endswith("SIMULATED") for mechanism in result.columns()["mechanism"])
    assert not release(spread=spread).mechanism.endswith("SIMULATED")


def test_secure_noise_differs_each_time_and_a_seed_repeats():
    assert release().estimate[:3].tolist() != release().estimate[:3].tolist()
    assert simulated(3).estimate[:3].tolist() == simulated(3).estimate[:3].tolist()


def test_the_order_of_rows_does_not_matter():
    shuffled = pay().sample(frac=1, random_state=1)
    assert simulated(data=shuffled).columns() == simulated().columns()


@pytest.mark.parametrize("spread", [None, 0.5])
def test_the_cost_is_stated_in_full_before_a_record_is_read(
    spread: float | None, monkeypatch: pytest.MonkeyPatch
):
    """So that it can be reserved: what is read and drawn later changes nothing of it."""
    stated: list[rg.PrivacyStatement] = []
    make = rg.PrivacyStatement.of_whole_budget

    def state(*arguments: object, **options: object) -> rg.PrivacyStatement:
        stated.append(make(*arguments, **options))
        return stated[-1]

    def read(*arguments: object) -> object:
        assert len(stated) == 1
        return (total_by_cell if spread is None else total_by_group)(*arguments)

    monkeypatch.setattr(rg.PrivacyStatement, "of_whole_budget", state)
    monkeypatch.setattr("relgauss.grouped.release.total_by_cell", read)
    monkeypatch.setattr("relgauss.grouped.release.total_by_group", read)
    assert release(spread=spread).privacy is stated[0]
    assert stated[0].charges[0].guarantee == rg.GaussianDP(rg.Budget(**BUDGET).mu)


@pytest.mark.parametrize("wrong", [{"epsilon": -1.0}, {"spread": 0.0}, {"spread": {"clerk": "x"}}])
def test_nothing_is_read_if_a_public_number_is_wrong(
    wrong: dict[str, object], monkeypatch: pytest.MonkeyPatch
):
    def read(*_: object) -> None:
        raise AssertionError("the table was read")

    monkeypatch.setattr("relgauss.grouped.release.total_by_cell", read)
    monkeypatch.setattr("relgauss.grouped.release.total_by_group", read)
    with pytest.raises(InvalidParameterError):
        release(**wrong)


# Files


def test_csv_has_a_statement_beside_it(tmp_path: Path):
    result = simulated()
    file, statement = write_release(result, tmp_path / "means.csv")
    rows = list(csv.DictReader(file.open()))
    assert [row["job"] for row in rows] == list(result.groups)
    assert [float(row["estimate"]) for row in rows[:3]] == result.estimate[:3].tolist()
    assert rows[3]["estimate"] == ""
    assert rows[0]["mechanism"] == "enforced, SIMULATED"
    assert json.loads(statement.read_text()) == result.privacy.to_dict()
    assert rg.PrivacyStatement.from_json(statement.read_text()) == result.privacy


def test_parquet(tmp_path: Path):
    result = simulated()
    (file,) = write_release(result, tmp_path / "means.parquet")
    table = parquet.read_table(file)
    assert table.to_pydict() == result.columns()
    assert b"relgauss.privacy" in table.schema.metadata


def test_json(tmp_path: Path):
    result = simulated()
    (file,) = write_release(result, tmp_path / "means.json")
    found = json.loads(file.read_text())
    assert found == json.loads(json.dumps(result.to_dict()))
    assert [row["estimate"] for row in found["groups"]] == result.columns()["estimate"]
    assert found["privacy"]["simulated"]
    assert rg.PrivacyStatement.from_dict(found["privacy"]) == result.privacy


def test_dates_as_groups_can_be_written(tmp_path: Path):
    data = pd.DataFrame({"job": pd.to_datetime(["2020-01-01"] * 50), "salary": 2e4})
    for ending in ("csv", "parquet", "json"):
        write_release(simulated(data=data), tmp_path / f"means.{ending}")
    assert "2020-01-01" in (tmp_path / "means.json").read_text()


@pytest.mark.parametrize("name", ["means.ods", "means", "gone/means.csv"])
def test_files_that_cannot_be_written(tmp_path: Path, name: str):
    with pytest.raises(RelgaussError):
        write_release(simulated(), tmp_path / name)


# Mistakes


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
