"""What every method is given, and how its answer is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EPSILONS, DELTA = (0.1, 0.3, 1.0, 3.0), 1e-6
CONSTANT = 1.05  # an excess above this is worse than predicting the mean


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted line in the units of the task, with what features and predictions are clipped to."""

    coefficients: np.ndarray
    intercept: float
    feature_range: tuple[np.ndarray, np.ndarray] | None = None
    prediction_range: tuple[float, float] = (-np.inf, np.inf)

    def predict(self, features: np.ndarray) -> np.ndarray:
        """Predictions, clipped as the model says."""
        if self.feature_range is not None:
            features = features.clip(*self.feature_range)
        return (features @ self.coefficients + self.intercept).clip(*self.prediction_range)


@dataclass(frozen=True, eq=False)
class Task:
    """Records to fit, and the two numbers that an error is measured against.

    ``least`` is the training error of unregularised least squares with an intercept, ``variance`` that of the
    mean; ``row_norm`` is the largest norm of a row.
    """

    name: str
    features: np.ndarray
    labels: np.ndarray
    row_norm: float
    least: float
    variance: float

    @classmethod
    def of(cls, name: str, features: np.ndarray, labels: np.ndarray) -> Task:
        """Solve least squares in units in which no column dwarfs another."""
        spread = features.std(axis=0)
        scaled = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        centred = labels - labels.mean()
        residual = centred - scaled @ np.linalg.lstsq(scaled, centred, rcond=None)[0]
        norm = float(np.linalg.norm(features, axis=1).max())
        return cls(name, features, labels, norm, float(np.mean(residual**2)), float(labels.var()))

    @property
    def count(self) -> int:
        """The number of records."""
        return len(self.labels)

    def bounded(self) -> Task:
        """The bounded protocol: features and label scaled to [-1, 1] by their minima and maxima."""
        return Task.of(self.name, _to_unit(self.features), _to_unit(self.labels[:, None])[:, 0])

    def excess(self, model: Model) -> float:
        """(error - least)/(variance - least): 0 for least squares, 1 for the mean, below 0 for better."""
        error = np.mean((model.predict(self.features) - self.labels) ** 2)
        return float((error - self.least) / (self.variance - self.least))


def _to_unit(values: np.ndarray) -> np.ndarray:
    low, high = values.min(axis=0), values.max(axis=0)
    return 2 * (values - low) / np.where(high > low, high - low, 1.0) - 1
