"""A forecast takes public numbers only, and says the same each time."""

import inspect

import relgauss as rg
from relgauss.forecast import FitForecast, MeansForecast


def test_no_forecast_has_a_parameter_for_records():
    public = {"sizes", "value_range", "spread", "form", "zeros", "confidence", "epsilon", "delta"}
    assert set(inspect.signature(rg.forecast_means).parameters) == public
    numbers = {"records", "features", "r2", "correlation", "feature_bounds", "label_bounds", "classes"}
    assert set(inspect.signature(rg.forecast_fit).parameters) == numbers | {"epsilon", "delta"}
    assert inspect.signature(rg.forecast_fit).parameters["records"].annotation == "int"


def test_both_have_a_short_name():
    assert isinstance(rg.forecast_means([50], epsilon=1.0, delta=1e-6, value_range=(1, 4)), MeansForecast)
    assert isinstance(rg.forecast_fit(300, 1, epsilon=1.0, delta=1e-6), FitForecast)
