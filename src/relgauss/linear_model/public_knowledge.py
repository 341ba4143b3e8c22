"""What the user knows publicly: each piece spares a stage and its charge."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError

FeatureBounds = tuple[ArrayLike, ArrayLike] | Mapping[str, tuple[float, float]]

_RADII = (1e-6, 1e6)
_SHOWN = 10  # names in a message
_BOUNDS_FIX = (
    "Pass (low, high): two numbers, or two arrays with a number for each column, NaN where it is not known; "
    "or {name: (low, high)} for some columns."
)
LARGEST_BOUND = 1e70  # bounds, and the inverse of their widths, stay below this, so that no product overflows


@dataclass(frozen=True, eq=False)
class Preconditioner:
    """(x - mean) @ matrix is white for public data of this mean and of covariance (matrix matrixᵀ)⁻¹."""

    mean: FloatArray
    matrix: FloatArray


@dataclass(frozen=True, eq=False)
class PublicKnowledge:
    """Bounds [low, high] of features and label, a preconditioner, a clip radius, a proposed rho; or None.

    ``columns`` is the number of features. An end that is not known is infinite. Columns that are
    ``zero_or_one`` by the rule that makes them have bounds, and nothing to search for.
    """

    columns: int
    features: tuple[FloatArray, FloatArray] | None
    label: tuple[float, float] | None
    preconditioner: Preconditioner | None
    clip_radius: float | None
    rho: float | None
    zero_or_one: NDArray[np.bool_]

    @property
    def unknown_features(self) -> int:
        """How many features have a range that must be found, since an end of it is not known."""
        if self.preconditioner is not None:
            return 0
        return self.columns if self.features is None else int(np.count_nonzero(~self.are_bounded))

    @property
    def are_bounded(self) -> NDArray[np.bool_]:
        """Which features have two known ends."""
        if self.features is None:
            return np.zeros(self.columns, dtype=bool)
        return np.isfinite(self.features[0]) & np.isfinite(self.features[1])

    @property
    def searched_features(self) -> int:
        """How many features have a range that is searched for, be it within bounds."""
        return 0 if self.preconditioner is not None else int(np.count_nonzero(~self.zero_or_one))


def read_public_knowledge(
    names: Sequence[str],
    feature_bounds: FeatureBounds | None,
    label_bounds: tuple[float, float] | None,
    preconditioner: object,
    clip_radius: float | None,
    rho: float | None,
    zero_or_one: Collection[str] = (),
) -> PublicKnowledge:
    """Check what the user states about features of these names and a label; no record is looked at.

    ``zero_or_one`` are the features that are nothing else; bounds that are stated for them come first.
    """
    columns = len(names)
    features = None if feature_bounds is None else _feature_bounds(feature_bounds, names)
    low, high = features or (np.full(columns, -np.inf), np.full(columns, np.inf))
    free = np.array([name in zero_or_one for name in names]) & (low <= 0) & (high >= 1)
    if free.any():
        features = np.where(free, 0.0, low), np.where(free, 1.0, high)
    return PublicKnowledge(
        columns,
        features,
        None if label_bounds is None else _label_bounds(label_bounds),
        None if preconditioner is None else _preconditioner(preconditioner, columns),
        None if clip_radius is None else _clip_radius(clip_radius),
        None if rho is None else validate.positive("rho", rho, "Pass the eigenvalue bound to test, or None."),
        free,
    )


def _clip_radius(value: float) -> float:
    fix = "Pass the largest norm that a whitened row may keep, near the root of the number of columns."
    radius = validate.positive("clip_radius", value, fix)
    if not _RADII[0] <= radius <= _RADII[1]:
        raise InvalidParameterError("clip_radius", value, f"between {_RADII[0]:g} and {_RADII[1]:g}", fix)
    return radius


def _feature_bounds(bounds: object, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    given = _bounds_by_name(bounds, names) if isinstance(bounds, Mapping) else _bounds_in_order(bounds, names)
    for name, low, high in zip(names, *given, strict=True):
        if not _are_usable(low, high, or_unknown=True):
            requirement = f"low <= high, of sizes and width between {1 / LARGEST_BOUND} and {LARGEST_BOUND}"
            shown = float(low), float(high)
            raise InvalidParameterError(f"feature_bounds of {name!r}", shown, requirement, _BOUNDS_FIX)
    return given


def _bounds_in_order(bounds: object, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """The ends of all columns, from numbers or from arrays with one for each column.

    A pair for each of two columns would read as these too. A list of tuples is taken for such pairs, and so
    is whatever leaves a column without a width, where pairs would leave none.
    """
    try:
        low, high = cast(tuple[ArrayLike, ArrayLike], bounds)
        given = _ends(low, high, len(names))
    except (TypeError, ValueError):
        requirement = f"a pair for {len(names)} columns"
        raise InvalidParameterError("feature_bounds", bounds, requirement, _BOUNDS_FIX) from None
    if not len(names) == np.size(low) == np.size(high) == 2:
        return given
    pairs = np.array([np.ravel(low), np.ravel(high)], dtype=np.float64)
    is_list = isinstance(bounds, list) and all(isinstance(each, tuple) for each in bounds)
    firsts, seconds = _ends(pairs[:, 0], pairs[:, 1], 2)
    if is_list or ((given[0] >= given[1]).any() and (firsts < seconds).all()):
        named = ", ".join(f"{name!r}: ({a:g}, {b:g})" for name, (a, b) in zip(names, pairs, strict=True))
        raise InvalidParameterError(
            "feature_bounds",
            bounds,
            "all lows, then all highs, and no pair for each column",
            f"If these are pairs, name their columns: {{{named}}}. A constant column may be left out.",
        )
    return given


def _ends(low: ArrayLike, high: ArrayLike, columns: int) -> tuple[FloatArray, FloatArray]:
    """The lower and the upper ends of all columns, infinite where they are not known."""
    low, high = (np.broadcast_to(_numeric(end), (columns,)) for end in (low, high))
    return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _numeric(ends: ArrayLike) -> FloatArray:
    """Ends as doubles; NumPy would read texts as numbers, too."""
    if np.asarray(ends).dtype.kind in "USO" and any(isinstance(each, str) for each in np.ravel(ends)):
        raise TypeError("an end is a text")
    return np.asarray(ends, dtype=np.float64)


def _bounds_by_name(bounds: Mapping[str, object], names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """The ends of all columns; those without bounds have none."""
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, pair in bounds.items():
        if name not in names:
            shown = ", ".join(map(repr, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
            raise InvalidParameterError("feature_bounds", name, "a feature", f"The features are {shown}.")
        try:
            low[names.index(name)], high[names.index(name)] = map(_numeric, cast(tuple[float, float], pair))
        except (TypeError, ValueError):
            raise InvalidParameterError(
                f"feature_bounds of {name!r}", pair, "a pair of numbers", _BOUNDS_FIX
            ) from None
    return _ends(low, high, len(names))


def _are_usable(low: float, high: float, *, or_unknown: bool = False) -> bool:
    """Whether a column can be scaled to these bounds; equal ones mark a constant column.

    An end may be infinite where it is ``or_unknown``, but not both on one side.
    """
    if or_unknown and (low == -np.inf or high == np.inf):
        return low < high and all(abs(end) <= LARGEST_BOUND or np.isinf(end) for end in (low, high))
    return -LARGEST_BOUND <= low <= high <= LARGEST_BOUND and (low == high or high - low >= 1 / LARGEST_BOUND)


def _label_bounds(bounds: object) -> tuple[float, float]:
    fix = "Pass (low, high), two numbers."
    try:
        low, high = cast(tuple[float, float], bounds)
    except (TypeError, ValueError):
        raise InvalidParameterError("label_bounds", bounds, "a pair of numbers", fix) from None
    low, high = validate.number("label_bounds[0]", low, fix), validate.number("label_bounds[1]", high, fix)
    if low == high or not _are_usable(low, high):
        requirement = (
            f"a pair with low < high, of sizes and width between {1 / LARGEST_BOUND} and {LARGEST_BOUND}"
        )
        raise InvalidParameterError("label_bounds", bounds, requirement, fix)
    return low, high


def _preconditioner(given: object, columns: int) -> Preconditioner:
    """A covariance, or a mean and a covariance."""
    mean, covariance = given if isinstance(given, tuple) and len(given) == 2 else (np.zeros(columns), given)
    fix = "Pass a covariance matrix of public data, or (mean, covariance), in the features' units."
    numbers = [_numbers(each) for each in (mean, covariance)]
    shown = f"arrays of shapes {numbers[0].shape}, {numbers[1].shape}"
    for each, shape in zip(numbers, ((columns,), (columns, columns)), strict=True):
        if each.shape != shape or not (np.abs(each) <= LARGEST_BOUND).all():
            requirement = f"of {columns} columns, with numbers up to {LARGEST_BOUND}"
            raise InvalidParameterError("preconditioner", shown, requirement, fix)
    matrix = numbers[1]
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    least = max(1e-14 * values[-1], 1 / LARGEST_BOUND)
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=0) or not values[0] > least:
        raise InvalidParameterError("preconditioner", shown, "symmetric and positive definite", fix)
    return Preconditioner(numbers[0], vectors / np.sqrt(values))


def _numbers(value: object) -> FloatArray:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)
