"""Types that hold no numbers are refused by name, before anything is spent."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder

from relgauss.errors import InvalidParameterError, InvalidValueError, RelgaussError
from relgauss.ledger import Ledger
from relgauss.linear_model import EarlierStepsWarning, PrivateLogisticRegression, PrivateRidge, save_model
from relgauss.mechanisms.base import Mechanism

N = 200
FRAME = pd.DataFrame({"size": np.arange(N) / 7, "heat": ["gas", "oil"] * (N // 2)})
LABELS = pd.Series(np.arange(N) / 3)
HEAT = {"heat": ["gas", "oil"]}
DAYS = pd.Series(pd.date_range("2020-01-01", periods=N))


@pytest.fixture
def nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mechanism, "release", None, raising=False)


def model(**options: Any) -> PrivateRidge:
    return PrivateRidge(1.0, **options)


@pytest.mark.usefixtures("nothing_is_drawn")
@pytest.mark.parametrize("labels", [DAYS, DAYS.to_numpy(), DAYS - DAYS[0]], ids=["series", "array", "spans"])
def test_dates_are_no_labels(labels: Any):
    with pytest.raises(InvalidValueError, match=r"label holds dates.*days since a public day"):
        model(categories=HEAT).fit(FRAME, labels)


@pytest.mark.usefixtures("nothing_is_drawn")
@pytest.mark.parametrize(
    "labels", [LABELS.astype("str"), LABELS.astype("str").to_numpy(object), LABELS.to_numpy().astype(str)]
)
def test_digits_as_text_are_no_labels(labels: Any):
    with pytest.raises(InvalidValueError, match="label holds text"):
        model(categories=HEAT).fit(FRAME, labels)


@pytest.mark.usefixtures("nothing_is_drawn")
@pytest.mark.parametrize("options", [{}, {"missing": 0.0}], ids=repr)
def test_digits_as_text_and_dates_are_no_features(options: Any):
    with pytest.raises(InvalidValueError, match=r"holds text where numbers are needed: in 'size'"):
        model(**options).fit(FRAME[["size"]].astype("str"), LABELS)
    with pytest.raises(InvalidValueError, match=r"holds dates where numbers are needed: in 'day'"):
        model(**options).fit(FRAME[["size"]].assign(day=DAYS), LABELS)
    with pytest.raises(InvalidValueError, match="holds text"):
        model().fit(FRAME[["size"]].to_numpy().astype(str), LABELS)


@pytest.mark.usefixtures("nothing_is_drawn")
@pytest.mark.parametrize("options", [{}, {"missing": 0.0}, {"categories": HEAT}], ids=repr)
def test_two_columns_of_one_name(options: Any):
    twice = pd.concat([FRAME, FRAME[["size"]]], axis=1)
    with pytest.raises(InvalidValueError, match="the same name"):
        model(**options).fit(twice, LABELS)


@pytest.mark.usefixtures("nothing_is_drawn")
def test_a_category_of_no_column_names_the_features():
    with pytest.raises(InvalidParameterError, match=r"'heating'.*The features are 'size', 'heat'"):
        model(categories={"heating": ["gas", "oil"]}).fit(FRAME, LABELS)


@pytest.mark.usefixtures("nothing_is_drawn")
def test_weights_are_refused_in_words():
    with pytest.raises(InvalidValueError, match="fit takes no sample_weight"):
        model(categories=HEAT).fit(FRAME, LABELS, sample_weight=np.ones(N))


@pytest.mark.filterwarnings("ignore")
def test_what_is_no_table_is_refused_by_predict_with_what_to_pass():
    fitted = model(categories=HEAT, random_state=0).fit(FRAME, LABELS)
    for wrong, words in (
        ([dict(FRAME.iloc[0])], r"pd\.DataFrame\(records\)"),
        (FRAME.iloc[0], r"X\.iloc\[\[0\]\]"),
        (FRAME[:0], "no rows"),
        (FRAME[:3].assign(heat="coal"), "one of 'gas', 'oil'.*The model knows no others"),
        (FRAME[:3].assign(size=np.nan), "'size'.*The model knows no others"),
    ):
        with pytest.raises(RelgaussError, match=words):
            fitted.predict(wrong)


@pytest.mark.filterwarnings("ignore:.*constant")
def test_pipelines_are_told_what_to_save_and_what_spares_an_encoder(tmp_path: Path):
    pipeline = make_pipeline(OneHotEncoder(sparse_output=False), model(random_state=0))
    with pytest.warns(EarlierStepsWarning, match="Instead of OneHotEncoder.*categories="):
        pipeline.fit(FRAME[["heat"]], LABELS)
    with pytest.raises(InvalidValueError, match=r"save_model\(pipeline\[-1\]"):
        save_model(Pipeline(pipeline.steps), tmp_path / "model.json")


@pytest.mark.filterwarnings("ignore")
def test_a_ledger_may_be_named_by_its_file(tmp_path: Path):
    file = tmp_path / "people.ledger"
    ledger = Ledger.create(file, dataset="people", unit="row", epsilon=3.0, delta=1e-5)
    for place in (file, str(file)):
        model(categories=HEAT, ledger=place).fit(FRAME, LABELS)
    assert len(ledger.state().spends) == 2


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.filterwarnings("ignore")
def test_a_prediction_takes_columns_by_name_and_leaves_out_others(library: Any):
    rng = np.random.default_rng(0)
    table = {"area": rng.normal(size=3000), "rooms": rng.normal(size=3000)}
    price = table["area"] + rng.normal(size=3000)
    model = PrivateRidge(2.0, random_state=0).fit(library(table), price)
    name, more = ["a"] * 3000, {"price": price, "when": np.full(3000, "2020-01-01", dtype="M8[ms]")}
    wider = library({"name": name, "area": table["area"], **more, "rooms": table["rooms"]})
    assert np.array_equal(model.predict(wider), model.predict(library(table)))
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        model.predict(library({"name": name, "rooms": table["rooms"], "area": table["area"]}))
    with pytest.raises(ValueError, match="now missing:\n- rooms"):
        model.predict(library({"area": table["area"], "other": table["rooms"]}))


@pytest.mark.parametrize(
    "held",
    [lambda frame: frame.astype(pd.SparseDtype(float)), lambda frame: pl.from_pandas(frame).lazy()],
    ids=["sparse", "lazy"],
)
def test_a_frame_may_be_lazy_or_sparse(held: Any):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(20, 60, 3000), "size": rng.uniform(40, 90, 3000)})
    model = PrivateRidge(3.0, random_state=0).fit(frame, frame["age"])
    assert (PrivateRidge(3.0, random_state=0).fit(held(frame), frame["age"]).coef_ == model.coef_).all()
    assert (model.predict(held(frame)) == model.predict(frame)).all()


@pytest.mark.parametrize("options", [{}, {"missing": 0.0}])
@pytest.mark.parametrize("frame", [pd.DataFrame(index=range(9)), pl.DataFrame()], ids=["pandas", "polars"])
def test_a_frame_without_columns_is_refused(frame: Any, options: Any):
    with pytest.raises(InvalidValueError, match=r"has no (columns|rows)"):
        PrivateRidge(**options).fit(frame, np.arange(9.0))


def test_dates_are_no_classes():
    days = pd.to_datetime(np.arange(40) % 3, unit="D")
    with pytest.raises(InvalidValueError, match="labels are dates"):
        PrivateLogisticRegression().fit(np.zeros((40, 2)), days)
