"""Per-record losses of a linear score: how hard a record pulls its score."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.special import erfcx, expit, logit

from relgauss.arrays import FloatArray

_RARE = 0.02  # steps are not made for a class that is rarer than this
_SMALLEST = 2.0**-40  # a share that is exactly zero is one of no noise


def likely_shares(values: FloatArray, noise_std: float) -> FloatArray:
    """E[q | v], the mean of what a share q in [0, 1] may be, given v = q + noise of this std.

    That is v + s φ(v/s)/Φ(v/s) near zero, with s the noise's std, and alike near one: v itself where it is
    clear of the noise, and about the noise's own size where v is nothing.
    """
    near = np.minimum(values, 1 - values)
    scaled = near / max(noise_std, _SMALLEST)
    with np.errstate(over="ignore"):
        added = noise_std * np.sqrt(2 / np.pi) / erfcx(-scaled / np.sqrt(2))
    kept = np.clip(near + added, _SMALLEST, 0.5)
    return np.asarray(np.where(values > 0.5, 1 - kept, kept), dtype=np.float64)


class Objective(ABC):
    """loss(score, label), convex in the score.

    Labels are scaled to [-1, 1]. ``pull`` is minus the loss's derivative: a record's gradient is -pull · row.
    """

    name: str
    follows_label: bool  # whether scores are predictions of the label, in its units
    outputs: int = (
        1  # scores of a record, a row for each; theta holds the coefficients of one after the other
    )
    mixing: FloatArray = np.ones((1, 1))  # what a model's scores are of these

    def scores(self, features: FloatArray, theta: FloatArray) -> FloatArray:
        """x · theta for each row x; a row of them for each output, if there are several."""
        if self.outputs == 1:
            return features @ theta
        return theta.reshape(self.outputs, -1) @ features.T

    @abstractmethod
    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """Minus the derivative of each record's loss."""

    def size(self, scores: FloatArray, pull: FloatArray) -> FloatArray:
        """How hard each record may pull, in new memory: gradients are clipped by this and the row's norm."""
        return np.abs(pull)

    @abstractmethod
    def bend(self, scores: FloatArray) -> FloatArray:
        """The second derivative of each record's loss: how fast its pull falls as the score grows."""

    @abstractmethod
    def best_constant(self, mean_label: float, noise_std: float) -> FloatArray:
        """The constant score, or scores, that fit labels best whose mean was released with this noise."""

    def hardest_pull(self, mean_label: float) -> float:
        """The most that classes can pull where features have no say, for labels of this mean."""
        return 1.0

    @abstractmethod
    def curvature(self, mean_label: float) -> float:
        """The mean second derivative to expect, for labels of this mean, where features have no say."""

    def growth(self, mean_label: float) -> float:
        """How many times as large the curvature may become as scores spread: steps are made for that."""
        return 1.0


class Squared(Objective):
    """½ (label - score)²."""

    name = "squared"
    follows_label = True

    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """The residual: label minus score."""
        return labels - scores

    def bend(self, scores: FloatArray) -> FloatArray:
        """One at every score."""
        return np.ones_like(scores)

    def best_constant(self, mean_label: float, noise_std: float) -> FloatArray:
        """The mean label itself."""
        return np.array([mean_label])

    def curvature(self, mean_label: float) -> float:
        """One, whatever the labels."""
        return 1.0


class Logistic(Objective):
    """log(1 + e^score) - p · score, where p = (label + 1)/2 is 0 or 1."""

    name = "logistic"
    follows_label = False

    def hardest_pull(self, mean_label: float) -> float:
        """The pull of the rarer class where features have no say: what ``size`` is there."""
        share = (mean_label + 1) / 2
        return min(max(share, 1 - share), 1.0)

    def pull(self, scores: FloatArray, labels: FloatArray) -> FloatArray:
        """p minus the predicted probability."""
        residual: FloatArray = (labels + 1) / 2 - expit(scores)
        return residual

    def size(self, scores: FloatArray, pull: FloatArray) -> FloatArray:
        """As hard as a record of either class would pull there: max(p, 1 - p).

        A record then weighs the same whatever its class, and clipping moves no coefficient of a model that
        holds; clipped by their own pull, the surprising records would count too little.
        """
        own = np.abs(pull)
        either: FloatArray = np.maximum(own, 1 - own)
        return either

    def bend(self, scores: FloatArray) -> FloatArray:
        """p (1 - p), of the predicted probability."""
        chance = expit(scores)
        bend: FloatArray = chance * (1 - chance)
        return bend

    def best_constant(self, mean_label: float, noise_std: float) -> FloatArray:
        """The log-odds of the share that the mean label stands for."""
        constant: FloatArray = logit(likely_shares(np.array([(mean_label + 1) / 2]), noise_std / 2))
        return constant

    def curvature(self, mean_label: float) -> float:
        """p (1 - p) at the mean p: that of predictions with this mean is smaller, as p (1 - p) is concave."""
        mean = min(max((mean_label + 1) / 2, _RARE), 1 - _RARE)
        return mean * (1 - mean)

    def growth(self, mean_label: float) -> float:
        """2 for a rare class: most of its p (1 - p) comes to lie on few rows, those of large scores."""
        return 2 - 4 * self.curvature(mean_label)
