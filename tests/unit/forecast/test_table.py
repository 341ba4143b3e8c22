"""Forecasts of tables: every statistic by group, as the release itself would have it."""

import numpy as np
import pandas
import pytest

from relgauss.errors import InvalidParameterError
from relgauss.forecast import TableForecast, forecast_table
from relgauss.grouped import release_table

SIZES = {"some": 120, "more": 600, "many": 4_000}
ASKED = {"pay": ["mean", "median", "q90", "std"], "bonus": ["mean", "zeros"]}
KNOWN = {"epsilon": 1.0, "delta": 1e-6, "value_range": (3e3, 3e5), "signs": "positive"}


@pytest.fixture(scope="module")
def forecast() -> TableForecast:
    return forecast_table(SIZES, values=ASKED, zeros={"pay": 0.0, "bonus": 0.3}, **KNOWN)


def test_every_statistic_of_every_column_is_forecast(forecast: TableForecast):
    assert list(forecast.statistics) == [(name, each) for name, asked in ASKED.items() for each in asked]
    for each in forecast.statistics.values():
        assert np.all(np.diff(each.width) <= 0)
        assert np.all(each.at(2.0).error <= each.error)
    assert forecast.smallest_shown is None


def test_intervals_are_as_wide_as_released_ones(forecast: TableForecast):
    rng = np.random.default_rng(5)
    keys = np.repeat(list(SIZES), list(SIZES.values()))
    pay = np.exp(10.2 + 0.5 * rng.standard_normal(len(keys)))
    bonus = np.where(rng.random(len(keys)) < 0.3, 0.0, np.exp(9.8 + 0.5 * rng.standard_normal(len(keys))))
    frame = pandas.DataFrame({"group": keys, "pay": pay, "bonus": bonus})
    widths: dict[tuple[str, str], list[list[float]]] = {key: [] for key in forecast.statistics}
    for seed in range(3):
        noise = np.random.default_rng(seed)
        release = release_table(frame, by="group", values=ASKED, rng=noise, **KNOWN)
        for (column, name), found in widths.items():
            one = release.columns[column].statistics[name]
            found.append((one.upper - one.lower).tolist())
    groups = sorted(SIZES)
    truth = {"mean": "mean", "median": "median", "std": "std", "q90": lambda x: x.quantile(0.9)}
    for key, found in widths.items():
        column, name = key
        unit = 1.0 if name == "zeros" else frame.groupby("group")[column].agg(truth[name])[groups].to_numpy()
        place = [list(SIZES).index(group) for group in groups]
        big = [group != "some" for group in groups]  # the smallest is at the edge of what can be said
        ratio = forecast[key].width[place] / (np.median(found, axis=0) / unit)
        assert np.all((ratio[big] > 0.4) & (ratio[big] < 2.5)), (key, ratio)


def test_a_column_has_its_part_of_the_budget_only(forecast: TableForecast):
    alone = forecast_table(SIZES, values={"pay": "mean"}, totals=False, **KNOWN)["pay", "mean"]
    assert forecast["pay", "mean"].mu < 0.71 * alone.mu
    assert forecast["pay", "mean"].width[1] > alone.width[1]
    weighted = forecast_table(SIZES, values=ASKED, weights={"pay": 9.0, "bonus": 1.0}, **KNOWN)
    assert weighted["pay", "mean"].mu == pytest.approx(3 * weighted["bonus", "mean"].mu)


def test_a_target_is_met_by_every_statistic(forecast: TableForecast):
    epsilon = forecast.epsilon_for(0.05)
    then = forecast.at(epsilon)
    assert all(np.sum(each.error <= 0.05) >= 2 for each in then.statistics.values())
    assert any(each.epsilon_for(0.05) == epsilon for each in forecast.statistics.values())
    assert forecast.epsilon_for(1e-7) is None


def test_groups_that_are_not_public_cost_more_and_may_not_show():
    persons = {"rows_per_person": 3, "groups_per_person": 2}
    private = forecast_table([400, 3_000], values={"pay": "mean"}, groups="private", **persons, **KNOWN)
    public = forecast_table([400, 3_000], values={"pay": "mean"}, **KNOWN)
    assert private["pay", "mean"].width[1] > public["pay", "mean"].width[1]
    least = private.smallest_shown
    assert 20 < least < 400
    assert private.at(3.0).smallest_shown < least
    tiny = forecast_table([least // 2, 3_000], values={"pay": "count"}, groups="private", **persons, **KNOWN)
    assert tiny["pay", "count"].usable.tolist() == [False, True]
    listed = forecast_table([400, 3_000], values={"pay": "mean"}, groups="listed", **KNOWN)
    assert listed.smallest_shown is None


@pytest.mark.parametrize("missing", ["leave out", 0.0])
def test_counts_of_values_are_forecast_as_they_are_released(missing: str | float):
    """They are noisy where missing values are left out, exact where none is, and not said of tiny groups."""
    sizes, asked = [1, 400, 5_000], KNOWN | {"missing": missing}
    forecast = forecast_table(sizes, values={"pay": "count"}, **asked)["pay", "count"]
    frame = pandas.DataFrame({"group": np.repeat([1, 2, 3], sizes), "pay": 2e4})
    release = release_table(frame, by="group", values={"pay": "count"}, rng=np.random.default_rng(1), **asked)
    found = release.columns["pay"].statistics["count"]
    width = (found.upper - found.lower) / sizes
    assert forecast.usable.tolist() == found.usable.tolist() == [False, True, True]
    if missing == "leave out":
        np.testing.assert_allclose(forecast.width[1:], width[1:], rtol=0.7)
        assert np.all(width[1:] > 0)
    else:
        assert forecast.width[1:].tolist() == width[1:].tolist() == [0.0, 0.0]
        assert forecast.error[1:].tolist() == [0.0, 0.0]


def test_sizes_are_said_to_be_of_rows_where_persons_have_several():
    persons = {"rows_per_person": 3, "groups_per_person": 2, "groups": "private"}
    found = forecast_table([400], values={"pay": "mean"}, **persons, **KNOWN)
    assert (
        "of rows, not of persons: at most 3 rows of a person in a group, in at most 2 groups" in found.counted
    )
    assert found.counted in found.to_dict()["sizes"]
    assert "not of persons" in found._repr_html_()
    assert "each of them a person" in forecast_table([400], values={"pay": "mean"}, **KNOWN).counted


def test_what_is_of_no_use_is_named(forecast: TableForecast):
    small = forecast_table([60] * 9 + [5_000], values={"pay": ["mean", "zeros"]}, **KNOWN)
    assert small.degraded.startswith("pay_mean: 9 of 10 groups are too small")
    assert small.to_dict()["statistics"]["pay_mean"]["usable_groups"] == 1


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"values": {}}, "values"),
        ({"values": {"pay": "middle"}}, "statistic"),
        ({"groups": "secret"}, "groups"),
        ({"rows_per_person": 2}, "rows_per_person"),
        ({"form": {"bonus": "normal:0.1"}}, "form"),
        ({"zeros": 1.5}, "zeros"),
        ({"missing": 0.0, "missing_share": 0.1}, "missing_share"),
        ({"confidence": 2.0}, "confidence"),
    ],
)
def test_a_mistake_is_named(change: dict, name: str):
    with pytest.raises(InvalidParameterError, match=name):
        forecast_table([50], **({"values": {"pay": "mean"}} | KNOWN | change))
