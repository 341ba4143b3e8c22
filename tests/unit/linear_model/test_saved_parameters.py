"""A loaded model has the public bounds of its fit, and clones of it can be fitted anew."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from relgauss.linear_model import PrivateRidge, load_model, save_model

RNG = np.random.default_rng(5)
FRAME = pd.DataFrame({"a": RNG.uniform(0, 10, 3_000), "b": RNG.normal(size=3_000)})
LABELS = FRAME["a"] - FRAME["b"] + RNG.normal(size=3_000)
BOUNDS: dict[str, Any] = {
    "none": None,
    "by name": {"a": (0, 10)},
    "one end by name": {"a": (0, np.inf)},
    "numbers": (-5, 10),
    "arrays": ([0.0, -5.0], [10.0, 5.0]),
    "an unknown end": ([0.0, np.nan], [10.0, np.inf]),
}


@pytest.mark.parametrize("kind", BOUNDS)
def test_a_loaded_model_has_the_bounds_of_its_fit(kind: str, tmp_path: Path):
    model = PrivateRidge(3.0, random_state=0, feature_bounds=BOUNDS[kind], label_bounds=(-10, 20))
    model.fit(FRAME, LABELS)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.label_bounds == (-10.0, 20.0)
    again = clone(loaded).set_params(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again.fit(FRAME, LABELS)
    assert np.array_equal(again.coef_, model.coef_)
    assert np.array_equal(np.stack(again.feature_range_), np.stack(model.feature_range_))
    save_model(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_later_changes_are_not_those_of_the_fit(tmp_path: Path):
    model = PrivateRidge(3.0, random_state=0, feature_bounds=(-5, 10)).fit(FRAME, LABELS)
    save_model(model.set_params(feature_bounds=(0, 1)), tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").feature_bounds == (-5.0, 10.0)
