"""When a model is seen to be better than a constant: through noise, and beyond what fits to nothing gain.

A model fits its own records a little, whatever they are: least squares on d features that say nothing errs
less than the mean by σ² χ²_d/n, and a classifier has χ²_d/(2 n) less log-loss (Wilks). Where noise is small
that alone would be seen. All of it is public, or a function of releases: proofs/regression.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from relgauss.linear_model.problem import Found, WhitenedProblem
from relgauss.spending import Noisy

GAIN_CAUTION = 2.6  # noise levels by which a model must be better than a constant: noise passes once in 215


@dataclass(frozen=True)
class GainOfNothing:
    """What a model gains on its own records where features say nothing: ``unit`` times χ² of ``freedom``."""

    unit: float
    freedom: int

    @property
    def mean(self) -> float:
        """How much it is on average."""
        return self.unit * self.freedom

    @property
    def most(self) -> float:
        """What it is above as rarely as noise passes: Wilson and Hilferty's quantile of χ²."""
        part = 2 / (9 * self.freedom)
        return self.mean * (1 - part + GAIN_CAUTION * math.sqrt(part)) ** 3


def gain_of_regression(whitened: WhitenedProblem, found: Found) -> GainOfNothing:
    """The variance of labels is at most their scale squared, and sampling alone tells it where the scatter of
    gradients was released; where it is not, noise is so large that nothing of this is seen.
    """
    if found.sampling_variance is None:
        return GainOfNothing(0.0, whitened.slopes)
    most = whitened.label_scale**2 / whitened.rows.count
    return GainOfNothing(min(most, found.sampling_variance), whitened.slopes)


def gain_of_classes(whitened: WhitenedProblem) -> GainOfNothing:
    """Each score has its coefficients, and the intercept is compared with a share that noise has moved."""
    return GainOfNothing(1 / (2 * whitened.rows.count), whitened.objective.outputs * whitened.rows.columns)


def is_better(more: Noisy, nothing: GainOfNothing) -> bool:
    """Whether a model that errs so much more than a constant on its own records is seen to err less."""
    beyond = math.hypot(GAIN_CAUTION * more.noise_std, nothing.most - nothing.mean)
    return bool(more.value[0] < -nothing.mean - beyond)


def beside_best_constant(released: Noisy, most: float, worse: float) -> Noisy:
    """How much more a model errs than the best constant: as much more than its own as was released, and as
    that one errs more than the best, which is ``worse`` at least.

    Slopes can make up for an own constant that noise has moved, where they say nothing else. It errs by m²
    more, if labels are m beside it. Seen through noise of std s that is m² + s² on average, with a noise of
    std s sqrt(4 m² + 2 s²).
    """
    more, beside = released.value.tolist()
    m, s = beside / most, released.noise_std / most
    noise_std = math.hypot(released.noise_std, s * math.sqrt(4 * m**2 + 2 * s**2))
    return Noisy(np.array([more + max(m**2, worse)]), noise_std)
