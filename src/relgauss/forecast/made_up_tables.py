"""Made-up tables for regressions: features that correlate as stated, and a label that they explain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import softmax, stdtr

from relgauss.arrays import FloatArray

_SKEW = 0.5  # features are lognormal with this spread: the default form of values in forecasts of means
_FREEDOM = 5  # of Student's t, by which errors are drawn
_GROWTH, _LEAST_LEVEL = 0.5, 0.1  # skewed errors grow by half for each spread of predictions, down to a tenth
_NO_SIGNAL = 1e-9
_TAIL = 0.2  # of the logarithm of a factor that a whole row has in common
_LEAST_EIGENVALUE = 1e-4  # of correlations, relative to the largest: below it columns depend on each other


Errors = Literal["even", "skewed"]
"""As far above as below; or with a long tail on one side, that grows with what is predicted."""


@dataclass(frozen=True, eq=False)
class Shape:
    """What is stated of a table: public numbers, and how well features explain the label.

    Attributes
    ----------
    rows, features
        The numbers of records and of features.
    r2
        The share of the label's variance that features explain.
    correlation
        The correlation of every two features; or a matrix of all, the label as its last row and column.
    feature_bounds, label_bounds
        Whether public bounds will be stated.
    classes
        How many classes the label is one of; 0 if it is a number.
    errors
        How far labels lie from what features say: "even" or "skewed".
    """

    rows: int
    features: int
    r2: float
    correlation: float | FloatArray
    feature_bounds: bool
    label_bounds: bool
    classes: int
    errors: Errors

    @property
    def scores(self) -> int:
        """The numbers that a fit predicts of a record: one less than there are classes, and one at least."""
        return max(self.classes - 1, 1)

    @property
    def classes_text(self) -> str:
        """What is made up of classes, where there are any: rare ones need more records than is forecast."""
        if not self.classes:
            return ""
        return f", {self.classes} classes about as frequent as each other (a rare one needs more records)"

    @property
    def tells_slopes_apart(self) -> bool:
        """Whether a matrix of correlations was stated."""
        return not isinstance(self.correlation, float)


@dataclass(frozen=True, eq=False)
class MadeUpTable:
    """Records, and the error of the best line on them.

    Of classes also the ``chances`` of each, a row for each record: errors are measured by these, since those
    of the labels that came would hide small ones.
    """

    features: FloatArray
    labels: FloatArray
    best: float
    chances: FloatArray


def make_up_table(shape: Shape, rows: int, rng: np.random.Generator) -> MadeUpTable:
    """Features that correlate as stated, a label in which all of them count, errors with long tails."""
    features = _made_up_features(shape, rows, rng)
    features = (features - features.mean(axis=0)) / features.std(axis=0)
    if shape.classes > 2:
        return _made_up_classes(shape, features, rng)
    signal = features @ _made_up_slopes(shape, rng)
    signal *= math.sqrt(shape.r2) / signal.std()
    levels = _levels(shape, signal)
    latent = signal + levels * _made_up_errors(shape, rows, rng)
    if shape.classes:
        second = _chances_above(shape, -signal / levels)
        return _with_chances(features, (latent > 0).astype(np.float64), np.column_stack([1 - second, second]))
    design = np.column_stack([features, np.ones(rows)])
    solution = np.linalg.lstsq(design, latent, rcond=None)[0]
    best = float(np.mean((latent - design @ solution) ** 2) / latent.var())
    return MadeUpTable(features, latent, best, np.empty((rows, 0)))


def _with_chances(features: FloatArray, labels: FloatArray, chances: FloatArray) -> MadeUpTable:
    return MadeUpTable(features, labels, float(np.mean(1 - chances.max(axis=1))), chances)


def _levels(shape: Shape, signal: FloatArray) -> FloatArray:
    """How large the errors of each record are: all alike, or larger where more is predicted."""
    levels = np.ones(len(signal))
    if shape.errors == "skewed":
        grown = 1 + _GROWTH * signal / max(float(signal.std()), _NO_SIGNAL)
        levels = np.maximum(grown, _LEAST_LEVEL)
    return np.asarray(levels * math.sqrt((1 - shape.r2) / np.mean(levels**2)))


def _made_up_errors(shape: Shape, rows: int, rng: np.random.Generator) -> FloatArray:
    """Errors of variance 1: with long tails on both sides; or of one."""
    if shape.errors == "even":
        return rng.standard_t(_FREEDOM, rows) * math.sqrt((_FREEDOM - 2) / _FREEDOM)
    return rng.standard_exponential(rows) - 1


def _chances_above(shape: Shape, least: FloatArray) -> FloatArray:
    """How often such an error is above these."""
    if shape.errors == "even":
        chances: FloatArray = stdtr(_FREEDOM, -least * math.sqrt(_FREEDOM / (_FREEDOM - 2)))
        return chances
    return np.asarray(np.exp(-np.maximum(least + 1, 0.0)))


def _made_up_classes(shape: Shape, features: FloatArray, rng: np.random.Generator) -> MadeUpTable:
    """The class of the largest score: what features say of it, and an error of Gumbel's law."""
    signals = features @ rng.choice([-1.0, 1.0], (shape.features, shape.classes))
    signals *= math.sqrt(shape.r2) / signals.std(axis=0)
    unit = math.sqrt(1 - shape.r2) * math.sqrt(6) / math.pi
    labels = (signals + unit * rng.gumbel(size=signals.shape)).argmax(axis=1)
    return _with_chances(features, labels.astype(np.float64), softmax(signals / unit, axis=1))


def _made_up_features(shape: Shape, rows: int, rng: np.random.Generator) -> FloatArray:
    """Skewed features that correlate alike; or ones as a matrix has it, with somewhat long tails."""
    own = rng.standard_normal((rows, shape.features))
    if isinstance(shape.correlation, float):
        common = rng.standard_normal((rows, 1))
        normal = math.sqrt(shape.correlation) * common + math.sqrt(1 - shape.correlation) * own
        return np.asarray(np.exp(_SKEW * normal))
    values, vectors = np.linalg.eigh(shape.correlation[:-1, :-1])
    kept = np.where(values > _LEAST_EIGENVALUE * values[-1], values, 0.0)  # columns that add up to another
    normal = own @ (vectors * np.sqrt(kept)).T
    # One factor for a whole row makes tails longer and leaves correlations as they are.
    return np.asarray(normal * np.exp(_TAIL * rng.standard_normal((rows, 1))))


def _made_up_slopes(shape: Shape, rng: np.random.Generator) -> FloatArray:
    """Slopes up to a common factor: all alike, of either sign; or those of a matrix of correlations."""
    if isinstance(shape.correlation, float):
        return rng.choice([-1.0, 1.0], shape.features)
    return best_slopes(shape.correlation)


def best_slopes(correlations: FloatArray) -> FloatArray:
    """The slopes of least squares in spreads, from correlations whose last row is the label's."""
    return np.asarray(inverse_of(correlations[:-1, :-1]) @ correlations[:-1, -1])


def inverse_of(correlations: FloatArray) -> FloatArray:
    """The inverse in the directions that features span: columns may add up to another."""
    return np.asarray(np.linalg.pinv(correlations, rcond=_LEAST_EIGENVALUE, hermitian=True))
