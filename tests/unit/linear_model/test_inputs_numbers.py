"""Categories that are numbers: whole ones are the same whichever type a column has come to have."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest

from relgauss.errors import TableError
from relgauss.linear_model import PrivateRidge, load_model, save_model

N = 3_000
RNG = np.random.default_rng(3)
ROOMS = RNG.integers(1, 4, N)
FRAME = pd.DataFrame({"age": RNG.uniform(20, 60, N), "rooms": ROOMS})
RENT = FRAME["age"] / 10 + ROOMS
WITH_GAPS = FRAME.assign(rooms=FRAME["rooms"].astype(float).mask(FRAME.index % 10 == 0))


def ridge(**options: Any) -> PrivateRidge:
    return PrivateRidge(5.0, random_state=0, **options)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.astype(float),
        FRAME.astype({"rooms": object}),
        FRAME.astype({"rooms": "Int64"}),
        polars.from_pandas(FRAME.astype(float)),
    ],
    ids=["int", "float", "object", "Int64", "polars"],
)
@pytest.mark.parametrize(
    "listed", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2", "3"]], ids=["int", "float", "text"]
)
def test_whole_numbers_are_the_same_categories_in_every_type(frame: Any, listed: list[Any]):
    model = ridge(categories={"rooms": [1, 2, 3]}).fit(FRAME, RENT)
    other = ridge(categories={"rooms": listed}).fit(frame, RENT)
    assert other.feature_names_in_.tolist() == ["age", "rooms=2", "rooms=3"]
    assert (other.coef_ == model.coef_).all()
    assert (model.predict(frame) == model.predict(FRAME)).all()


@pytest.mark.parametrize("counts_as", [2, 2.0, "2"])
def test_a_missing_one_makes_floats_of_a_column_and_counts_as_stated(counts_as: Any, tmp_path: Path):
    model = ridge(categories={"rooms": [1, 2, 3]}, missing={"rooms": counts_as}).fit(FRAME, RENT)
    filled = WITH_GAPS.fillna({"rooms": 2.0})
    assert (model.predict(WITH_GAPS) == model.predict(filled)).all()
    save_model(model, tmp_path / "model.json")
    assert (load_model(tmp_path / "model.json").predict(WITH_GAPS) == model.predict(filled)).all()


def test_a_missing_one_is_refused_without_a_rule():
    with pytest.raises(TableError, match="'rooms' holds values that are not one of"):
        ridge(categories={"rooms": [1, 2, 3]}).fit(WITH_GAPS, RENT)


def test_floats_may_be_listed_as_the_column_writes_them_and_parts_stay_parts():
    listed = ridge(categories={"rooms": ["1.0", "2.0", "3.0"]}).fit(FRAME.astype(float), RENT)
    assert listed.feature_names_in_.tolist() == ["age", "rooms=2.0", "rooms=3.0"]
    halves = FRAME.assign(rooms=FRAME["rooms"] / 2)
    model = ridge(categories={"rooms": [0.5, 1, 1.5]}).fit(halves, RENT)
    assert model.coef_ == pytest.approx(listed.coef_)
