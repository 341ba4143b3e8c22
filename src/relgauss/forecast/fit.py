"""What a private regression would be like, from the numbers of records and features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.budget import Budget
from relgauss.errors import InvalidParameterError
from relgauss.forecast.fit_forecast import FitForecast
from relgauss.forecast.made_up_records import simulate_fits
from relgauss.forecast.made_up_tables import Errors, Shape, best_slopes
from relgauss.linear_model.public_plan import least_signal

_MOST_EXPLAINED = 0.999
_ROUNDED = 0.006  # correlations may have been written with two digits


def forecast_fit(
    records: int,
    features: int,
    *,
    epsilon: float,
    delta: float,
    r2: float | None = None,
    correlation: float | ArrayLike = 0.0,
    feature_bounds: bool = False,
    label_bounds: bool = False,
    classes: int | bool = 0,
    errors: str = "even",
) -> FitForecast:
    """Forecast ``PrivateRidge`` or ``PrivateLogisticRegression`` from public numbers.

    It fits made-up records of the stated kind, with simulated noise, and reads nothing.

    Parameters
    ----------
    records, features
        Their numbers, which are public.
    epsilon, delta
        The budget of the whole fit.
    r2
        The share of the label's variance that the features are thought to explain; 0.5 if it is left out.
    correlation
        How much every two features are thought to correlate, as one number from 0 on: intervals grow with
        it. Or the matrix of all correlations, the label's as its last row and column: it tells slopes apart,
        and what the features explain. It is of values as the fit will clip them, without far outliers.
    feature_bounds, label_bounds
        Whether public bounds of all features, or of the label, will be stated.
    classes
        How many classes the label is one of, True for two; 0 if it is a number. Made-up ones are about as
        frequent as each other.
    errors
        "even" if labels lie about as far above as below what the features say; "skewed" if those on one side
        lie much farther, as amounts, counts and times do, and their logarithms if some are near zero:
        gradients are then clipped more on that side, and intervals are wider.

    Returns
    -------
    FitForecast
        How likely a model is, its error and its intervals, and what other budgets or more data would bring.

    Examples
    --------
    >>> forecast_fit(20_000, 10, epsilon=1.0, delta=1e-6).width
    """
    rows, columns = validate.count("records", records), validate.count("features", features)
    budget = Budget(epsilon, delta)
    related = _correlation(correlation, columns)
    shape = Shape(
        rows,
        columns,
        _explained(r2, related),
        related,
        bool(feature_bounds),
        bool(label_bounds),
        _classes(classes, related),
        _errors(errors),
    )
    least = least_signal(columns, columns + (not classes), shape.scores)
    curves = simulate_fits(shape, least)
    return FitForecast(budget=budget, shape=shape, curves=curves, least=least)


def _correlation(given: object, features: int) -> float | FloatArray:
    """One number for every two features, or a matrix that can be one of correlations."""
    if isinstance(given, int | float):
        return _share("correlation", given)
    fix = "Pass a number such as 0.3, or a symmetric matrix with ones on its diagonal, the label's row last."
    try:
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameterError("correlation", given, "a number or a matrix", fix) from None
    shaped = f"{features + 1} by {features + 1}"
    if matrix.shape != (features + 1, features + 1) or not np.all(np.isfinite(matrix)):
        raise InvalidParameterError("correlation", matrix.shape, f"{shaped} numbers", fix)
    alike = np.allclose(matrix, matrix.T, atol=_ROUNDED) and np.allclose(np.diag(matrix), 1.0, atol=_ROUNDED)
    if not alike or np.linalg.eigvalsh(matrix)[0] < -_ROUNDED * features:
        raise InvalidParameterError("correlation", shaped, "a matrix of correlations", fix)
    return (matrix + matrix.T) / 2


def _explained(r2: float | None, related: float | FloatArray) -> float:
    """What features explain: as stated, or as correlations say."""
    if isinstance(related, float):
        return _share("r2", 0.5 if r2 is None else r2)
    if r2 is not None:
        raise InvalidParameterError(
            "r2", r2, "left out beside a matrix of correlations", "It says so already."
        )
    return float(np.clip(best_slopes(related) @ related[:-1, -1], 0.0, _MOST_EXPLAINED))


def _classes(given: object, related: float | FloatArray) -> int:
    """Their number; more than two have no correlation with anything."""
    fix = "Pass how many there are, from 2 on; 0 for a label that is a number."
    if isinstance(given, bool):
        return 2 if given else 0
    found = 0 if isinstance(given, int) and given == 0 else validate.count("classes", given, fix)
    if found == 1:
        raise InvalidParameterError("classes", given, "0, or 2 or more", fix)
    if found > 2 and not isinstance(related, float):
        raise InvalidParameterError(
            "correlation",
            "a matrix",
            "one number for a label of more than two classes",
            "Such a label is no number that correlates: state how features correlate, and r2.",
        )
    return found


def _errors(given: object) -> Errors:
    if given == "even" or given == "skewed":
        return given
    raise InvalidParameterError("errors", given, "'even' or 'skewed'", "Counts and amounts are skewed.")


def _share(name: str, value: object) -> float:
    result = validate.number(name, value, "Pass a share such as 0.5.")
    if not 0 <= result < 1:
        raise InvalidParameterError(name, value, "0 or above, and below 1", "Pass a share such as 0.5.")
    return result
