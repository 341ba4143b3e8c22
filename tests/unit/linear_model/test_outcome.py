"""What an outcome tells beside whether there is a model."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relgauss.linear_model import Degraded, PrivateRidge, WrongBoundsWarning, load_model, save_model


@pytest.mark.parametrize("epsilon", [0.01, 1.0])
@pytest.mark.parametrize(
    "bounds", [{"label_bounds": (0, 5)}, {"feature_bounds": (-60, -50)}, {"label_bounds": (100, 200)}]
)
def test_bounds_that_cut_off_many_are_told_of_where_there_is_but_a_constant(
    epsilon: float, bounds: Any, tmp_path: Path
):
    """Of a label they are even where the fit is hopeless: its range is searched for all the same."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(20_000, 5))
    labels = 15 + features.sum(axis=1)
    is_hopeless = epsilon < 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = PrivateRidge(epsilon, random_state=0, **bounds).fit(features, labels)
    told = [str(each.message) for each in caught if each.category is WrongBoundsWarning]
    assert isinstance(model.outcome_, Degraded)
    if is_hopeless and "feature_bounds" in bounds:
        assert told == []  # nobody looked
    else:
        assert len(told) == 1
        assert told[0] in str(model.summary())
        assert max(model.outcome_.outside) > 0.9
        save_model(model, tmp_path / "model.json")
        assert load_model(tmp_path / "model.json").outcome_ == model.outcome_
