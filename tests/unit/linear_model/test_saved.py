"""Models as plain JSON: what is saved is what is loaded, and nothing in a file can run."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relgauss as rg
from relgauss.accounting import ApproximateDP, Failure, GaussianPairDP
from relgauss.errors import RelgaussError
from relgauss.linear_model import (
    Degraded,
    Fitted,
    PrivateLogisticRegression,
    PrivateRidge,
    load_model,
    save_model,
)
from relgauss.linear_model.saved import VERSION

from . import first_models

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(20_000, 3)) * [1.0, 1e5, 1e-5]
LABELS = FEATURES @ [1.0, 1e-5, 1e5] + RNG.normal(size=20_000)


def fitted(mechanism: str = "auto") -> PrivateRidge:
    return PrivateRidge(5.0, mechanism=mechanism, random_state=1).fit(FEATURES, LABELS)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    file = tmp_path_factory.mktemp("models") / "model.json"
    save_model(fitted(), file)
    return json.loads(file.read_text())


@pytest.mark.parametrize("mechanism", ["clipped", "public-iterate", "isometric", "relative"])
def test_a_regression_predicts_to_the_bit_and_states_the_same(mechanism: str, tmp_path: Path):
    model = fitted(mechanism)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(str(tmp_path / "model.json"))
    assert isinstance(model.outcome_, Fitted)
    np.testing.assert_array_equal(loaded.predict(FEATURES), model.predict(FEATURES))
    assert loaded.outcome_ == model.outcome_
    assert loaded.privacy_ == model.privacy_
    assert loaded.privacy_.to_dict() == model.privacy_.to_dict()
    assert loaded.privacy_.epsilon() <= 5
    assert not hasattr(loaded, "feature_names_in_")


@pytest.mark.parametrize("labels", [[0, 1], ["no", "yes"], [False, True]])
def test_a_classifier_keeps_its_classes(labels: list[Any], tmp_path: Path):
    model = PrivateLogisticRegression(random_state=1).fit(FEATURES, np.array(labels)[(LABELS > 0) * 1])
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(FEATURES), model.predict(FEATURES))
    np.testing.assert_array_equal(loaded.predict_proba(FEATURES), model.predict_proba(FEATURES))
    assert loaded.predict(FEATURES).dtype == model.predict(FEATURES).dtype
    assert loaded.coef_.shape == (1, 3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_degraded_model_says_why(tmp_path: Path):
    model = PrivateRidge(random_state=1).fit(FEATURES[:50], LABELS[:50])
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert isinstance(loaded.outcome_, Degraded)
    assert loaded.outcome_ == model.outcome_


def test_a_file_is_plain_text_and_holds_no_record(saved: dict[str, Any]):
    (coefficients,) = saved["coefficients"]
    numbers = set(coefficients)
    assert len(numbers) == 3
    assert not numbers & set(FEATURES.ravel().tolist())
    assert saved["version"] == VERSION


def test_the_simulation_stays_marked(saved: dict[str, Any]):
    assert saved["privacy"]["simulated"] is True


def refusal(file: Path) -> str:
    with pytest.raises(RelgaussError) as caught:
        load_model(file)
    assert file.name in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'{"format": "other"}',
        b"\xff\xfe\x00",
        pickle.dumps({"version": 1}),
        b"[" * 10**5,
    ],
    ids=["empty", "cut", "list", "number", "other", "bytes", "pickle", "deep"],
)
def test_what_is_no_model(content: bytes, tmp_path: Path):
    (tmp_path / "model.json").write_bytes(content)
    assert "no saved model" in refusal(tmp_path / "model.json")


def test_a_file_that_is_not_there(tmp_path: Path):
    assert "cannot be read" in refusal(tmp_path / "gone.json")
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize("version", [VERSION + 1, 0, None, "1", True, 2.0])
def test_another_version(version: Any, saved: dict[str, Any], tmp_path: Path):
    (tmp_path / "model.json").write_text(json.dumps(saved | {"version": version}))
    assert f"reads version {VERSION}" in refusal(tmp_path / "model.json")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"model": "forest"}, "forest"),
        ({"outcome": {"kind": "lost"}}, "lost"),
        ({"privacy": {"format": 9}}, "9"),
    ],
)
def test_unknown_kinds_are_refused_by_name(
    change: dict[str, Any], name: str, saved: dict[str, Any], tmp_path
):
    (tmp_path / "model.json").write_text(json.dumps(saved | change))
    assert name in refusal(tmp_path / "model.json")


def test_a_file_names_kinds_and_no_classes(saved: dict[str, Any]):
    assert saved["model"] == "ridge"
    assert saved["outcome"]["kind"] == "fitted"
    text = json.dumps(saved)
    for name in ("PrivateRidge", "Fitted", "GaussianDP", "ApproximateDP", "Failure"):
        assert name not in text


def test_every_part_must_be_there(saved: dict[str, Any], tmp_path: Path):
    file = tmp_path / "model.json"
    for part in saved.keys() - {"format", "version", "classes", "cautions"}:
        file.write_text(json.dumps({name: value for name, value in saved.items() if name != part}))
        assert "missing or wrong parts" in refusal(file), part


@pytest.mark.parametrize(
    "change",
    [
        {"model": "os.system"},
        {"model": ["ridge"]},
        {"model": "PrivateRidge"},
        {"coefficients": [["1", 2.0, 3.0]]},
        {"coefficients": 3.0},
        {"coefficients": [[1.0, None, 2.0]]},
        {"coefficients": [[1.0, float("nan"), 2.0]]},
        {"coefficients": [1.0, 2.0, 3.0]},
        {"coefficients": [[1.0, 2.0, 3.0]] * 2},
        {"intercepts": [float("inf")]},
        {"intercepts": [1.0, 2.0]},
        {"intercepts": [None]},
        {"feature_range": [[0.0, 0.0], [1.0, 1.0]]},
        {"feature_range": [[2.0, 0.0, 0.0], [1.0, 1.0, 1.0]]},
        {"feature_range": [["0", 0.0, 0.0], [1.0, 1.0, 1.0]]},
        {"prediction_range": [[1.0], [0.0]]},
        {"prediction_range": [[1.0]]},
        {"label_range": [1.0, "2"]},
        {"standard_errors": [[0.1, 0.1, 0.1]]},
        {"intercepts": ["0"]},
        {"features": ["only one"]},
        {"features": 3},
        {"outcome": {"kind": "unheard"}},
        {"outcome": {"kind": "Fitted", "ignored": [], "half_widths": []}},
        {"outcome": {"kind": "degraded"}},
        {"outcome": []},
        {"privacy": {}},
        {"privacy": []},
    ],
    ids=str,
)
def test_wrong_parts(change: dict[str, Any], saved: dict[str, Any], tmp_path: Path):
    (tmp_path / "model.json").write_text(json.dumps(saved | change))
    assert "missing or wrong parts" in refusal(tmp_path / "model.json")


@pytest.mark.parametrize(
    "change",
    [
        {"guarantee": {"kind": "gaussian", "mu": -1.0}},
        {"guarantee": {"kind": "gaussian", "mu": "0"}},
        {"guarantee": {"kind": "gaussian", "sigma": 1.0}},
        {"guarantee": {"kind": "open"}},
        {"guarantee": {"kind": "GaussianDP", "mu": 0.1}},
        {"times": 0},
        {"times": -3},
        {"conditions": [{"text": "x", "provenance": "hoped"}]},
    ],
    ids=str,
)
def test_charges_that_no_fit_makes(change: dict[str, Any], saved: dict[str, Any], tmp_path: Path):
    privacy = saved["privacy"]
    charges = [privacy["charges"][0] | change, *privacy["charges"][1:]]
    (tmp_path / "model.json").write_text(json.dumps(saved | {"privacy": privacy | {"charges": charges}}))
    assert "missing or wrong parts" in refusal(tmp_path / "model.json")


# The first version


def test_a_regression_of_the_first_version_opens(tmp_path: Path):
    (tmp_path / "model.json").write_text(first_models.REGRESSION)
    model = load_model(tmp_path / "model.json")
    assert type(model) is PrivateRidge
    assert (model.epsilon, model.mechanism) == (5.0, "relative")
    assert model.coef_.tolist() == [0.9891260800521696, 1.9738639973388439]
    assert model.intercept_ == -0.012932370441268213
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.outcome_ == Fitted((), (3.5, 3.5))
    assert model.privacy_.simulated
    assert [(charge.guarantee, charge.times) for charge in model.privacy_.charges] == [
        (rg.GaussianDP(0.23710957380577855), 1),
        (ApproximateDP(0.5, 1e-07), 1),
        (Failure(1e-07), 1),
        (GaussianPairDP(0.2860991440877627, 0.0045095726300783566, 3), 6),
    ]
    assert [len(charge.conditions) for charge in model.privacy_.charges] == [2, 0, 0, 0]
    save_model(model, tmp_path / "again.json")
    assert load_model(tmp_path / "again.json").privacy_ == model.privacy_
    assert json.loads((tmp_path / "again.json").read_text())["version"] == VERSION


def test_a_regression_of_the_second_version_opens_and_clips_nothing(saved: dict[str, Any], tmp_path: Path):
    added = ("feature_range", "prediction_range", "label_range", "standard_errors", "intercepts")
    second = {name: value for name, value in saved.items() if name not in added} | {"version": 2}
    second |= {"coefficients": saved["coefficients"][0], "intercept": saved["intercepts"][0]}
    second["parameters"] = {
        name: value for name, value in saved["parameters"].items() if name != "clip_features"
    }
    (tmp_path / "model.json").write_text(json.dumps(second))
    model = load_model(tmp_path / "model.json")
    far = 1e6 * FEATURES[:5]
    assert model.predict(far) == pytest.approx(far @ model.coef_ + model.intercept_)
    assert not model.clip_features
    assert np.isnan(model.intervals_).all()
    save_model(model, tmp_path / "again.json")
    np.testing.assert_array_equal(load_model(tmp_path / "again.json").predict(far), model.predict(far))


def test_a_regression_of_the_third_version_opens_with_its_intervals(saved: dict[str, Any], tmp_path: Path):
    """It had one score, and numbers where there are lists of them now."""
    third = saved | {
        "version": 3,
        "coefficients": saved["coefficients"][0],
        "intercept": saved["intercepts"][0],
        "prediction_range": [end[0] for end in saved["prediction_range"]],
        "standard_errors": saved["standard_errors"][0],
    }
    for name, each in (("today", saved), ("third", third)):
        (tmp_path / f"{name}.json").write_text(json.dumps(each))
    model, today = (load_model(tmp_path / f"{name}.json") for name in ("third", "today"))
    np.testing.assert_array_equal(model.predict(FEATURES), today.predict(FEATURES))
    np.testing.assert_array_equal(model.intervals_, today.intervals_)


def test_a_classifier_of_the_first_version_opens(tmp_path: Path):
    (tmp_path / "model.json").write_text(first_models.CLASSIFIER)
    model = load_model(tmp_path / "model.json")
    assert type(model) is PrivateLogisticRegression
    assert model.predict([[0.0, 0.0]]).tolist() == ["yes"]
    assert model.outcome_ == Degraded(
        "50 records are too few for 2 features at this budget.", "Use at least 1,819 records."
    )
    assert model.privacy_.epsilon() <= 1


@pytest.mark.parametrize("name", ["PrivateRidge", "Fitted", "GaussianDP", "Failure"])
def test_the_first_version_knows_no_other_names(name: str, tmp_path: Path):
    (tmp_path / "model.json").write_text(first_models.REGRESSION.replace(f'"{name}"', '"gaussian"', 1))
    assert "'gaussian' is not known" in refusal(tmp_path / "model.json")


def test_a_file_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "folder.json").mkdir()
    for file in (tmp_path / "folder.json", tmp_path / "gone" / "model.json"):
        with pytest.raises(RelgaussError, match="cannot be written"):
            save_model(fitted(), file)


def test_an_ending_in_capitals_is_one_and_another_is_refused(tmp_path: Path):
    save_model(fitted(), tmp_path / "model.JSON")
    assert load_model(tmp_path / "model.JSON").coef_.shape == (3,)
    with pytest.raises(RelgaussError, match=r"a name that ends in \.json"):
        save_model(fitted(), tmp_path / "model.pkl")
    assert [file.name for file in tmp_path.iterdir()] == ["model.JSON"]
