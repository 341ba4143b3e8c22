"""Saved models keep how their records were read, and what was paid; rules for missing values by column."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from relgauss.errors import InvalidParameterError, RelgaussError
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge, load_model, save_model
from relgauss.records import read_records

N = 3_000
RNG = np.random.default_rng(11)
FRAME = pd.DataFrame(
    {
        "height": RNG.normal(170, 9, N),
        "year": RNG.integers(1950, 2010, N).astype(float),
        "town": RNG.choice(["hill", "mill", "port"], N),
    }
)
LABELS = FRAME["height"] / 4 + 3 * (FRAME["town"] == "port") + RNG.normal(0, 2, N)
CLASSES = np.where(FRAME["height"] > 170, "tall", "short")
TOWNS = {"town": ["hill", "mill", "port"]}
MISSING: list[Any] = [None, 0.0, {"height": 170.0}, {"height": 170.0, "year": 1980.0}]


def ridge(**options: Any) -> PrivateRidge:
    return PrivateRidge(3.0, random_state=0, **options)


@pytest.mark.parametrize(
    ("kind", "categories", "missing", "by_records"),
    list(itertools.product(["ridge", "logistic"], [None, TOWNS], MISSING, [False, True])),
    ids=lambda value: str(value)[:20],
)
def test_every_way_of_reading_is_loaded_again(
    kind: str, categories: Any, missing: Any, by_records: bool, tmp_path: Path
):
    frame = FRAME if categories else FRAME.drop(columns="town")
    labels = LABELS if kind == "ridge" else pd.Series(CLASSES)
    if missing:
        frame = frame.assign(height=frame["height"].mask(np.arange(N) % 50 == 0))
    model: Any = ridge() if kind == "ridge" else PrivateLogisticRegression(3.0, random_state=0)
    if kind == "logistic":
        model.set_params(classes=["short", "tall"])
    if by_records:
        rules = {} if kind == "ridge" else {"classes": ["short", "tall"]}
        model.fit(
            read_records(frame.assign(y=labels), target="y", categories=categories, missing=missing, **rules)
        )
    else:
        model.set_params(categories=categories, missing=missing).fit(frame, labels)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    assert str(loaded.summary()) == str(model.summary())
    assert getattr(loaded, "reading_", None) == getattr(model, "reading_", None)
    if not by_records:
        again = clone(loaded).set_params(random_state=0).fit(frame, labels)
        np.testing.assert_array_equal(again.coef_, model.coef_)


@pytest.mark.parametrize("kind", ["ridge", "logistic"])
def test_what_a_missing_label_counts_as_is_nothing_to_a_prediction(kind: str, tmp_path: Path):
    is_ridge = kind == "ridge"
    labels = pd.Series(LABELS if is_ridge else CLASSES).mask(np.arange(N) % 50 == 0)
    missing, classes = (42.0, None) if is_ridge else ("short", ["short", "tall"])
    records = read_records(
        FRAME.assign(y=labels), target="y", categories=TOWNS, missing={"y": missing}, classes=classes
    )
    model: Any = (ridge() if is_ridge else PrivateLogisticRegression(3.0, random_state=0)).fit(records)
    save_model(model, tmp_path / "model.json")
    expected = model.predict(read_records(FRAME, target=None, categories=TOWNS))
    for each in (model, load_model(tmp_path / "model.json")):
        np.testing.assert_array_equal(each.predict(FRAME), expected)


def test_what_is_saved_is_what_was_paid(tmp_path: Path):
    model = ridge(categories=TOWNS).fit(FRAME, LABELS).set_params(epsilon=9.0, alpha=5.0)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.epsilon == 3.0
    assert loaded.alpha == 0.0
    assert "epsilon 3" in str(loaded.summary())


def test_a_file_is_replaced_only_if_that_is_asked_for_and_ends_in_json(tmp_path: Path):
    model = ridge(categories=TOWNS).fit(FRAME, LABELS)
    save_model(model, tmp_path / "model.json")
    before = (tmp_path / "model.json").read_text()
    with pytest.raises(InvalidParameterError, match="replace=True"):
        save_model(ridge(alpha=2.0, categories=TOWNS).fit(FRAME, LABELS), tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text() == before
    save_model(model, tmp_path / "model.json", replace=True)
    with pytest.raises(InvalidParameterError, match=r"ends in \.json"):
        save_model(model, tmp_path / "model.txt")


def test_each_column_has_a_number_of_its_own_for_missing_values():
    empty = FRAME.assign(
        height=FRAME["height"].mask(np.arange(N) % 3 == 0), year=FRAME["year"].mask(np.arange(N) % 4 == 0)
    )
    filled = empty.fillna({"height": 160.0, "year": 1980.0})
    rules = {"height": 160.0, "year": 1980.0}
    model = ridge(categories=TOWNS, missing=rules).fit(empty, LABELS)
    np.testing.assert_array_equal(model.coef_, ridge(categories=TOWNS).fit(filled, LABELS).coef_)
    np.testing.assert_array_equal(model.predict(empty), model.predict(filled))
    with pytest.raises(RelgaussError, match="'year'"):
        ridge(categories=TOWNS, missing={"height": 160.0}).fit(empty, LABELS)


@pytest.mark.parametrize("missing", [{"heigth": 1.0}, {"town": 1.0}, {"height": "170"}, "mean"], ids=repr)
def test_a_mapping_names_columns_of_numbers(missing: Any):
    with pytest.raises(InvalidParameterError, match="missing"):
        ridge(categories=TOWNS, missing=missing).fit(FRAME, LABELS)


def test_a_mapping_needs_names():
    with pytest.raises(InvalidParameterError, match="missing"):
        ridge(missing={"height": 1.0}).fit(FRAME[["height", "year"]].to_numpy(), LABELS)


@pytest.mark.parametrize("missing", [0.0, {"height": 90.0}], ids=repr)
def test_a_missing_value_outside_of_stated_bounds_is_refused(missing: Any):
    model = ridge(categories=TOWNS, missing=missing, feature_bounds={"height": (120.0, 220.0)})
    with pytest.raises(InvalidParameterError, match=r"missing of 'height'.*120 to 220"):
        model.fit(FRAME, LABELS)
    model.set_params(missing={"height": 170.0}).fit(FRAME, LABELS)
