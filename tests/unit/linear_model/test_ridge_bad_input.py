"""Bad input to private linear models: one clear message, before any noise is drawn."""

import math
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from relgauss.bounded import clipped_mean
from relgauss.errors import InvalidValueError
from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.mechanisms.base import Mechanism
from relgauss.noise import discrete_laplace, lattice, simulated

FEATURES = np.random.default_rng(0).normal(size=(50, 2))
LABELS = FEATURES @ [1.0, 2.0]
MECHANISMS = ["clipped", "public-iterate", "isometric", "relative"]


@pytest.fixture(autouse=True)
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever draws noise, secure or simulated, fails the test."""

    def drawn(*arguments: Any, **options: Any) -> None:
        pytest.fail("noise was drawn before the input was refused")

    monkeypatch.setattr(Mechanism, "release", drawn)
    monkeypatch.setattr(lattice, "add_discrete_gaussian", drawn)
    monkeypatch.setattr(discrete_laplace, "draw", drawn)
    monkeypatch.setattr(simulated, "gaussian", drawn)
    monkeypatch.setattr(simulated, "discrete_laplace", drawn)


def refused(model: Any, features: Any = FEATURES, labels: Any = LABELS) -> str:
    """The message; nothing is fitted and nothing is charged."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - callers look at the message
        model.fit(features, labels)
    assert not hasattr(model, "privacy_")
    assert not hasattr(model, "coef_")
    return str(caught.value)


PARAMETERS = [
    ("epsilon", 0),
    ("epsilon", -1.0),
    ("epsilon", math.inf),
    ("epsilon", math.nan),
    ("epsilon", "1"),
    ("epsilon", None),
    ("delta", 0),
    ("delta", 1),
    ("delta", -1e-6),
    ("delta", math.nan),
    ("alpha", -1.0),
    ("alpha", math.nan),
    ("alpha", math.inf),
    ("alpha", None),
    ("alpha", 1e300),
    ("alpha", 1e-300),
    ("feature_bounds", 3.0),
    ("feature_bounds", (1.0,)),
    ("feature_bounds", (1.0, 0.0)),
    ("feature_bounds", ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])),
    ("feature_bounds", (math.inf, math.inf)),
    ("feature_bounds", (-math.inf, -math.inf)),
    ("feature_bounds", (1e300, math.inf)),
    ("feature_bounds", {"no column": (0.0, 1.0)}),
    ("feature_bounds", {"x0": 3.0}),
    ("feature_bounds", {"x0": (1.0, 0.0)}),
    ("feature_bounds", {"x0": ("a", "b")}),
    ("feature_bounds", ("a", "b")),
    ("feature_bounds", (1e308, 1.7e308)),
    ("feature_bounds", (0.0, 1e-320)),
    ("preconditioner", np.eye(3)),
    ("preconditioner", np.ones((2, 2))),
    ("preconditioner", [[1.0, 2.0], [0.0, 1.0]]),
    ("preconditioner", -np.eye(2)),
    ("preconditioner", np.zeros((2, 2))),
    ("preconditioner", [[math.nan, 0.0], [0.0, 1.0]]),
    ("preconditioner", "eye"),
    ("preconditioner", 2.0),
    ("preconditioner", 1e-320 * np.eye(2)),
    ("preconditioner", 1.7e308 * np.eye(2)),
]
RIDGE_ONLY = [
    ("mechanism", "gaussian"),
    ("mechanism", None),
    ("mechanism", ""),
    ("label_bounds", 3.0),
    ("label_bounds", (0.0, 0.0)),
    ("label_bounds", (1.0, 0.0)),
    ("label_bounds", (0.0, math.nan)),
    ("label_bounds", (0.0, math.inf)),
    ("label_bounds", ("a", "b")),
    ("label_bounds", (1e308, 1.7e308)),
    ("clip_radius", 0.0),
    ("clip_radius", -1.0),
    ("clip_radius", math.inf),
    ("clip_radius", "2"),
    ("clip_radius", 1e100),
    ("clip_radius", 1e-100),
    ("rho", 0.0),
    ("rho", -1.0),
    ("rho", math.nan),
    ("rho", "half"),
]


@pytest.mark.parametrize(("name", "value"), PARAMETERS + RIDGE_ONLY)
@pytest.mark.parametrize("random_state", [None, 0])
def test_a_bad_parameter_is_named_before_noise_is_drawn(name: str, value: Any, random_state: int | None):
    message = refused(PrivateRidge(**{name: value, "random_state": random_state}))
    assert name in message


@pytest.mark.parametrize(("name", "value"), PARAMETERS)
def test_a_bad_parameter_of_a_classifier_is_named(name: str, value: Any):
    assert name in refused(PrivateLogisticRegression(**{name: value}), labels=LABELS > 0)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(("name", "value"), [("rho", -1.0), ("clip_radius", 1e100), ("epsilon", math.inf)])
def test_every_mechanism_checks_its_parameters(mechanism: str, name: str, value: float):
    assert name in refused(PrivateRidge(**{"mechanism": mechanism, name: value}))


def with_entry(value: Any) -> np.ndarray:
    features = FEATURES.astype(object) if isinstance(value, str) else FEATURES.copy()
    features[3, 1] = value
    return features


BAD_DATA = {
    "text": (with_entry("blue"), LABELS, "holds text where numbers are needed"),
    "NaN": (with_entry(math.nan), LABELS, "NaN"),
    "infinity": (with_entry(math.inf), LABELS, "infinity"),
    "labels of NaN": (FEATURES, np.where(np.arange(50) == 7, math.nan, LABELS), "NaN"),
    "labels of infinity": (FEATURES, np.where(np.arange(50) == 7, -math.inf, LABELS), "infinity"),
    "labels of text": (FEATURES, np.array(["x"] * 50), "holds text where numbers are needed"),
    "too few labels": (FEATURES, LABELS[:-1], "inconsistent numbers of samples"),
    "two labels each": (FEATURES, np.column_stack([LABELS, LABELS]), "1d array"),
    "no labels": (FEATURES, None, "requires y"),
    "no rows": (FEATURES[:0], LABELS[:0], "0 sample"),
    "no columns": (FEATURES[:, :0], LABELS, "0 feature"),
    "one dimension": (LABELS, LABELS, "Expected 2D array"),
    "complex": (FEATURES + 1j, LABELS, "Complex"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_is_refused_before_noise_is_drawn(name: str):
    features, labels, message = BAD_DATA[name]
    with pytest.raises(ValueError, match=message):
        PrivateRidge().fit(features, labels)


@pytest.mark.parametrize("name", ["NaN", "infinity"])
def test_messages_never_show_a_record(name: str):
    features, labels, _ = BAD_DATA[name]
    text = refused(PrivateRidge(), features * 1234.5678, labels)
    assert "1234" not in text


def test_labels_without_classes_are_refused():
    assert "ontinuous" in refused(PrivateLogisticRegression(), labels=LABELS)


@pytest.mark.parametrize("random_state", ["seed", -1, 0.5, object()])
def test_a_bad_random_state_is_refused(random_state: Any):
    """Above all it never falls back to secure noise, nor to another seed."""
    with pytest.raises((ValueError, TypeError)):
        PrivateRidge(random_state=random_state).fit(FEATURES, LABELS)


def test_prediction_needs_a_fit_and_its_columns():
    with pytest.raises(ValueError, match="not fitted"):
        PrivateRidge().predict(FEATURES)
    with pytest.raises(ValueError, match="not fitted"):
        PrivateLogisticRegression().predict_proba(FEATURES)


def test_an_error_does_not_quote_a_record():
    table = pd.DataFrame({"age": [30, "Alice Smith"], "height": [1.7, 1.8]})
    with pytest.raises(InvalidValueError) as caught:
        PrivateRidge().fit(table, [1.0, 2.0])
    assert "Alice" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("model", [PrivateRidge, PrivateLogisticRegression])
def test_masked_arrays_are_refused_by_their_type(model: Any, mask: bool):
    """Whether or not something is masked: scikit-learn would read what lies under the mask."""
    masked = np.ma.array(FEATURES * 4711, mask=mask), np.ma.array(np.arange(50) % 2, mask=mask)
    for features, labels in ((masked[0], np.arange(50) % 2), (FEATURES, masked[1])):
        with pytest.raises(InvalidValueError, match="masked array") as caught:
            model().fit(features, labels)
        with pytest.raises(InvalidValueError, match="masked array"):
            PrivateLogisticRegression(classes=[0, 1]).fit(features, labels)
        assert "4711" not in str(caught.value)
    with pytest.raises(InvalidValueError, match="not an array of real numbers"):
        clipped_mean(masked[0], 1.0)


def test_a_label_that_no_double_holds_is_refused():
    """As a longdouble it is finite."""
    labels = LABELS.astype(np.longdouble)
    labels[3] = np.longdouble("1e4000")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "too large for dtype('float64')" in refused(PrivateRidge(), labels=labels)


@pytest.mark.parametrize("features", [FEATURES + 4711j, FEATURES[:, 0] + 4711])
def test_arrays_are_not_quoted(features: np.ndarray):
    fitted = PrivateRidge()
    fitted.coef_, fitted.intercept_, fitted.n_features_in_ = np.zeros(2), 0.0, 2
    for run in (lambda: PrivateRidge().fit(features, LABELS), lambda: fitted.predict(features)):
        with pytest.raises(InvalidValueError) as caught:
            run()
        assert "47" not in str(caught.value)


@pytest.mark.parametrize("cell", [Decimal("sNaN"), Decimal("NaN"), Decimal("Infinity"), Decimal("1e999")])
@pytest.mark.parametrize("in_labels", [False, True])
def test_a_decimal_that_is_no_number_is_refused_in_our_words(cell: Decimal, in_labels: bool):
    cells = pd.Series([Decimal(1)] * 49 + [cell], dtype=object)
    features = FEATURES if in_labels else pd.DataFrame({"x": cells})
    assert "Decimal" not in refused(PrivateRidge(), features, cells if in_labels else LABELS)
