"""Mistakes that public and released numbers show: groups of one row, and text that is no number. Seeded."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from relgauss.arrays.simulated import mark
from relgauss.errors import TableError
from relgauss.grouped import release_means, release_table
from relgauss.grouped.cautions import of_alike_groups, unseen
from relgauss.grouped.column_estimates import WindowFacts

BUDGET = {"epsilon": 1.0, "delta": 1e-6, "value_range": (1.0, 1e6)}


def rides(rows: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    fare = np.round(rng.gamma(4.0, 5.0, rows) + 2.5, 2)
    return pd.DataFrame({"ride": np.arange(rows), "town": rng.choice(["a", "b"], rows), "fare": fare})


def cautions(data: pd.DataFrame, by: str, **options: object) -> tuple[list[str], list[str]]:
    """What a table and what means say."""
    rng = np.random.default_rng(4)
    table = release_table(data, by=by, values={"fare": ["mean", "zeros"]}, rng=rng, **BUDGET, **options)
    means = release_means(data, by=by, value="fare", rng=rng, **BUDGET, **options)
    assert means.to_dict()["cautions"] == means.cautions()
    return table.cautions(), means.cautions()


def test_a_table_as_it_should_be_has_none():
    assert cautions(rides(), "town") == ([], [])


def test_groups_of_one_row_are_called_too_small_all_of_them():
    for found in cautions(rides(18), "ride"):
        (caution,) = found
        assert "Every group by 'ride' is too small" in caution
        assert "The largest has 1 rows" not in caution
        assert "coarser columns" in caution


def test_who_said_how_numbers_are_written_is_not_told_another_way():
    """Under a percent style 42.7 is no number: it would count a hundred times as much as 42.7 %."""
    some = rides(3_000).assign(fare=lambda table: [f"{fare:.1f} %" for fare in table["fare"]])
    bare = some.assign(fare=lambda table: table["fare"].where(table.index % 4 > 0, "42.7"))
    rng = np.random.default_rng(4)
    asked = BUDGET | {"numbers": "1234.5 %", "value_range": (0.001, 100.0), "rng": rng}
    table = release_table(bare, by="town", values={"fare": "mean"}, **asked)
    means = release_means(bare, by="town", value="fare", **asked)
    for found in (table.cautions(), means.cautions()):
        (caution,) = found
        assert "of the rows have no number in 'fare'" in caution
        assert "not as you said (--numbers)" in caution
        assert "1,234" not in caution


def test_a_percent_style_is_in_the_statement():
    some = rides(100).assign(fare=lambda table: [f"{fare:.1f} %" for fare in table["fare"]])
    for numbers in ("1234.5 %", {"fare": "1234.5 %"}):
        means = release_means(some, by="town", value="fare", **BUDGET | {"numbers": numbers})
        table = release_table(some, by="town", values={"fare": "mean"}, **BUDGET | {"numbers": numbers})
        for privacy in (means.privacy, table.privacy):
            said = " ".join(privacy.text().split())
            assert "text in 'fare' is read as a part of one: 5 % is 0.05, and text without the sign" in said


def test_numbers_of_which_only_the_large_have_marks_show():
    """Else 1,234 is left out, and the mean is that of numbers below a thousand. It is refused if it shows in
    the first rows, before anything is spent.
    """
    rising = rides(3_000).sort_values("fare")
    dear = rising.assign(fare=[f"{40 * fare:,.2f}" for fare in rising["fare"]])
    for found in cautions(dear, "town"):
        (caution,) = found
        assert "of the rows have no number in 'fare', and no part" in caution
    for data in (dear, dear.sort_values("ride")):
        assert cautions(data, "town", numbers="1,234.50") == ([], [])
    with pytest.raises(TableError, match="'fare' writes some of the numbers in its first rows otherwise"):
        cautions(dear.sort_values("ride"), "town")


def test_a_few_missing_values_are_no_mistake():
    assert cautions(
        rides(3_000).assign(fare=lambda table: table["fare"].where(table["ride"] % 20 > 0)), "town"
    ) == (
        [],
        [],
    )


def test_a_column_without_numbers_shows_by_its_noisy_count():
    data = rides().assign(fare=lambda table: "$" + table["fare"].astype(str))
    for found in cautions(data, "town", numbers="1234.50 €"):
        (caution,) = found
        assert "of the rows have no number in 'fare': check how its numbers are written" in caution


def test_numbers_read_as_a_thousandth_of_themselves_show_at_the_low_end():
    """1.735 for 1,735 lies below the range, and counts as its low end."""
    data = rides().assign(fare=lambda table: table["fare"] / 1000)
    for signs in ("positive", "both"):
        found = release_means(
            data,
            by="town",
            value="fare",
            rng=np.random.default_rng(6),
            **BUDGET | {"value_range": (1.0, 1e4), "signs": signs},
        )
        (caution,) = found.cautions()
        assert "in the first step of the public range" in caution


def test_a_range_that_cuts_values_off_shows():
    rng = np.random.default_rng(5)
    means = release_means(rides(), by="town", value="fare", rng=rng, **BUDGET | {"value_range": (1.0, 20.0)})
    (caution,) = means.cautions()
    assert "in the last step of the public range" in caution


def refunds(share: float) -> pd.DataFrame:
    """Fares of which this share is paid back."""
    negative = np.random.default_rng(7).random(3_000) < share
    return rides(3_000).assign(fare=lambda table: table["fare"].where(~negative, -table["fare"]))


def test_means_that_negative_values_may_spoil_are_not_called_usable():
    """Unless the caller says that there are none, or that there may be some."""
    for data, expected in ((refunds(0.2), False), (rides(3_000), True)):
        found = release_means(data, by="town", value="fare", rng=np.random.default_rng(1), **BUDGET)
        assert found.usable.all() == expected
        assert found.usable.any() == expected
        assert found.signs_unsaid.all() != expected
        assert [flag is None or flag.name for flag in found.flags] == [expected or "signs"] * 2
    for signs in ("positive", "both"):
        found = release_means(
            refunds(0.2), by="town", value="fare", signs=signs, rng=np.random.default_rng(1), **BUDGET
        )
        assert found.usable.all()


def test_negative_values_that_count_as_0_show_where_they_are_many():
    for found in cautions(refunds(0.2), "town", signs="positive"):
        (caution,) = found
        assert caution.startswith(("About 19 % of the values in 'fare'", "About 20 %", "About 21 %"))
        assert "negative values if there are any" in caution
        assert "use --signs both (signs='both')" in caution
    assert cautions(refunds(0.2), "town", signs="both") == ([], [])
    assert cautions(refunds(0.005), "town", signs="positive") == ([], [])


def test_a_share_of_zeros_that_holds_negative_values_says_so():
    options = {"by": "town", "values": {"fare": ["zeros"]}, "rng": np.random.default_rng(8), **BUDGET}
    noted = {
        signs: any("which negative ones do here" in note for note in release.notes())
        for signs in ("positive", "both")
        for release in [release_table(refunds(0.2), signs=signs, **options)]
    }
    assert noted == {"positive": True, "both": False}


def test_a_budget_that_protects_hardly_anybody():
    rng = np.random.default_rng(6)
    large = BUDGET | {"epsilon": 30.0, "delta": 0.1}
    found = release_means(rides(), by="town", value="fare", rng=rng, **large).cautions()
    assert [each.split()[0] for each in found] == ["Epsilon", "Delta"]


@pytest.mark.parametrize(("spelling", "is_told"), [("{}", False), (" {} ", True), ("{}\u00a0", True)])
def test_keys_that_differ_in_case_or_blanks_only_are_named(spelling: str, is_told: bool):
    data = rides(3_000)
    town = data["town"].where(data["ride"] % 2 == 0, data["town"].map(spelling.format))
    for found in cautions(data.assign(town=town), "town"):
        assert [("differ in case or blanks only" in each) for each in found] == [True] * is_told


def test_every_spelling_of_one_group_is_named_once():
    keys = ["Sales", "sales ", "SALES", "Tech", 7, 7.0, None, "A b", "ab"]
    (caution,) = of_alike_groups(["team"], [keys])
    assert "'Sales' and 'sales ' and 'SALES' (1 more are like that)" in caution
    assert of_alike_groups(["team", "year"], [["a", "A"], [1, 2]]) == []
    assert of_alike_groups(["team"], [[]]) == []


def test_what_intervals_do_not_cover_is_a_plain_number_in_a_simulated_table():
    share = mark(np.array([0.02]))
    window = WindowFacts(*[share] * len(fields(WindowFacts)))
    text = unseen(window, mark(np.array([700.0])), np.array([True]))
    assert "up to 14 records" in str(text)
    assert "(2 % of it)" in str(text)
