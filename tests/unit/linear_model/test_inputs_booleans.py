"""Columns of true and false, however they come, and what a missing category counts as."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidParameterError, RelgaussError
from relgauss.linear_model import Fitted, IgnoredFeaturesWarning, PrivateRidge, load_model, save_model
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


@pytest.mark.parametrize("kind", [object, "str", "string"])
def test_truths_as_text_are_read_in_frames_as_in_files(kind: Any):
    frame = TOWNS.assign(owns=pd.Series(np.where(OWNS, "True", "False"), dtype=object).astype(kind))
    rules = {"categories": {"town": ["hill", "mill", "port"]}}
    model = ridge(**rules).fit(frame, PAY)
    plain = ridge(**rules).fit(TOWNS.assign(owns=OWNS), PAY)
    assert np.array_equal(model.coef_, plain.coef_)
    assert np.array_equal(model.predict(frame[:5]), plain.predict(TOWNS.assign(owns=OWNS)[:5]))
    frame.loc[N - 1, "owns"] = "perhaps"
    with pytest.raises(RelgaussError, match="'owns' holds values that are not true or false"):
        ridge(**rules).fit(frame, PAY)


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


def gaps(kind: Any) -> pd.DataFrame:
    """Every tenth of the truths is missing, and so is one age."""
    frame = FRAME[["age", "owns"]].astype({"owns": kind})
    frame.loc[::10, "owns"] = None
    frame.loc[5, "age"] = np.nan
    return frame


@pytest.mark.parametrize("kind", ["boolean", object])
@pytest.mark.parametrize("truth", [False, True, 0, 1.0, "false", "True", np.True_], ids=repr)
def test_a_missing_truth_counts_as_the_one_that_is_named(kind: Any, truth: Any):
    frame = gaps(kind)
    value = str(truth).lower() in ("true", "1.0")
    filled = FRAME[["age", "owns"]].assign(age=frame["age"].fillna(45.0))
    filled.loc[::10, "owns"] = value
    model = ridge(missing={"age": 45, "owns": truth}).fit(frame, PAY)
    assert np.array_equal(model.coef_, ridge().fit(filled, PAY).coef_)
    assert model.reading_["missing"] == {"age": 45.0, "owns": float(value)}
    assert np.transpose(model.feature_range_)[1].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("kind", ["boolean", object])
def test_a_number_that_is_no_truth_stands_for_none(kind: Any, no_noise: None):
    with pytest.raises(InvalidParameterError, match=r"missing\['owns'\]=45.*true or false"):
        ridge(missing={"age": 45, "owns": 45}).fit(gaps(kind), PAY)
    with pytest.raises(InvalidParameterError, match=r"missing\['age'\]=True.*a number"):
        ridge(missing={"age": True, "owns": True}).fit(gaps(kind), PAY)
    with pytest.raises(RelgaussError, match=r"'owns' holds values .*such as missing=\{'owns': False\}"):
        ridge(missing=45.0).fit(gaps(kind), PAY)


@pytest.mark.parametrize("kind", [bool, "boolean", object])
def test_a_number_for_all_features_leaves_truths_without_gaps_as_they_are(kind: Any):
    frame = FRAME[["age", "owns"]].astype({"owns": kind})
    frame.loc[5, "age"] = np.nan
    model = ridge(missing=45.0).fit(frame, PAY)
    assert np.transpose(model.feature_range_)[1].tolist() == [0.0, 1.0]
    plain = ridge().fit(FRAME[["age", "owns"]].assign(age=frame["age"].fillna(45.0)), PAY)
    assert np.array_equal(model.coef_, plain.coef_)


def test_an_array_of_truths_keeps_its_range_whatever_missing_numbers_count_as():
    features = np.column_stack([OWNS, TOWN == "port"])
    model = ridge(missing=45.0).fit(features, PAY)
    assert np.transpose(model.feature_range_).tolist() == [[0.0, 1.0]] * 2


@pytest.mark.parametrize("kind", ["boolean", object])
@pytest.mark.parametrize("saved", [False, True])
def test_a_prediction_goes_by_what_the_model_knows_of_a_column(kind: Any, saved: bool, tmp_path: Path):
    """A batch in which nobody has a value tells nothing of what the column holds."""
    frame = gaps(kind)
    model = ridge(missing={"age": 45.0, "owns": False}).fit(frame, PAY)
    if saved:
        save_model(model, tmp_path / "model.json")
        model = load_model(tmp_path / "model.json")
    expected = model.predict(frame)
    empty = frame[frame["owns"].isna()][:3]
    for batch in (empty, empty.astype({"owns": object}), empty.assign(age=None), empty.assign(owns="false")):
        ages = pd.DataFrame({"age": batch["age"].astype(float).fillna(45.0), "owns": False})
        assert np.array_equal(model.predict(batch), model.predict(ages)), batch.dtypes
    assert np.array_equal(model.predict(empty), expected[frame["owns"].isna()][:3])
    with pytest.raises(RelgaussError, match="'owns' holds values that are not true or false"):
        model.predict(empty.assign(owns="perhaps"))
    with pytest.raises(RelgaussError, match="'age' holds values that are not finite numbers"):
        model.predict(empty.assign(age="old"))
    with pytest.raises(RelgaussError, match="no rows"):
        model.predict(frame[:0])


def test_columns_without_a_spread_are_ignored_by_name():
    frame = FRAME[["age"]].assign(year=2026.0)
    with pytest.warns(
        IgnoredFeaturesWarning, match="No spread was seen of year: coefficients there are zero"
    ):
        model = ridge().fit(frame, PAY)
    assert isinstance(model.outcome_, Fitted)
    assert (model.outcome_.ignored, model.outcome_.ignored_names) == ((1,), ("year",))
    assert model.coef_[1] == 0
