"""Parameters that would be taken for something else are refused by name, with what to pass instead."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(500, 2)), columns=["a", "b"])
LABELS = FRAME["a"] + RNG.normal(size=500)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("fit_intercept", "no"),
        ("clip_features", "False"),
        ("clip_features", None),
        ("random_state", "seed"),
        ("random_state", -1),
        ("random_state", 1.5),
        ("random_state", np.random),
        ("feature_bounds", [(0, 120), (0, 50_000)]),
        ("categories", ["a"]),
    ],
)
@pytest.mark.parametrize("kind", [PrivateRidge, PrivateLogisticRegression])
def test_it_is_refused_before_anything_is_spent(kind: type, name: str, value: Any):
    with pytest.raises(InvalidParameterError, match=name):
        kind(10.0, **{name: value}).fit(FRAME, LABELS > 0 if kind is PrivateLogisticRegression else LABELS)


def test_what_means_the_same_is_taken():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for options in (
            {"fit_intercept": np.True_, "clip_features": 1},
            {"feature_bounds": [[-4, -4], [4, 4]]},
        ):
            model = PrivateRidge(20.0, random_state=np.random.RandomState(0), **options).fit(FRAME, LABELS)
            assert model.coef_[0] == pytest.approx(1.0, abs=0.3)


def test_a_missing_value_in_a_prediction_is_not_told_to_be_a_parameter_of_it():
    model = PrivateRidge(20.0).fit(FRAME, LABELS)
    with pytest.raises(InvalidValueError, match="Fill it, or fit with missing"):
        model.predict(FRAME.assign(a=np.nan))
