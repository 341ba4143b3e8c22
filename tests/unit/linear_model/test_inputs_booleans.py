"""Columns of true and false, however they come, and what a missing category counts as."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, RelgaussError
from relgauss.linear_model import Fitted, IgnoredFeaturesWarning, PrivateRidge
from relgauss.mechanisms.base import Mechanism
from relgauss.records import read_records

N = 4_000
RNG = np.random.default_rng(3)
AGE, OWNS = RNG.uniform(20, 60, N), RNG.random(N) < 0.02
TOWN = RNG.choice(["hill", "mill", "port"], N)
PAY = AGE / 10 + 5 * OWNS + (TOWN == "port") + 0.2 * RNG.normal(size=N)
FRAME = pd.DataFrame({"age": AGE, "owns": OWNS, "pay": PAY})
TOWNS = pd.DataFrame({"age": AGE, "town": TOWN})
GAPS = TOWNS.assign(town=TOWNS["town"].where(TOWNS["town"] != "port", None))


def ridge(**options: Any) -> PrivateRidge:
    return PrivateRidge(2.0, random_state=0, **options)


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mechanism, "release", lambda *_, **__: pytest.fail("noise was drawn"))


@pytest.mark.parametrize("kind", ["a frame", "objects", "a file"])
def test_a_rare_truth_has_a_say_however_it_comes(kind: str, tmp_path: Path):
    """Its range is known, not searched for: 2 % of the records would hide from a search."""
    table: Any = FRAME if kind == "a frame" else FRAME.assign(owns=FRAME["owns"].astype(object))
    if kind == "a file":
        FRAME.to_csv(tmp_path / "table.csv", index=False)
        table = tmp_path / "table.csv"
    with read_records(table, target="pay") as records:
        assert records.booleans == ("owns",)
        model = ridge().fit(records)
    assert np.transpose(model.feature_range_)[1].tolist() == [0.0, 1.0]
    assert model.coef_[1] == pytest.approx(5.0, abs=1.5)


def test_a_file_that_holds_something_else_in_a_column_of_truths_is_refused(tmp_path: Path, no_noise: None):
    table = FRAME.assign(owns=FRAME["owns"].astype(object))
    table.loc[N - 1, "owns"] = "perhaps"
    table.to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(RelgaussError, match="'owns'"):
        read_records(tmp_path / "table.csv", target="pay")


@pytest.mark.parametrize("values", [[False, True], ["False", "True"], ["false", "true"]], ids=str)
@pytest.mark.parametrize("kind", [bool, object, "string"])
def test_truths_may_be_listed_as_categories(values: list[Any], kind: Any):
    frame = FRAME[["age", "owns"]].astype({"owns": kind})
    model = ridge(categories={"owns": values}).fit(frame, PAY)
    plain = ridge().fit(FRAME[["age", "owns"]], PAY)
    assert model.feature_names_in_.tolist() == ["age", f"owns={values[1]}"]
    assert np.array_equal(model.coef_, plain.coef_)
    assert np.array_equal(model.predict(frame), plain.predict(FRAME[["age", "owns"]]))


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA], ids=repr)
def test_a_missing_truth_among_objects_counts_as_stated_or_is_refused_by_name(hole: Any):
    owns = FRAME["owns"].astype(object)
    owns[::10] = hole
    frame = FRAME[["age"]].assign(owns=owns)
    filled = frame.assign(owns=owns.isin([True]))
    assert np.array_equal(ridge(missing=0.0).fit(frame, PAY).coef_, ridge().fit(filled, PAY).coef_)
    with pytest.raises(RelgaussError, match=r"'owns'|NaN"):
        ridge().fit(frame, PAY)


def test_a_mapping_names_what_a_missing_category_counts_as():
    rules = {"categories": {"town": ["hill", "mill", "port"]}}
    whole = ridge(**rules).fit(TOWNS, PAY)
    model = ridge(**rules, missing={"town": "port"}).fit(GAPS, PAY)
    assert np.array_equal(model.coef_, whole.coef_)
    assert np.array_equal(model.predict(GAPS), whole.predict(TOWNS))


@pytest.mark.parametrize(
    ("missing", "fault"),
    [
        ({"town": "Port"}, r"missing\['town'\].*'hill', 'mill', 'port'"),
        ({"age": "port"}, r"missing\['age'\].*a number"),
        ({"twon": "port"}, "twon.*'age', 'town'"),
    ],
    ids=["no category", "no number", "no column"],
)
def test_a_mapping_that_cannot_be_right_is_refused(missing: Any, fault: str, no_noise: None):
    with pytest.raises(InvalidParameterError, match=fault):
        ridge(categories={"town": ["hill", "mill", "port"]}, missing=missing).fit(GAPS, PAY)


def test_columns_without_a_spread_are_ignored_by_name():
    frame = FRAME[["age"]].assign(year=2026.0)
    with pytest.warns(
        IgnoredFeaturesWarning, match="No spread was seen of year: coefficients there are zero"
    ):
        model = ridge().fit(frame, PAY)
    assert isinstance(model.outcome_, Fitted)
    assert (model.outcome_.ignored, model.outcome_.ignored_names) == ((1,), ("year",))
    assert model.coef_[1] == 0
