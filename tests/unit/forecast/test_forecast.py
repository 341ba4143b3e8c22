"""A forecast takes public numbers only, says the same each time, and has a view in a notebook."""

import inspect

import pytest

import relgauss as rg
from relgauss.forecast import FitForecast, MeansForecast, TableForecast
from relgauss.forecast.forecast import Forecast

BUDGET = {"epsilon": 1.0, "delta": 1e-6}


@pytest.fixture(scope="module")
def forecasts() -> dict[str, Forecast]:
    values = {"pay": ["mean", "median"]}
    return {
        "means": rg.forecast_means({"a<b": 50, "c": 900}, value_range=(1, 4), **BUDGET),
        "table": rg.forecast_table([50, 900], values=values, value_range=(1, 4), **BUDGET),
        "fit": rg.forecast_fit(300, 1, **BUDGET),
    }


def test_no_forecast_has_a_parameter_for_records():
    public = {"sizes", "value_range", "form", "zeros", "typical", "confidence", "epsilon", "delta"}
    assert set(inspect.signature(rg.forecast_means).parameters) == public | {"spread"}
    more = {"values", "groups", "rows_per_person", "groups_per_person", "signs", "missing", "weights"}
    more |= {"totals", "simultaneous", "missing_share"}
    assert set(inspect.signature(rg.forecast_table).parameters) == public | more
    numbers = {"records", "features", "r2", "correlation", "feature_bounds", "label_bounds", "classes"}
    assert set(inspect.signature(rg.forecast_fit).parameters) == numbers | {"errors", "epsilon", "delta"}
    assert inspect.signature(rg.forecast_fit).parameters["records"].annotation == "int"


def test_all_have_a_short_name(forecasts: dict[str, Forecast]):
    kinds = {"means": MeansForecast, "table": TableForecast, "fit": FitForecast}
    assert {name: type(each) for name, each in forecasts.items()} == kinds


@pytest.mark.parametrize("kind", ["means", "table", "fit"])
def test_another_budget_changes_the_budget_and_nothing_that_was_stated(
    forecasts: dict[str, Forecast], kind: str
):
    forecast = forecasts[kind]
    other = forecast.at(2.0)
    assert (other.budget.epsilon, other.budget.delta) == (2.0, 1e-6)
    assert forecast.at(2.0, 1e-5).budget.delta == 1e-5
    assert forecast.budget.epsilon == 1.0
    assert other.at(1.0).to_dict() == forecast.to_dict()


@pytest.mark.parametrize("kind", ["means", "table", "fit"])
def test_a_notebook_shows_it(forecasts: dict[str, Forecast], kind: str):
    html = forecasts[kind]._repr_html_()
    assert "epsilon 1, delta 1e-06" in html
    assert "nothing private was read, nothing is spent" in html
    assert html.count("<tr>") >= 3
    assert "a<b" not in html  # names are no markup
    assert ("Degraded" in html) == (forecasts[kind].degraded is not None)
