"""Sentences beside a table: what numbers are of, what was cut, what looks like a mistake. Seeded noise."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.grouped import TableRelease, release_table
from relgauss.grouped.table_html import mark_of

JOBS = ["police", "fire", "library"]


def payments() -> pd.DataFrame:
    """3,000 persons with one to forty payments; every tenth has one in another department."""
    rng = np.random.default_rng(0)
    rows = np.minimum(rng.geometric(0.3, 3_000), 40)
    who = np.repeat(np.arange(3_000), rows)
    job = np.array(JOBS)[np.where(rng.random(who.size) < 0.03, (who + 1) % 3, who % 3)]
    return pd.DataFrame({"who": who, "job": job, "amount": 200 * np.exp(0.4 * rng.normal(size=who.size))})


PAYMENTS = payments()


def release(data: pd.DataFrame = PAYMENTS, seed: int = 0, **options: Any) -> TableRelease:
    settings = {"by": "job", "values": {"amount": ["sum", "mean"]}, "groups": JOBS, "person": "who"} | options
    settings = {"epsilon": 3.0, "delta": 1e-6, "value_range": (1.0, 1e6), "signs": "positive"} | settings
    return release_table(data, rng=np.random.default_rng(seed), **settings)


def profits(sign: float) -> pd.DataFrame:
    """Two regions about zero and one far above it; without the factor, nothing is negative."""
    rng = np.random.default_rng(5)
    region = rng.choice(["north", "south", "east"], 9_000)
    profit = rng.normal(0.0, 1_000.0, 9_000) + np.where(region == "north", 1_500.0, 0.0)
    return pd.DataFrame({"region": region, "profit": np.where(profit < 0, sign * profit, profit)})


def test_the_rule_that_is_applied_to_both_signs_is_said_and_marked():
    found = release(
        profits(1.0),
        by="region",
        values={"profit": ["mean", "zeros"]},
        groups="public",
        person=None,
        signs="both",
    )
    rows = found.data()
    open_signs = [
        usable and lower <= 0 <= upper
        for lower, upper, usable in zip(
            rows["profit_mean_lower"], rows["profit_mean_upper"], rows["profit_mean_usable"], strict=True
        )
    ]
    assert any(open_signs), "it is of use by the second rule"
    assert not all(open_signs)
    one_row = [{name: column[row] for name, column in rows.items()} for row in range(3)]
    assert [mark_of(row, "profit_mean") == "includes 0" for row in one_row] == open_signs
    assert [mark_of(row, "profit_zeros") for row in one_row] == [""] * 3
    assert found.to_html().count("<small>includes 0</small>") >= sum(open_signs)
    (said,) = [note for note in found.notes() if note.startswith("includes 0")]
    assert "two thirds of their typical magnitude" in said


def test_rows_in_and_in_no_listed_group_are_told_apart_from_the_total():
    found = release(groups=["police", "fire"], person=None)
    (said,) = [note for note in found.notes() if note.startswith("About ")]
    assert re.match(
        r"About [\d,]+ rows are in groups of this table, [\d,]+ in none \(each give or take", said
    )
    assert said.endswith(
        "That was counted apart from the groups, whose counts add up to the Total with other noise."
    )


def test_where_no_value_is_negative_no_rule_of_signs_is_said():
    found = release(profits(-1.0), by="region", values={"profit": "mean"}, groups="public", person=None)
    assert not [note for note in found.notes() if "two thirds" in note]


def test_counts_and_sums_of_rows_kept_are_held_and_called_so():
    """One group a person, so that which rows are kept decides no count."""
    data = PAYMENTS[PAYMENTS["who"] % 3 == PAYMENTS["job"].map(JOBS.index)]
    held = {"count": [], "persons": [], "amount_sum": [], "all rows": []}
    rows = data.groupby(["job", "who"]).size()
    for seed in range(12):
        found = release(data, seed, rows_per_person=3, groups_per_person=1)
        table = found.to_pandas().set_index("job").sort_index()
        kept = rows.clip(upper=3).groupby("job").sum()
        held["count"] += list((table["count_lower"] <= kept) & (kept <= table["count_upper"]))
        held["all rows"] += list(rows.groupby("job").sum() <= table["count_upper"])
        persons = rows.groupby("job").size()
        held["persons"] += list((table["persons_lower"] <= persons) & (persons <= table["persons_upper"]))
        mean = data["amount"].mean()  # kept rows are drawn without regard to the amount
        held["amount_sum"] += list(
            (table["amount_sum_lower"] <= kept * mean * 1.02)
            & (kept * mean * 0.98 <= table["amount_sum_upper"])
        )
    assert np.mean(held["count"]) >= 0.83  # four standard errors of 36
    assert np.mean(held["persons"]) >= 0.83
    assert np.mean(held["amount_sum"]) >= 0.83
    assert not any(held["all rows"]), "an interval of rows kept is none of all rows"
    said = " ".join(found.notes())
    assert "Every number is of rows kept: at most 3 rows of a person in a group, in at most one group" in said
    assert "every number is of rows kept" in str(found.privacy).replace("\n", " ").replace("  ", "")
    assert "rows kept" in found.to_html()
    assert found.to_dict()["notes"] == found.notes()


def test_rows_cut_are_told_and_no_more_than_there_are():
    found = release(rows_per_person=3, groups_per_person=1)
    by_group = PAYMENTS.groupby(["who", "job"]).size()
    cut = len(PAYMENTS) - by_group.groupby("who").max().clip(upper=3).sum()
    assert found.fates.rows_cut < cut + 4 * found.fates.rows_cut_std
    assert found.fates.rows_cut > cut / 3
    assert f"About {found.fates.rows_cut:,} rows (give or take" in " ".join(found.notes())
    whole = release(rows_per_person=40, groups_per_person=3, epsilon=8.0)
    assert "were cut" not in " ".join(whole.notes())


def test_a_row_is_a_person_and_nothing_is_cut():
    said = " ".join(release(person=None).notes())
    assert "kept" not in said
    assert "cut" not in said
    assert "if a person may have several, name the column that tells whose" in said


@pytest.mark.parametrize("person", [None, "who"])
def test_groups_that_were_not_found_are_told(person: str | None):
    """Two thirds of the people are in groups of one or two; then all are."""
    few = PAYMENTS.drop_duplicates("who")
    data = few.assign(job=few["job"].where(few["who"] % 3 == 0, few["who"].astype(str)))
    bounds = {} if person is None else {"rows_per_person": 1, "groups_per_person": 1}
    found = release(data, groups="private", person=person, **bounds)
    assert len(found) == 1
    said = re.search(r"About ([\d,]+) \D* in groups that were not found", " ".join(found.notes()))
    assert said is not None
    assert abs(int(said[1].replace(",", "")) - 2_000) < 5 * found.fates.noise_std + 40
    assert "in a group of this table" not in " ".join(found.notes())
    none = release(data[data["who"] % 3 > 0], groups="private", person=person, **bounds)
    (caution,) = none.cautions()
    assert caution.startswith("No group by 'job' was found")
    assert "No group by" in none.to_html()
    all_found = release(few, groups="private", person=person, **bounds)
    assert "not found" not in " ".join([*all_found.notes(), *all_found.cautions()])


@pytest.mark.parametrize("listed", [["Police", "FIRE", "library "], ["polise", "fyre"]])
def test_a_list_that_matches_nobody_is_cautioned_about(listed: list[str]):
    small, caution = release(groups=listed).cautions()
    assert small.startswith("Every group by 'job' is too small")
    assert "are in no group of this table: check the names of groups" in caution
    assert caution in release(groups=listed).to_html()
    assert release().cautions() == []


@pytest.mark.parametrize("person", [None, "who"])
def test_a_listed_group_that_nobody_is_in_is_named_if_others_are_in_none(person: str | None):
    jobs = sorted(PAYMENTS["job"].unique())
    bounds = {} if person is None else {"rows_per_person": 3, "groups_per_person": 1}
    misspelt = release(groups=[*jobs[:-1], f"{jobs[-1].upper()} "], person=person, **bounds)
    (caution,) = misspelt.cautions()
    assert caution.startswith(f"Hardly any row was seen of '{jobs[-1].upper()} ', by 'job', and about")
    assert "their case and blanks" in caution
    assert release(groups=jobs[:-1], person=person, **bounds).cautions() == []
    assert release(groups=[*jobs, "pilot"], person=person, **bounds).cautions() == []


def test_a_column_without_numbers_is_cautioned_about_and_shows_no_estimate():
    data = PAYMENTS.assign(amount=PAYMENTS["amount"].map("${:,.2f}".format))
    found = release(data, numbers="1234.5", value_range=(1.0, 1e4))
    (caution,) = found.cautions()
    assert caution.startswith("About 100 % of the rows have no number in 'amount'")
    table = found.to_pandas()
    assert table["amount_mean"].isna().all()
    assert set(table["amount_mean_flag"]) == {"unknown"}
    assert "unknown: the mean or quantile may lie anywhere" in " ".join(found.notes())
    assert release(data, numbers="$1,234.50").cautions() == []


def test_a_range_that_ends_among_the_values_is_cautioned_about():
    (caution,) = release(value_range=(1.0, 300.0)).cautions()
    assert "last step of the public range" in caution


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ({"epsilon": 50.0}, "Epsilon 50 protects hardly anybody"),
        ({"delta": 0.01}, "Delta 0.01 is above one in"),
    ],
)
def test_a_budget_that_protects_nobody_is_cautioned_about(budget: dict[str, float], words: str):
    found = release(**budget)
    assert words in found.cautions()[0]
    assert release().cautions() == []
    if "epsilon" in budget:
        assert "10^22 times as likely" in found.summary()


def test_every_useless_number_has_a_reason():
    found = release(PAYMENTS.head(400), epsilon=0.5, values={"amount": ["mean", "median", "std", "zeros"]})
    table, said = found.to_pandas(), " ".join(found.notes())
    for name in ("mean", "median", "std", "zeros"):
        useless = table[~table[f"amount_{name}_usable"]]
        for flag in useless[f"amount_{name}_flag"].fillna("wide"):
            assert f"{flag}: " in said
    assert "wide" in found.to_html()
    assert "95 %" in found.to_html()


def test_a_count_that_is_mostly_noise_is_marked_in_files_and_pages():
    few = pd.DataFrame({"who": [-1, -2, -3], "job": "mayor", "amount": 200.0})
    found = release(pd.concat([PAYMENTS, few]), groups=[*JOBS, "mayor"], rows_per_person=6)
    table = found.to_pandas().set_index("job")
    for counted in ("count", "persons"):
        assert dict(table[f"{counted}_usable"]) == dict.fromkeys(JOBS, True) | {"mayor": False}
        assert found.total()[f"{counted}_usable"] is True
    span = "{:,} to {:,}".format(*table.loc["mayor", ["count_lower", "count_upper"]])
    assert f"<br><small>{span}</small><br><small>wide</small></td>" in found.to_html()
    assert any(note.startswith("wide: the interval is wider than a factor of two") for note in found.notes())
    assert "count_usable" not in release(groups="public", person=None).data()


@pytest.mark.parametrize("groups", [JOBS, "private"])
def test_what_the_total_is_of_is_said_and_true(groups: object):
    found = release(groups=["police", "fire"] if groups == JOBS else "private", groups_per_person=1)
    assert "Total is of the groups of this table: rows in none of them are not in it." in found.notes()
    assert found.total()["count"] == found.to_pandas()["count"].sum()
    as_found = release(groups="public", person=None)
    assert "Total is of all rows that have a group." in as_found.notes()
    assert as_found.total()["count"] == len(PAYMENTS)
    assert not any(each.startswith("Total is") for each in release(totals=False).notes())


def test_a_reader_is_told_how_many_records_means_may_miss():
    """As many could lie far above: the bound holds in nearly all groups, whatever the values are."""
    rng, held = np.random.default_rng(3), []
    for seed in range(20):
        value = np.where(rng.random(3_000) < 0.01, 100.0, 1.0) * 1_000 * np.exp(0.3 * rng.normal(size=3_000))
        data = pd.DataFrame({"job": np.repeat(JOBS, 1_000), "amount": value})
        found = release(data, seed, person=None, groups="public", epsilon=1.0)
        window, usable = found.columns["amount"].window, found.columns["amount"].statistics["mean"].usable
        for place, group in enumerate(found.to_pandas()["job"][:3]):
            values = data["amount"][data["job"] == group]
            assert len(values) == 1_000
            beyond = ((values < window.low[place]) | (values > window.high[place])).mean()
            held.append(beyond <= window.outside[place])
        said = [each for each in found.notes() if "do not rule out that up to" in each]
        assert len(said) == int(usable.any())
    assert len(held) >= 30
    assert np.mean(held) >= 0.9


def test_what_is_unseen_may_lie_far_below_where_numbers_are_negative():
    """A twentieth are -999 for what is missing: what noise hides of them lies on no side that is named."""
    rng, missed = np.random.default_rng(8), 0
    for seed in range(8):
        years = rng.integers(1, 40, 1_500).astype(float)
        data = pd.DataFrame(
            {"job": np.repeat(JOBS, 500), "amount": np.where(rng.random(1_500) < 0.05, -999, years)}
        )
        found = release(
            data, seed, person=None, groups="public", epsilon=1.0, signs="both", values={"amount": "mean"}
        )
        table, true = found.to_pandas(), data.groupby("job")["amount"].mean()
        said = [each for each in found.notes() if "do not rule out that up to" in each]
        low = table["amount_mean_lower"].to_numpy()
        wrong = table["amount_mean_usable"].to_numpy() & (low > true[table["job"]].to_numpy())
        missed += int(wrong.any())
        assert len(said) == int(table["amount_mean_usable"].any())
        assert not any("above" in each for each in said)
    assert missed >= 1
