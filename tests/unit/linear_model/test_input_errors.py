"""What scikit-learn refuses is an error of relgauss, with what to do about it."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.errors import InvalidValueError, RelgaussError
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.linear_model.input_errors import WrongTypeError, in_our_words, of_label_types
from relgauss.mechanisms.base import Mechanism

N = 40
FEATURES = np.random.default_rng(0).normal(size=(N, 3))
FRAME = pd.DataFrame(FEATURES, columns=["a", "b", "c"])
LABELS = FEATURES[:, 0] * 1234.567
CLASSES = LABELS > 0

FITS: dict[str, tuple[Any, Any, str]] = {
    "names of two kinds": (FRAME.rename(columns={"b": 1}), LABELS, "columns.astype"),
    "no labels": (FEATURES, None, r"fit\(X, y\)"),
    "no records": (FEATURES[:0], LABELS[:0], "at least one record"),
    "no features": (FEATURES[:, :0], LABELS, "at least one feature"),
    "three axes": (FEATURES[:, :, None], LABELS, "a row for each record"),
    "fewer labels": (FEATURES, LABELS[1:], "a label for each record"),
    "two targets": (FEATURES, np.column_stack([LABELS, LABELS]), "one label for each record"),
    "a missing label": (FEATURES, np.where(CLASSES, LABELS, np.nan), r"y\.fillna\(0\)"),
    "an infinite label": (FEATURES, np.where(CLASSES, LABELS, np.inf), "leave such records out"),
    "a mapping": ({"a": [1.0]}, [1.0], r"pd\.DataFrame"),
    "a generator": ((row for row in FEATURES), LABELS, r"list\(records\)"),
    "cells that are mappings": (np.array([[{}] * 3] * N), LABELS, "matrix of numbers"),
    "ragged rows": ([[1.0], [1.0, 2.0]], [1.0, 2.0], "matrix"),
}


@pytest.fixture(autouse=True)
def nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mechanism, "release", None, raising=False)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize(("features", "labels", "fix"), FITS.values(), ids=FITS)
def test_each_error_of_a_fit_says_what_to_do(features: Any, labels: Any, fix: str):
    with pytest.raises(InvalidValueError, match=fix) as caught:
        PrivateRidge(1.0).fit(features, labels)
    assert str(caught.value).startswith(caught.value.cause)
    assert "\n" not in str(caught.value)
    assert str(LABELS[0])[:6] not in str(caught.value)


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_of_the_old_kind_is_named():
    with pytest.raises(InvalidValueError, match=r"np\.asarray\(X\)"):
        PrivateRidge(1.0).fit(np.asmatrix(FEATURES), LABELS)


@pytest.mark.parametrize(
    ("labels", "fix"),
    [
        (LABELS, "pass classes"),
        (np.where(CLASSES, b"yes", b"no"), "decode"),
        (np.array([2**70, "a"] * (N // 2), dtype=object), "all of them numbers"),
    ],
    ids=["measured", "bytes", "both kinds"],
)
def test_labels_that_are_no_classes_say_what_to_do(labels: Any, fix: str):
    with pytest.raises(InvalidValueError, match=fix):
        PrivateLogisticRegression(1.0).fit(FEATURES, labels)


@pytest.mark.parametrize(
    ("new", "fix"),
    [
        (FRAME[["c", "b", "a"]], "in its order: frame"),
        (FRAME[["a", "b"]], "in its order: frame"),
        (FRAME.rename(columns={"a": "A"}), "in its order: frame"),
        (FEATURES[:, :2], "columns of the fit, and no others"),
        (FRAME[:0], "at least one record"),
        ({"a": 1.0, "b": 2.0, "c": 3.0}, "pd.DataFrame"),
    ],
    ids=["order", "missing", "renamed", "width", "empty", "mapping"],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_each_error_of_a_prediction_says_what_to_do(new: Any, fix: str):
    model = PrivateRidge(1.0)
    model.feature_names_in_, model.n_features_in_ = np.array(["a", "b", "c"], dtype=object), 3
    model.coef_, model.intercept_, model.outcome_ = np.ones(3), 0.0, None
    with pytest.raises(InvalidValueError, match=fix):
        model.predict(new)


def test_a_message_that_is_not_known_is_never_passed_on():
    """It may quote a record, whatever is wrong."""
    for tell in (lambda error: in_our_words(error, ""), of_label_types):
        for kind in (ValueError, TypeError, OverflowError):
            assert "1234" not in str(tell(kind("cannot make sense of 1234.567")))


def test_an_error_for_types_is_both_and_can_be_pickled():
    error = in_our_words(TypeError("float() argument must be a string, not 'dict'"), "")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, WrongTypeError | RelgaussError)
    assert isinstance(again, TypeError)
    assert isinstance(again, ValueError)
    assert (str(again), again.fix) == (str(error), error.fix)
