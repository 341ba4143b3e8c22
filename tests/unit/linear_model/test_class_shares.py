"""Rare and misspelt classes: the released shares decide, and a constant is as rare as they are."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.descent.objectives import likely_shares
from relgauss.errors import InvalidValueError
from relgauss.linear_model import Degraded, Fitted, PrivateLogisticRegression, UnseenClassWarning
from relgauss.mechanisms.base import Mechanism
from relgauss.records import read_records


def visits(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.column_stack([rng.gamma(2.0, 5.0, n), rng.integers(0, 9, n), rng.normal(40, 12, n)])


def fit(seed: int, features: np.ndarray, labels: object, **options: object) -> PrivateLogisticRegression:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PrivateLogisticRegression(1.0, random_state=seed, **options).fit(features, labels)


@pytest.mark.parametrize("classes", [["No", "Yes"], ["A", "B", "C"]], ids=["two", "three"])
@pytest.mark.parametrize("count", [3_000, 20_000])
def test_misspelt_classes_give_no_model(classes: list[str], count: int):
    for seed in range(6):
        model = fit(seed, visits(np.random.default_rng(seed), count), np.full(count, "no"), classes=classes)
        assert isinstance(model.outcome_, Degraded)
        assert all(repr(each) in model.outcome_.reason for each in classes[1:])
        assert "spelt" in model.outcome_.fix
        assert model.predict_proba(np.zeros((1, 3)))[0, 0] > 0.99


def test_one_misspelt_class_of_several_is_named():
    rng = np.random.default_rng(5)
    features = visits(rng, 20_000)
    names = np.where(features[:, 0] + rng.normal(0, 3, 20_000) > 9, "high", "low")
    model = PrivateLogisticRegression(3.0, classes=["high", "low", "Mid"], random_state=0)
    with pytest.warns(UnseenClassWarning, match=r"'Mid'\. Check how classes are spelt"):
        model.fit(features, names)
    assert isinstance(model.outcome_, Fitted)
    assert model.outcome_.unseen_classes == ("Mid",)
    assert "'Mid'" in str(model.summary())


@pytest.mark.parametrize(
    ("spelt", "held"),
    [(["High", "low"], ["high", "low"]), (["High", "low", "mid"], ["high", "low", "mid"])],
    ids=["two", "three"],
)
@pytest.mark.parametrize("as_frame", [False, True])
def test_a_misspelt_first_class_shows_in_the_labels_that_are_none(
    spelt: list[str], held: list[str], as_frame: bool
):
    """Its records count as the first, so the model is the same; how many they are is told."""
    rng = np.random.default_rng(5)
    features = visits(rng, 20_000)
    wealth = features[:, 0] + rng.normal(0, 3, 20_000)
    labels = np.array(held)[np.digitize(wealth, [7.0, 12.0][: len(held) - 1])]
    none = float(np.mean(labels == "high"))
    right = fit(0, features, labels, classes=held)
    model = PrivateLogisticRegression(1.0, classes=None if as_frame else spelt, random_state=0)
    data: Any = (features, labels)
    if as_frame:
        frame = pd.DataFrame(features, columns=list("abc")).assign(held=labels)
        data = (read_records(frame, target="held", classes=spelt),)
    with pytest.warns(UnseenClassWarning, match=r"About \d+% of the labels are none of the classes"):
        model.fit(*data)
    assert isinstance(model.outcome_, Fitted)
    assert model.outcome_.no_class_share == pytest.approx(none, abs=0.01)
    assert np.array_equal(model.coef_, right.coef_)
    assert right.outcome_.no_class_share == 0
    assert "none of the classes" in str(model.summary())


def test_a_constant_tells_of_labels_that_are_none_of_the_classes():
    rng = np.random.default_rng(6)
    names = np.array(["high", "low"])[rng.integers(0, 2, 8_000)]
    model = fit(0, visits(rng, 8_000), names, classes=["High", "low"])
    assert isinstance(model.outcome_, Degraded)
    assert "none of the classes" in model.outcome_.reason
    assert "spelt" in model.outcome_.fix


def test_classes_that_are_read_from_the_labels_leave_none_over_and_pay_for_no_count():
    rng = np.random.default_rng(7)
    features = visits(rng, 20_000)
    labels = np.where(features[:, 0] + rng.normal(0, 3, 20_000) > 9, "high", "low")
    stages = [
        {charge.stage for charge in fit(0, features, labels, **options).privacy_.charges}
        for options in ({}, {"classes": ["high", "low"]})
    ]
    assert stages[1] - stages[0] == {"labels of no class"}


def test_a_constant_names_the_class_that_was_hardly_seen_too():
    """Features that say nothing are the reason, and a misspelt class may be what is behind it."""
    rng = np.random.default_rng(6)
    names = np.array(["high", "low"])[rng.integers(0, 2, 8_000)]
    model = fit(0, visits(rng, 8_000), names, classes=["high", "low", "Mid"])
    assert isinstance(model.outcome_, Degraded)
    assert "explain nothing" in model.outcome_.reason
    assert "Hardly any record was seen of 'Mid'." in model.outcome_.reason
    assert "spelt" in model.outcome_.fix


@pytest.mark.parametrize("share", [0.01, 0.003])
def test_features_that_say_nothing_give_no_model_of_a_rare_class(share: float):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        labels = (rng.random(20_000) < share).astype(int)
        model = fit(seed, visits(rng, 20_000), labels, classes=[0, 1])
        assert isinstance(model.outcome_, Degraded)
        assert model.predict_proba(np.zeros((1, 3)))[0, 1] < share + 0.007  # a floor of 0.02 would be above


def test_a_share_is_itself_where_it_is_clear_of_noise_and_about_the_noise_where_it_is_nothing():
    shares = likely_shares(np.array([0.5, 0.1, 0.0, -0.05, 0.999, 1.2]), 0.01)
    assert shares[:2] == pytest.approx([0.5, 0.1])
    assert 0.005 < shares[2] < 0.01
    assert 0 < shares[3] < 0.003
    assert 0.99 < shares[4] < 1
    assert 0.99 < shares[5] < 1


@pytest.mark.parametrize("kind", ["str", "string"])
def test_labels_of_a_type_of_text_are_refused_for_classes_that_are_numbers(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Mechanism, "release", None, raising=False)  # nothing may be spent
    labels = pd.Series(["no", "yes"] * 50, dtype=kind)
    with pytest.raises(InvalidValueError, match="both text"):
        PrivateLogisticRegression(1.0, classes=[0, 1]).fit(visits(np.random.default_rng(0), 100), labels)


def test_missing_numbers_of_a_nullable_type_are_numbers():
    labels = pd.Series([0, 1, None] * 40, dtype="Int64")
    with pytest.raises(InvalidValueError, match="both numbers"):
        PrivateLogisticRegression(1.0, classes=["no", "yes"]).fit(
            visits(np.random.default_rng(0), 120), labels
        )
