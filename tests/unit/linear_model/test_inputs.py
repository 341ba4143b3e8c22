"""Frames with categories and missing values: read as files are, for the fit and for predictions."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.exceptions import NotFittedError

from relgauss.errors import InvalidParameterError, InvalidValueError, RelgaussError, TableError
from relgauss.linear_model import (
    Fitted,
    HopelessFitWarning,
    PrivateLogisticRegression,
    PrivateRidge,
    UnprotectedScoreWarning,
    load_model,
    save_model,
)
from relgauss.mechanisms.base import Mechanism
from relgauss.records.read import read_records

N = 4_000
RNG = np.random.default_rng(0)
CITIES = ["Bern", "Oslo", "Rome"]
AGE = RNG.uniform(20, 60, size=N)
CITY = np.array(CITIES)[RNG.integers(3, size=N)]
PAY = AGE / 10 + 2.0 * (CITY == "Rome") + 0.2 * RNG.normal(size=N)
FRAME = pd.DataFrame({"age": np.where(RNG.random(N) < 0.05, np.nan, AGE), "city": CITY})
KINDS = {
    "pandas": FRAME,
    "another index": FRAME.set_axis(np.arange(N)[::-1]),
    "a category": FRAME.assign(city=FRAME["city"].astype("category")),
    "objects": FRAME.astype(object).where(FRAME.notna(), None),
    "polars": polars.DataFrame({"age": FRAME["age"].to_numpy(), "city": CITY}).fill_nan(None),
}
OPTIONS = {"categories": {"city": CITIES}, "missing": 40.0}


def ridge(**options: Any) -> PrivateRidge:
    return PrivateRidge(3.0, random_state=0, **options)


@pytest.fixture(scope="module")
def model() -> PrivateRidge:
    return ridge(**OPTIONS).fit(FRAME, PAY)


@pytest.mark.parametrize("kind", KINDS)
def test_frames_of_every_kind_are_read_alike(kind: str, model: PrivateRidge):
    other = ridge(**OPTIONS).fit(KINDS[kind], PAY)
    assert isinstance(other.outcome_, Fitted)
    assert other.feature_names_in_.tolist() == ["age", "city=Oslo", "city=Rome"]
    assert (other.coef_ == model.coef_).all()
    assert (model.predict(KINDS[kind]) == model.predict(FRAME)).all()


def test_a_frame_is_read_as_a_file_is(model: PrivateRidge, tmp_path: Path):
    FRAME.assign(pay=PAY).to_csv(tmp_path / "table.csv", index=False)
    records = read_records(tmp_path / "table.csv", target="pay", **OPTIONS)
    of_file = ridge().fit(records)
    assert of_file.coef_ == pytest.approx(model.coef_, rel=1e-9)
    assert of_file.predict(records) == pytest.approx(model.predict(FRAME), rel=1e-9)
    assert (
        of_file.predict(FRAME.assign(pay=PAY)) == of_file.predict(FRAME)
    ).all()  # more columns do not matter
    with pytest.warns(UnprotectedScoreWarning):
        assert of_file.score(records) > 0.8
    without_target = read_records(FRAME, target=None, **OPTIONS)
    assert (of_file.predict(without_target) == of_file.predict(FRAME)).all()


def test_categories_have_an_effect_of_their_own(model: PrivateRidge):
    assert model.coef_ == pytest.approx([0.1, 0.0, 2.0], abs=0.15)
    assert [line.name for line in model.summary().lines] == ["intercept", "age", "city=Oslo", "city=Rome"]


def test_a_gap_in_a_column_of_codes_changes_nothing_about_the_others(tmp_path: Path):
    codes = np.arange(N) % 3 + 1
    frame = pd.DataFrame({"age": AGE, "code": codes})
    holes = frame.assign(code=np.where(codes == 2, np.nan, codes))
    options = {"categories": {"code": [1, 2, 3]}, "missing": {"code": 2}}
    model, other = ridge(**options).fit(frame, PAY), ridge(**options).fit(holes, PAY)
    assert (model.coef_ == other.coef_).all()
    save_model(other, tmp_path / "model.json")
    for each in (model, other, load_model(tmp_path / "model.json")):
        assert (each.predict(holes) == model.predict(frame)).all()


def test_a_missing_category_counts_as_the_first(model: PrivateRidge):
    rows = pd.DataFrame({"age": [30.0, 30.0], "city": ["Bern", None]})
    first, missing = model.predict(rows)
    assert first == missing


def test_a_saved_model_reads_frames_as_before(model: PrivateRidge, tmp_path: Path):
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert (loaded.predict(FRAME) == model.predict(FRAME)).all()


def test_missing_numbers_of_arrays_count_as_stated():
    features = np.column_stack([AGE, RNG.normal(size=N)])
    holes = features.copy()
    holes[::7, 0] = np.nan
    filled = np.where(np.isnan(holes), 40.0, holes)
    model = ridge(missing=40.0).fit(holes, PAY)
    assert (model.coef_ == ridge().fit(filled, PAY).coef_).all()
    assert (model.predict(holes) == model.predict(filled)).all()


@pytest.mark.parametrize("options", [{}, {"categories": {"city": CITIES}}], ids=["nothing", "categories"])
def test_missing_numbers_are_refused_by_column_unless_stated(options: dict[str, Any], no_noise: None):
    frame = FRAME if options else FRAME[["age"]]
    with pytest.raises(RelgaussError, match="'age'"):
        ridge(**options).fit(frame, PAY)


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mechanism, "release", lambda *_, **__: pytest.fail("noise was drawn"))


BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "text": (FRAME, {}, "text where numbers are needed: in 'city'"),
    "an infinity": (FRAME.assign(age=np.inf)[["age"]], {}, "infinity, in the column 'age'"),
    "an infinity beside holes": (
        np.full((N, 1), np.inf),
        {"missing": 0.0},
        "infinity, in the column number 0",
    ),
    "an unlisted category": (
        FRAME,
        {"categories": {"city": CITIES[:2]}, "missing": 0.0},
        "'city' holds values",
    ),
    "a missing category": (
        FRAME.assign(age=1.0, city=None),
        {"categories": {"city": CITIES}},
        "'city' holds values",
    ),
    "categories of no column": (FRAME, {"categories": {"town": CITIES}}, "'town'"),
    "one category": (FRAME, {"categories": {"city": ["Bern"]}}, "at least two"),
    "categories of an array": (np.zeros((N, 2)), OPTIONS, "Pass a data frame"),
    "no number for the missing": (FRAME, {"missing": "mean"}, "missing"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_no_rule_covers_is_refused_by_name(case: str, no_noise: None):
    frame, options, message = BAD[case]
    with pytest.raises(RelgaussError, match=message):
        ridge(**options).fit(frame, PAY)


def test_records_have_rules_and_a_target_of_their_own(no_noise: None):
    with pytest.raises(InvalidParameterError, match="Pass categories to read_records"):
        ridge(**OPTIONS).fit(read_records(FRAME.assign(pay=PAY), target="pay", **OPTIONS))
    with pytest.raises(InvalidParameterError, match="target"):
        ridge().fit(read_records(FRAME, target=None, **OPTIONS))


def test_predictions_want_the_columns_of_the_fit(model: PrivateRidge):
    with pytest.raises(TableError, match="no column 'age'"):
        model.predict(FRAME[["city"]])
    with pytest.raises(InvalidValueError, match="other features"):
        model.predict(read_records(FRAME[["city"]], target=None, categories={"city": CITIES}))


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"sample_weight": np.ones(N)}, "sample_weight.*counts once.*Leave it out"),
        ({"groups": np.arange(N)}, "groups.*one row is one person.*Make one row"),
        ({"person": "name"}, "person.*one row is one person.*Make one row"),
    ],
)
@pytest.mark.parametrize("make", [PrivateRidge, PrivateLogisticRegression])
def test_weights_and_several_rows_a_person_are_refused_by_name(
    make: Any, others: dict[str, Any], message: str, no_noise: None
):
    with pytest.raises(InvalidValueError, match=message):
        make().fit(FRAME, PAY, **others)


def test_an_unknown_keyword_is_a_type_error(no_noise: None):
    with pytest.raises(TypeError, match="'colour'"):
        PrivateRidge().fit(FRAME, PAY, colour=3)
    PrivateRidge(3.0)
    with pytest.raises(RelgaussError, match="categories"):  # a weight that is None is none
        PrivateRidge().fit(FRAME, PAY, sample_weight=None)


@pytest.mark.parametrize(
    "bounds",
    [{"age": (18.0, 70.0)}, ([18.0, np.nan], [70.0, np.nan]), ([18.0, -np.inf], [70.0, np.inf])],
    ids=["by name", "nan", "infinite"],
)
def test_bounds_of_some_columns_are_kept_and_the_others_found(bounds: Any):
    frame = pd.DataFrame({"age": AGE, "other": RNG.normal(size=N)})
    model = ridge(feature_bounds=bounds).fit(frame, PAY)
    low, high = model.feature_range_
    assert isinstance(model.outcome_, Fitted)
    assert 18 <= low[0] < high[0] <= 70
    assert -8 < low[1] < -1 < 1 < high[1] < 8


def test_one_end_of_a_range_may_be_known():
    frame = pd.DataFrame({"age": AGE - 20, "other": RNG.normal(size=N)})
    model = ridge(feature_bounds={"age": (0.0, np.inf)}).fit(frame, PAY)
    assert model.feature_range_[0][0] >= 0
    assert 20 < model.feature_range_[1][0] < 80


FITTED_BY = {
    "records": lambda model: model.fit(read_records(FRAME.assign(pay=PAY), target="pay", **OPTIONS)),
    "a frame": lambda model: model.set_params(**OPTIONS).fit(FRAME, PAY),
    "named": lambda model: model.fit(pd.DataFrame({"age": AGE, "two": AGE}), PAY),
    "arrays": lambda model: model.fit(np.column_stack([AGE, AGE]), PAY),
}


@pytest.mark.parametrize("first", FITTED_BY)
@pytest.mark.parametrize("second", FITTED_BY)
def test_nothing_of_an_earlier_fit_is_left(first: str, second: str):
    again = FITTED_BY[first](ridge()).set_params(categories=None, missing=None)
    FITTED_BY[second](again)
    fresh = FITTED_BY[second](ridge())
    assert set(vars(again)) == set(vars(fresh))
    assert getattr(again, "reading_", None) == getattr(fresh, "reading_", None)


def test_a_refit_that_fails_leaves_no_model_and_a_degraded_one_no_older_ranges():
    model = ridge().fit(FRAME[["age"]].fillna(40), PAY)
    with pytest.raises(RelgaussError, match="NaN"):
        model.fit(FRAME[["age"]], PAY)
    with pytest.raises(NotFittedError):
        model.predict(FRAME[["age"]])
    model.fit(FRAME[["age"]].fillna(40), PAY)
    with warnings.catch_warnings():
        warnings.simplefilter("error", HopelessFitWarning)
        with pytest.raises(HopelessFitWarning):
            model.fit(np.ones((20, 2)), np.ones(20))
    assert not hasattr(model, "coef_")
    with pytest.warns(HopelessFitWarning):
        model.fit(np.ones((20, 2)), np.ones(20))
    assert np.isinf(model.feature_range_).all()
    assert np.isinf(model.prediction_range_).all()
    assert not hasattr(model, "feature_names_in_")


def test_classes_of_text_come_from_a_file(tmp_path: Path):
    rich = np.where(np.median(PAY) < PAY, "yes", "no")
    FRAME.assign(rich=rich).to_csv(tmp_path / "table.csv", index=False)
    records = read_records(tmp_path / "table.csv", target="rich", classes=["yes", "no"], **OPTIONS)
    of_file = PrivateLogisticRegression(3.0, random_state=0).fit(records)
    of_frame = PrivateLogisticRegression(3.0, random_state=0, classes=["no", "yes"], **OPTIONS)
    of_frame.fit(FRAME, rich)
    assert of_file.classes_.tolist() == ["no", "yes"]
    assert of_file.coef_ == pytest.approx(of_frame.coef_, rel=1e-9)
    assert "a label other than 'yes' counts as 'no'" in str(of_file.privacy_)
    with pytest.warns(UnprotectedScoreWarning):
        assert of_file.score(records) > 0.8
    with pytest.raises(InvalidParameterError, match="those of the records"):
        PrivateLogisticRegression(3.0, classes=["a", "b"]).fit(records)


def test_columns_that_a_frame_lacks_are_named():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, 2_000), "city": ["Bern", "Rome"] * 1_000})
    model = PrivateRidge(5.0, random_state=0, categories={"city": ["Bern", "Rome"]})
    model.fit(frame, frame["age"] + rng.normal(size=2_000))
    for lacking in ("age", "city"):
        with pytest.raises(RelgaussError, match=f"has no column '{lacking}'.*fitted to: 'age', 'city'"):
            model.predict(frame.drop(columns=lacking))


def test_columns_of_a_multiindex_are_refused_by_name():
    frame = pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    with pytest.raises(RelgaussError, match=r"is called .*Name all columns by text"):
        PrivateRidge(5.0, random_state=0, missing={"x": 0.0}).fit(frame, [1.0])
