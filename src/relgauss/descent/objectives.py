"""Per-record losses of a linear score: how hard a record pulls its score."""

from __future__ import annotations

from abc import ABC, abstractmethod

from scipy.special import expit, logit

from relgauss.arrays import FloatArray

_RARE = 0.02  # a class is not taken to be rarer than this


class Objective(ABC):
    """loss(score, label), convex in the score.

    Labels are scaled to [-1, 1]. ``pull`` is minus the loss's derivative: a record's gradient is -pull · row.
    """

    name: str
    follows_label: bool  # whether scores are predictions of the label, in its units

    @abstractmethod
    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """Minus the derivative of each record's loss."""

    @abstractmethod
    def best_constant(self, mean_label: float) -> float:
        """The constant score that fits labels of this mean best."""

    @abstractmethod
    def curvature(self, mean_label: float) -> float:
        """The mean second derivative to expect, for labels of this mean: steps are made for it."""


class Squared(Objective):
    """½ (label - score)²."""

    name = "squared"
    follows_label = True

    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """The residual: label minus score."""
        return labels - scores

    def best_constant(self, mean_label: float) -> float:
        """The mean label itself."""
        return mean_label

    def curvature(self, mean_label: float) -> float:
        """One, whatever the labels."""
        return 1.0


class Logistic(Objective):
    """log(1 + e^score) - p · score, where p = (label + 1)/2 is 0 or 1."""

    name = "logistic"
    follows_label = False

    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """p minus the predicted probability."""
        residual: FloatArray = (labels + 1) / 2 - expit(scores)
        return residual

    def best_constant(self, mean_label: float) -> float:
        """The log-odds of the mean label."""
        return float(logit(_probability(mean_label)))

    def curvature(self, mean_label: float) -> float:
        """p (1 - p) at the mean p: that of predictions with this mean is smaller, as p (1 - p) is concave."""
        mean = _probability(mean_label)
        return mean * (1 - mean)


def _probability(mean_label: float) -> float:
    return min(max((mean_label + 1) / 2, _RARE), 1 - _RARE)
