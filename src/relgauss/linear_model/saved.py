"""Models as plain, versioned JSON, with their privacy statement: no pickle, nothing that can run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from relgauss import validate
from relgauss.accounting import ApproximateDP, Failure, GaussianDP, GaussianPairDP, Guarantee
from relgauss.budget import Charge, Condition, PrivacyStatement
from relgauss.errors import InvalidValueError
from relgauss.linear_model.logistic import PrivateLogisticRegression
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.linear_model.ridge import PrivateRidge
from relgauss.writing import write_together

FORMAT = "relgauss linear model"
VERSION = 1
Model = PrivateRidge | PrivateLogisticRegression

_MODELS: dict[str, type[Model]] = {
    "PrivateRidge": PrivateRidge,
    "PrivateLogisticRegression": PrivateLogisticRegression,
}
_PARAMETERS = ("alpha", "fit_intercept", "mechanism")
_GUARANTEES: dict[str, type[Guarantee]] = {
    each.__name__: each for each in (ApproximateDP, Failure, GaussianDP, GaussianPairDP)
}


def save_model(model: Model, file: str | Path, *, replace: bool = True) -> None:
    """Write a fitted model: what it predicts with, how it ended and what it cost.

    The file appears as a whole; an older one is replaced in one step or, without ``replace``, left alone.
    """
    if type(model).__name__ not in _MODELS:
        raise InvalidValueError(
            f"A {type(model).__name__} cannot be saved.", f"Save a {' or a '.join(_MODELS)}."
        )
    check_is_fitted(model)
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "model": type(model).__name__,
        "epsilon": model.epsilon,
        "delta": model.delta,
        "parameters": {name: getattr(model, name) for name in _PARAMETERS if hasattr(model, name)},
        "features": _names(model),
        "reading": getattr(model, "reading_", None),
        "classes": np.asarray(getattr(model, "classes_", [])).tolist(),
        "coefficients": np.ravel(model.coef_).tolist(),
        "intercept": float(np.ravel(model.intercept_)[0]),
        "outcome": {"kind": type(model.outcome_).__name__, **asdict(model.outcome_)},
        "privacy": _statement_to_dict(model.privacy_),
    }
    text = json.dumps(saved, indent=2, allow_nan=False) + "\n"
    write_together([(Path(file), lambda path: path.write_text(text, encoding="utf-8"))], replace=replace)


def load_model(file: str | Path) -> Model:
    """Read a model that ``save_model`` wrote."""
    saved = _read(Path(file))
    try:
        return _model_from_dict(saved)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidValueError(
            f"{file} is a saved model with missing or wrong parts.", "Save the model again."
        ) from None


def _model_from_dict(saved: dict[str, Any]) -> Model:
    model = _MODELS[saved["model"]](saved["epsilon"], saved["delta"], **saved["parameters"])
    if saved["reading"] is not None:
        model.reading_ = {
            "missing": validate.number("missing", saved["reading"]["missing"]),
            "categories": {str(name): list(each) for name, each in saved["reading"]["categories"].items()},
        }
    coefficients = np.array([validate.number("coefficients", each) for each in saved["coefficients"]])
    intercept = validate.number("intercept", saved["intercept"])
    names = saved["features"]
    if names is not None and len(names) != len(coefficients):
        raise ValueError("as many names as coefficients")
    if isinstance(model, PrivateLogisticRegression):
        model.classes_ = np.array(saved["classes"])
        model.coef_, model.intercept_ = coefficients[None, :], np.array([intercept])
    else:
        model.coef_, model.intercept_ = coefficients, intercept
    model.n_features_in_ = len(coefficients)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    outcome = dict(saved["outcome"])
    if outcome.pop("kind") == Degraded.__name__:
        model.outcome_ = Degraded(**outcome)
    else:
        model.outcome_ = Fitted(tuple(outcome["ignored"]), tuple(outcome["half_widths"]))
    model.privacy_ = _statement_from_dict(saved["privacy"])
    return model


def _names(model: Model) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _statement_to_dict(statement: PrivacyStatement) -> dict[str, Any]:
    return {
        "delta": statement.delta,
        "simulated": statement.simulated,
        "unit": statement.unit,
        "neighbours": statement.neighbours,
        "charges": [
            {
                "stage": charge.stage,
                "guarantee": {"kind": type(charge.guarantee).__name__, **_fields(charge.guarantee)},
                "theorem": charge.theorem,
                "conditions": [asdict(condition) for condition in charge.conditions],
                "times": charge.times,
            }
            for charge in statement.charges
        ],
    }


def _fields(guarantee: Guarantee) -> dict[str, Any]:
    """The fields of a guarantee, all plain numbers."""
    return asdict(guarantee)  # type: ignore[call-overload, no-any-return]


def _statement_from_dict(saved: dict[str, Any]) -> PrivacyStatement:
    charges = []
    for charge in saved["charges"]:
        fields = dict(charge["guarantee"])
        guarantee = _GUARANTEES[fields.pop("kind")](**fields)
        conditions = tuple(Condition(**condition) for condition in charge["conditions"])
        charges.append(Charge(charge["stage"], guarantee, charge["theorem"], conditions, charge["times"]))
    return PrivacyStatement(
        tuple(charges), saved["delta"], saved["simulated"], saved["unit"], saved["neighbours"]
    )


def _read(file: Path) -> dict[str, Any]:
    fix = "Pass a file that `relgauss fit --save` or save_model wrote."
    try:
        saved = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise InvalidValueError(f"{file} cannot be read.", "Check the path.") from None
    except ValueError:
        raise InvalidValueError(f"{file} is no saved model.", fix) from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise InvalidValueError(f"{file} is no saved model.", fix)
    if saved.get("version") != VERSION:
        raise InvalidValueError(
            f"{file} has version {saved.get('version')}, this relgauss reads version {VERSION}.",
            "Use the relgauss that wrote it.",
        )
    return saved
