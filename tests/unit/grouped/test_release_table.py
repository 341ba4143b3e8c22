"""``release_table`` as a user meets it: columns, promises, counts, totals, statements and mistakes."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, SpentError, TableError
from relgauss.grouped import TableRelease, release_means, release_table
from relgauss.ledger import Ledger

BUDGET = {"epsilon": 3.0, "delta": 1e-6}
VALUES = {"pay": ["mean", "median", "q90"], "bonus": ["mean", "zeros"]}
OF_STATISTIC = ["", "_lower", "_upper", "_flag", "_usable"]
OF_WINDOW = ["clipped_lower", "clipped_upper", "window_low", "window_high", "outside", "assumed_outside"]


def staff() -> pd.DataFrame:
    """600 persons with one to five rows each, in two jobs and two years; 60 % have no bonus."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(600), rng.integers(1, 6, 600))
    job = np.where(who % 3 == 0, "chief", "clerk")
    pay = np.where(job == "chief", 9e4, 3e4) * np.exp(0.1 * rng.normal(size=who.size))
    bonus = np.where(rng.random(who.size) < 0.6, 0.0, 500 * np.exp(rng.normal(size=who.size)))
    year = rng.integers(2015, 2017, who.size)
    return pd.DataFrame({"who": who, "job": job, "year": year, "pay": pay, "bonus": bonus})


STAFF = staff()


MADE: dict[str, TableRelease] = {}


def release(data: object = STAFF, seed: int = 0, **options: Any) -> TableRelease:
    """A simulated release; the same one of the same table is made once."""
    settings = {"by": ["job", "year"], "values": VALUES, "value_range": (10.0, 1e6), **BUDGET, **options}
    if data is not STAFF:
        return release_table(data, rng=np.random.default_rng(seed), **settings)
    asked = repr((seed, settings))
    if asked not in MADE:
        MADE[asked] = release_table(data, rng=np.random.default_rng(seed), **settings)
    return MADE[asked]


# The table


def test_columns_as_the_user_named_them():
    table = release().to_pandas()
    expected = ["job", "year", "count"]
    for value, asked in VALUES.items():
        expected += [f"{value}_{each}{end}" for each in asked for end in OF_STATISTIC]
        expected += [f"{value}_{fact}" for fact in OF_WINDOW]
    assert list(table.columns) == expected
    truth = STAFF.groupby(["job", "year"]).size()
    assert list(zip(table["job"], table["year"], strict=True)) == list(truth.index)
    assert table["count"].tolist() == truth.tolist()


def test_estimates_are_near_the_truth_and_inside_their_intervals():
    table, groups = release(epsilon=8.0).to_pandas(), STAFF.groupby(["job", "year"])
    assert table["pay_mean"].to_numpy() == pytest.approx(groups["pay"].mean().to_numpy(), rel=0.05)
    assert table["pay_median"].to_numpy() == pytest.approx(groups["pay"].median().to_numpy(), rel=0.1)
    assert table["pay_q90"].to_numpy() == pytest.approx(groups["pay"].quantile(0.9).to_numpy(), rel=0.15)
    zeros = groups["bonus"].apply(lambda column: (column == 0).mean()).to_numpy()
    assert table["bonus_zeros"].to_numpy() == pytest.approx(zeros, abs=0.1)
    for name in ("pay_mean", "pay_median", "pay_q90", "bonus_mean", "bonus_zeros"):
        assert (table[f"{name}_lower"] <= table[name]).all()
        assert (table[name] <= table[f"{name}_upper"]).all()


def test_a_totals_row():
    found = release(epsilon=8.0).total()
    assert found["count"] == len(STAFF)
    assert found["pay_mean_lower"] < STAFF["pay"].mean() < found["pay_mean_upper"]
    assert release(totals=False).total() is None


def test_one_column_of_groups_may_be_a_name():
    assert release(by="job").to_pandas()["job"].tolist() == ["chief", "clerk"]


def test_every_form_holds_the_same():
    one = release()
    table, frame, plain = one.to_arrow(), one.to_pandas(), one.to_dict()
    assert table.column_names == list(frame.columns)
    assert [row["pay_mean"] for row in plain["groups"]] == table["pay_mean"].to_pylist()
    assert table.schema.field("pay_mean").type == pa.float64()
    assert table.schema.field("pay_mean_flag").type == pa.string()
    statement = table.schema.metadata[b"relgauss.privacy"].decode()
    assert rg.PrivacyStatement.from_json(statement) == one.privacy
    html = one._repr_html_()
    assert "chief" in html
    assert "Total" in html
    assert "SIMULATED" in html


def test_names_in_html_run_nothing():
    data = STAFF.assign(job="<script>alert(1)</script>")
    assert "<script>" not in release(data).to_html()


# Promises


def listed() -> list[tuple[str, int]]:
    return [("clerk", 2016), ("chief", 2015), ("nobody", 1)]


@pytest.mark.parametrize("person", [None, "who"])
def test_a_list_of_groups_is_kept_whole_and_in_its_order(person: str | None):
    table = release(groups=listed(), person=person).to_pandas()
    assert list(zip(table["job"], table["year"], strict=True)) == listed()
    assert table["count"].min() >= 0
    assert (table["count_lower"] <= table["count"]).all()
    assert (table["count"] <= table["count_upper"]).all()
    assert "persons" in table.columns or person is None
    assert not table["pay_mean_usable"].tolist()[2]


def test_groups_of_a_lone_person_do_not_show():
    lone = pd.DataFrame({"who": [-1], "job": ["poet"], "year": [1], "pay": [1.0], "bonus": [1.0]})
    data = pd.concat([STAFF, lone], ignore_index=True)
    for person in (None, "who"):
        table = release(data, groups="private", person=person).to_pandas()
        assert set(table["job"]) == {"chief", "clerk"}
    assert "poet" in release(data).to_pandas()["job"].tolist()


def test_no_group_at_all_is_an_empty_table():
    table = release(STAFF.head(20), groups="private")
    assert len(table) == 0
    assert table.total() is None
    assert table.to_pandas().empty
    table.to_arrow()
    table.to_dict()
    table.to_html()


def test_counts_add_up_to_the_total():
    found = release(groups=[(job, year) for job in ("chief", "clerk") for year in range(2000, 2020)])
    assert found.counts.rows.sum() == found.total()["count"]
    assert found.counts.rows.min() >= 0
    assert found.total()["count"] == pytest.approx(len(STAFF), abs=500)


def test_bounds_on_persons_are_kept_and_told():
    found = release(person="who", groups="private", rows_per_person=1, groups_per_person=1)
    assert found.total()["count"] == pytest.approx(600, abs=150)
    assert "at most one row of a person in a group, in at most one group" in str(found.privacy)
    assert found.fates is not None
    assert found.fates.cut == pytest.approx(480, abs=150)
    chosen = release(person="who", groups="private")
    assert "bounds on what a person contributes" in str(chosen.privacy)


def test_rows_without_a_group_are_counted_and_those_of_nobody_are_not():
    data = STAFF.assign(job=STAFF["job"].where(STAFF.index >= 30, None))
    assert release(data).rows_without_group == 30
    some = STAFF.assign(who=STAFF["who"].where(STAFF.index >= 300).astype("Int64"))
    left_out = release(some, person="who", groups="private", epsilon=8.0)
    assert left_out.fates.rows_left_out is None
    assert left_out.to_dict()["persons"]["rows_left_out"] is None
    more = pd.concat([some, *[some[some["who"].isna()]] * 20])  # all of them might be of one person
    assert vars(release(more, person="who", groups="private", epsilon=8.0).fates) == vars(left_out.fates)
    each = release(some, person="who", groups="private", without_person="a person each", epsilon=8.0)
    assert each.fates.rows_left_out == 0
    assert each.total()["count"] > left_out.total()["count"]


# What it costs


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"totals": False},
        {"groups": listed()},
        {"groups": "private"},
        {"groups": "private", "person": "who"},
        {"groups": listed(), "person": "who", "rows_per_person": 2, "groups_per_person": 2},
        {"weights": {"pay": 3.0, "bonus": 1.0}},
    ],
)
def test_the_whole_table_costs_the_budget_and_no_more(options: dict[str, Any]):
    privacy = release(**options).privacy
    assert 0.98 * BUDGET["epsilon"] <= privacy.epsilon() <= BUDGET["epsilon"] * (1 + 1e-9)
    assert privacy.simulated


def test_each_promise_is_stated():
    said = "another of the same group by 'job', 'year'; groups and their sizes are public"
    assert said in release().privacy.neighbours
    assert (
        "one record replaced by another; the number of records is public"
        in release(groups="private").privacy.neighbours
    )
    person = release(groups="private", person="who").privacy
    assert "one person with all their rows" in person.neighbours
    assert "private-groups.md" in str(person)
    assert not release_table(STAFF, by="job", values=VALUES, **BUDGET).privacy.simulated


@pytest.mark.parametrize(
    ("epsilon", "words"), [(0.5, "would hardly change"), (3.0, "makes no result more than 20.1")]
)
def test_a_line_for_a_reader_who_knows_no_epsilon(epsilon: float, words: str):
    summary = release(epsilon=epsilon).summary()
    assert words in summary
    assert "one in 1,000,000" in summary
    factor = float(summary.split("more than ")[1].split(" ")[0])
    assert math.exp(epsilon) <= factor <= math.exp(epsilon) + 0.2


@pytest.mark.parametrize(("first", "last", "refused"), [(0, 0, True), (500, 1000, False), (501, 1100, True)])
def test_a_column_of_text_with_few_numbers_in_its_first_rows_is_refused(first: int, last: int, refused: bool):
    """As for means: half of the first 1,000 must be numbers. A style is public, and then no value refuses."""
    pay = ["n/a"] * 1100
    pay[first:last] = ["5"] * (last - first)
    data = pa.table({"job": ["a"] * 1100, "pay": pay})
    options = {"by": "job", "values": {"pay": ["mean"]}}
    if refused:
        with pytest.raises(TableError, match="does not hold numbers"):
            release(data, **options)
    else:
        release(data, **options)
    release(data, **options, numbers="1,234.50")


def test_the_line_promises_no_more_than_the_statement():
    same = "record by another of the same group makes no result"
    assert same in release().summary()
    assert same not in release(groups="private").summary()
    assert same not in release(groups="private", person="who").summary()


@pytest.mark.parametrize(
    "mistake",
    [
        {"values": {"typo": ["mean"]}},
        {"values": {"job": ["mean"]}, "by": ["who"]},
        {"by": ["typo"]},
        {"by": ["typo"], "groups": ["a"]},
        {"person": "typo", "groups": "private"},
        {"query": "SELECT NULL AS job, pay FROM data"},
    ],
    ids=str,
)
def test_a_table_that_cannot_be_read_costs_nothing(tmp_path: Path, mistake: dict[str, Any]):
    ledger = Ledger.create(tmp_path / "pay.ledger", dataset="pay", unit="row", epsilon=4.0, delta=2e-6)
    asked = {"by": ["job"], "values": {"pay": ["mean"]}, "epsilon": 1.0, "delta": 1e-6, **mistake}
    with pytest.raises(TableError):
        release_table(STAFF, ledger=ledger, **asked)
    assert not ledger.state().spends


def test_a_ledger_reserves_and_records_what_is_spent(tmp_path: Path):
    ledger = Ledger.create(tmp_path / "pay.ledger", dataset="pay", unit="row", epsilon=4.0, delta=2e-6)
    options = {"by": "job", "values": {"pay": ["mean"]}, "value_range": (1e3, 1e6), **BUDGET}
    release_table(STAFF, ledger=ledger, **options)
    with pytest.raises(SpentError):
        release_table(STAFF, ledger=ledger, **options)


def test_the_weight_of_a_column_narrows_its_intervals():
    def width(weights: dict[str, float]) -> float:
        window = release(weights=weights).columns["pay"].window
        return float(np.mean(window.clipped_upper - window.clipped_lower))

    assert width({"pay": 100.0, "bonus": 1.0}) < 0.8 * width({"pay": 1.0, "bonus": 100.0})


def test_intervals_that_hold_together_are_wider():
    each, together = release().columns["pay"], release(simultaneous=True).columns["pay"]
    narrow = each.window.clipped_upper - each.window.clipped_lower
    wide = together.window.clipped_upper - together.window.clipped_lower
    assert (wide > 1.3 * narrow).all()


def test_means_are_the_simplest_case():
    """The same counts go in; a table without totals spends the whole budget on its one column."""
    table = release(by="job", values={"pay": ["mean"]}, totals=False, signs="positive")
    means = release_means(
        STAFF, by="job", value="pay", value_range=(10.0, 1e6), rng=np.random.default_rng(1), **BUDGET
    )
    assert table.columns["pay"].statistics["mean"].estimate == pytest.approx(means.estimate, rel=0.05)
    assert table.counts.rows.tolist() == means.sizes.tolist()


# Mistakes


@pytest.mark.parametrize("unit", [1e-80, 1e-60, 1e60, 1e89])
def test_numbers_in_any_unit_are_measured_alike(unit: float):
    """Far from 1 single precision overflowed, after the noise was drawn."""
    found = []
    for scale in (1.0, unit):
        options = {
            "values": {"pay": ["mean", "std", "median", "q90"]},
            "value_range": (1e2 * scale, 1e6 * scale),
        }
        table = release(STAFF.assign(pay=scale * STAFF["pay"]), seed=1, **options).to_pandas()
        found.append(table[["pay_mean", "pay_std", "pay_median", "pay_q90"]].to_numpy() / scale)
    assert found[1] == pytest.approx(found[0], rel=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": []}, "by"),
        ({"by": ["job", "job"]}, "different columns"),
        ({"by": ["count"]}, "no name that the result uses"),
        ({"values": {}}, "mapping of columns"),
        ({"values": {"pay": ["mode"]}}, "the name of a statistic"),
        ({"values": {"pay": ["q100"]}}, "the name of a statistic"),
        ({"values": {"pay": ["missing"]}, "missing": 0.0}, "missing values are left out"),
        ({"values": {"job": ["mean"]}}, "no column of groups"),
        ({"person": "who"}, 'a list or "private"'),
        ({"person": "job", "groups": "private"}, "a column of its own"),
        ({"rows_per_person": 3}, "without person="),
        ({"groups": "found"}, "groups"),
        ({"groups": [("clerk",)]}, "2 keys for each group"),
        ({"groups": "private", "person": "who", "rows_per_person": 0}, "rows_per_person"),
        ({"without_person": "kept"}, "without_person"),
        ({"value_range": {"pay": (1.0, 2.0)}}, "each column of values"),
        ({"weights": {"pay": -1.0, "bonus": 1.0}}, "weights"),
        ({"signs": "negative"}, "signs"),
        ({"missing": "drop"}, "leave out"),
        ({"confidence": 2.0}, "confidence"),
        ({"delta": 0.0}, "delta"),
    ],
)
def test_mistakes_are_refused_before_anything_is_read(options: dict[str, Any], words: str):
    with pytest.raises(InvalidParameterError, match=words):
        release("no such file.csv", **options)


@pytest.mark.parametrize("release_any", [release_table, release_means])
def test_a_seed_is_no_generator(release_any: Callable[..., object]):
    one = {"values": {"pay": ["mean"]}} if release_any is release_table else {"value": "pay"}
    with pytest.raises(InvalidParameterError, match="default_rng"):
        release_any("no such file.csv", by="job", rng=5, **one, **BUDGET)


def test_a_column_that_is_not_there():
    with pytest.raises(TableError, match="no column 'wage'"):
        release(values={"wage": ["mean"]})
    with pytest.raises(TableError, match="No row of the table has a group in 'job' and 'year'"):
        release(STAFF.assign(job=pd.Series([None] * len(STAFF), dtype="str")))
