"""Models as plain, versioned JSON, with their privacy statement: no pickle, nothing that can run."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.budget import PrivacyStatement
from relgauss.errors import InvalidParameterError, InvalidValueError, RelgaussError
from relgauss.linear_model.earlier_saved import bring_up_to_date
from relgauss.linear_model.logistic import PrivateLogisticRegression
from relgauss.linear_model.outcome import Degraded, Fitted
from relgauss.linear_model.ridge import PrivateRidge
from relgauss.linear_model.saved_parameters import saved_parameters, with_bounds
from relgauss.records.columns import checked_missing
from relgauss.writing import write_together

FORMAT = "relgauss linear model"
VERSION = 4
Model = PrivateRidge | PrivateLogisticRegression
Kind = TypeVar("Kind")

# Names in files: they never change, whatever the classes are called.
_MODELS: dict[str, type[Model]] = {"ridge": PrivateRidge, "logistic": PrivateLogisticRegression}
_OUTCOMES: dict[str, type[Fitted | Degraded]] = {"fitted": Fitted, "degraded": Degraded}
_SUFFIX = ".json"


def check_model_file(file: str | Path, name: str = "file") -> None:
    """Refuse a file that is not called as models are; the parameter's ``name`` is for the message."""
    if Path(file).suffix.lower() != _SUFFIX:
        raise InvalidParameterError(name, str(file), f"a name that ends in {_SUFFIX}", "Change its ending.")


def save_model(model: Model, file: str | Path, *, replace: bool = False) -> None:
    """Write a fitted model: what it predicts with, how it ended and what it cost.

    Parameters
    ----------
    model
        A fitted PrivateRidge or PrivateLogisticRegression.
    file
        Where to write it, with a name that ends in .json. The file appears as a whole, or not at all.
    replace
        Whether an older file is replaced, in one step; if not, it is left alone and an error raised.
    """
    if type(model) not in _MODELS.values():
        classes = " or a ".join(each.__name__ for each in _MODELS.values())
        fix = f"Save a {classes}."
        if isinstance(model, Pipeline):
            fix = "Save its last step, save_model(pipeline[-1], file); the others are public rules."
        raise InvalidValueError(f"A {type(model).__name__} cannot be saved.", fix)
    check_is_fitted(model)
    check_model_file(file)
    if not replace and Path(file).is_file():
        fix = "Choose another name, or pass replace=True."
        raise InvalidParameterError("file", str(file), "a file that does not exist yet", fix)
    parameters = saved_parameters(model.fitted_parameters_)
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "model": _name(type(model), _MODELS),
        "epsilon": parameters.pop("epsilon"),
        "delta": parameters.pop("delta"),
        "parameters": parameters,
        "features": _names(model),
        "reading": getattr(model, "reading_", None),
        "classes": np.asarray(getattr(model, "classes_", [])).tolist(),
        "coefficients": np.atleast_2d(model.coef_).tolist(),
        "intercepts": np.ravel(model.intercept_).tolist(),
        "feature_range": [_finite_or_none(each) for each in model.feature_range_],
        "prediction_range": [_finite_or_none(np.ravel(each)) for each in _prediction_range(model)],
        "label_range": _finite_or_none(getattr(model, "label_range_", [])),
        "standard_errors": [_finite_or_none(each) for each in np.atleast_2d(model.standard_errors_)],
        "outcome": {"kind": _name(type(model.outcome_), _OUTCOMES), **asdict(model.outcome_)},
        "cautions": list(model.cautions_),
        "privacy": model.privacy_.to_dict(),
    }
    text = json.dumps(saved, indent=2, allow_nan=False) + "\n"
    _model_from_dict(json.loads(text))  # what cannot be read back is not written
    write_together([(Path(file), lambda path: path.write_text(text, encoding="utf-8"))], replace=replace)


def load_model(file: str | Path) -> Model:
    """Read a model that ``save_model`` wrote.

    Parameters
    ----------
    file
        Where it was written.

    Returns
    -------
    PrivateRidge or PrivateLogisticRegression
        Fitted: it predicts, and says how it ended and what it cost.
    """
    saved = _read(Path(file))
    try:
        return _model_from_dict(saved if saved["version"] == VERSION else bring_up_to_date(saved))
    except RelgaussError as error:
        raise InvalidValueError(
            f"{file} is a saved model with missing or wrong parts: {error.cause}", "Save the model again."
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidValueError(
            f"{file} is a saved model with missing or wrong parts.", "Save the model again."
        ) from None


def _model_from_dict(saved: dict[str, Any]) -> Model:
    parameters = with_bounds(saved["parameters"])
    model = _named("model", saved["model"], _MODELS)(saved["epsilon"], saved["delta"], **parameters)
    model.fitted_parameters_ = {"epsilon": saved["epsilon"], "delta": saved["delta"], **parameters}
    if saved["reading"] is not None:
        booleans = saved["reading"].get("booleans")  # files written before do not have them
        model.reading_ = {
            "missing": checked_missing(saved["reading"]["missing"]),
            "categories": {str(name): list(each) for name, each in saved["reading"]["categories"].items()},
            "booleans": None if booleans is None else [str(name) for name in booleans],
        }
    scores = len(saved["intercepts"])
    coefficients = _table("coefficients", saved["coefficients"], scores)
    columns = coefficients.shape[1]
    intercepts = _table("intercepts", [saved["intercepts"]], 1)[0]
    names = saved["features"]
    if names is not None and len(names) != columns:
        raise ValueError("as many names as coefficients")
    low, high = _range("prediction_range", saved["prediction_range"], scores)
    model.feature_range_ = _range("feature_range", saved["feature_range"], columns)
    errors = _table("standard_errors", saved["standard_errors"], scores, math.nan)
    if errors.shape[1] != columns + 1:
        raise ValueError("a standard error for each coefficient and the intercept")
    if isinstance(model, PrivateLogisticRegression):
        model.classes_ = np.array(saved["classes"])
        if scores != (len(model.classes_) if len(model.classes_) > 2 else 1):
            raise ValueError("as many scores as classes")
        model.coef_, model.intercept_ = coefficients, intercepts
        model.score_range_ = (low, high) if scores > 1 else (float(low[0]), float(high[0]))
        model.standard_errors_ = errors if scores > 1 else errors[0]
    else:
        model.coef_, model.intercept_ = coefficients[0], float(intercepts[0])
        model.prediction_range_ = float(low[0]), float(high[0])
        model.label_range_ = _interval("label_range", saved["label_range"])
        model.standard_errors_ = errors[0]
    model.n_features_in_ = columns
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.outcome_ = _outcome_from_dict(saved["outcome"])
    model.cautions_ = [str(each) for each in saved.get("cautions", [])]
    model.privacy_ = PrivacyStatement.from_dict(saved["privacy"])
    return model


def _prediction_range(model: Model) -> tuple[Any, Any]:
    return model.prediction_range_ if isinstance(model, PrivateRidge) else model.score_range_


def _finite_or_none(values: Iterable[float]) -> list[float | None]:
    """Numbers for JSON, which has no infinity and no NaN."""
    return [float(value) if math.isfinite(value) else None for value in values]


def _numbers(what: str, values: list[float | None], missing: float) -> FloatArray:
    return np.array([missing if each is None else validate.number(what, each) for each in values])


def _table(
    what: str, lines: list[list[float | None]], count: int, missing: float | None = None
) -> FloatArray:
    """So many lines of numbers; a number may lack if ``missing`` stands for it."""
    if len(lines) != count or (missing is None and any(None in line for line in lines)):
        raise ValueError("as many lines as scores, and no number missing")
    return np.stack([_numbers(what, line, math.nan if missing is None else missing) for line in lines])


def _range(what: str, ends: list[list[float | None]], count: int) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper ends of so many ranges, infinite where there is none."""
    lower, upper = ends
    low, high = _numbers(what, lower, -math.inf), _numbers(what, upper, math.inf)
    if not (len(low) == len(high) == count and (low <= high).all()):
        raise ValueError("as many ranges as columns, each from low to high")
    return low, high


def _interval(what: str, ends: list[float | None]) -> tuple[float, float]:
    low, high = _range(what, [[each] for each in ends], 1)
    return float(low[0]), float(high[0])


def _outcome_from_dict(saved: dict[str, Any]) -> Fitted | Degraded:
    outside = tuple(validate.number("outside", each) for each in saved.get("outside", ()))
    robust = saved.get("robust_beyond")
    if _named("outcome", saved["kind"], _OUTCOMES) is Fitted:
        return Fitted(
            tuple(saved["ignored"]),
            tuple(saved["half_widths"]),
            ignored_names=tuple(saved.get("ignored_names", ())),
            unseen_classes=tuple(saved.get("unseen_classes", ())),
            no_class_share=validate.number("no_class_share", saved.get("no_class_share", 0.0)),
            no_intervals=saved.get("no_intervals", ""),
            outside=outside,
            robust_beyond=None if robust is None else validate.number("robust_beyond", robust),
            part_beyond=validate.number("part_beyond", saved.get("part_beyond", 0.0)),
        )
    away = saved.get("give_or_take")  # files written before do not have it
    return Degraded(
        saved["reason"],
        saved["fix"],
        tuple(saved.get("ignored", ())),
        outside,
        None if away is None else float(away),
        bool(saved.get("is_placed", True)),
        None if saved.get("clipped_to") is None else _interval("clipped_to", saved["clipped_to"]),
    )


def _name(kind: type, names: Mapping[str, type]) -> str:
    return next(name for name, each in names.items() if each is kind)


def _named(what: str, name: object, kinds: Mapping[str, type[Kind]]) -> type[Kind]:
    if isinstance(name, str) and name in kinds:
        return kinds[name]
    raise InvalidValueError(f"The {what} {name!r} is not known.", f"This relgauss reads {', '.join(kinds)}.")


def _names(model: Model) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _read(file: Path) -> dict[str, Any]:
    fix = "Pass a file that `relgauss fit --save` or save_model wrote."
    try:
        saved = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise InvalidValueError(f"{file} cannot be read.", "Check the path.") from None
    except (ValueError, RecursionError):  # no JSON, or brackets within brackets without end
        raise InvalidValueError(f"{file} is no saved model.", fix) from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise InvalidValueError(f"{file} is no saved model.", fix)
    version = saved.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise InvalidValueError(
            f"{file} has version {version!r}, this relgauss reads version {VERSION}, and those before it.",
            "Use the relgauss that wrote it.",
        )
    return saved
