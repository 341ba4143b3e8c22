"""Private gradient descent as most libraries do it."""

from __future__ import annotations

from typing import Any

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.descent.clipped_gradients import GRADIENTS, clipped_pull
from relgauss.descent.objectives import Squared
from relgauss.errors import InvalidParameterError
from relgauss.ledger import Ledger
from relgauss.linear_model.baselines.bounded import BoundedRegressor, Bounds
from relgauss.records.blocks import Rows
from relgauss.spending import Spending


class ClippedGD(BoundedRegressor):
    """Full-batch gradient descent on gradients that are clipped record by record, at exact GDP accounting:

        v <- momentum v + mean of g_i min(1, threshold/||g_i||) + N(0, s² I),   g_i = (x_iᵀθ - y_i) x_i
        θ <- θ - step_size v

    Replacing one record moves the mean by 2 threshold/n, so s = 2 threshold sqrt(steps)/(n mu) makes all
    steps together mu-GDP; n is public. Proof: proofs/regression.md.

    Features and label are clipped to their bounds and scaled to [-1, 1]; the intercept is the coefficient of
    a column of ones. Threshold, step size, momentum and number of steps are in these units, and public:
    choosing them by the data would not be private. The defaults do well for their number of steps at epsilon
    1 on the data sets of benchmarks/regression, and badly at 0.1.

    Parameters
    ----------
    epsilon, delta : float
        The budget of the whole fit.
    threshold : float
        The norm that each record's gradient is clipped to.
    step_size : float
        How far a step goes along the gradient.
    momentum : float
        The part of the last step that is repeated, from 0 to below 1.
    steps : int
        How many steps are taken, each with a release.
    averaged_part : float
        The result is the mean of this last part of the points, or the last point if it is 0.
    feature_bounds : (low, high)
        Public ranges of the features, numbers or arrays of d; values outside are clipped.
    label_bounds : (low, high)
        The public range of the label; values outside are clipped.
    fit_intercept : bool
        Whether the model has an intercept.
    random_state : int, Generator, RandomState or None
        Asks for simulated noise, which is not private; None, for secure noise.
    ledger : Ledger or None
        Where the fit is reserved before noise is drawn, and refused if the budget there does not hold it.

    Attributes
    ----------
    coef_ : array of shape (d,)
        The coefficients.
    intercept_ : float
        The intercept.
    outcome_ : Fitted
        Which features were ignored, since their bounds are equal.
    privacy_ : PrivacyStatement
        What was spent, stage by stage.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        threshold: float = 3.0,
        step_size: float = 0.3,
        momentum: float = 0.9,
        steps: int = 300,
        averaged_part: float = 0.5,
        feature_bounds: Bounds = (-1.0, 1.0),
        label_bounds: tuple[float, float] = (-1.0, 1.0),
        fit_intercept: bool = True,
        random_state: Any = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.threshold = threshold
        self.step_size = step_size
        self.momentum = momentum
        self.steps = steps
        self.averaged_part = averaged_part
        self.feature_bounds = feature_bounds
        self.label_bounds = label_bounds
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.ledger = ledger

    def _check_parameters(self, columns: int) -> None:
        validate.positive("threshold", self.threshold, "Pass the largest norm that a gradient may keep.")
        validate.positive("step_size", self.step_size, "Pass a public step size.")
        validate.count("steps", self.steps)
        fix = "Pass the part of the last step that is repeated, from 0 to below 1."
        if validate.nonnegative("momentum", self.momentum, fix) >= 1:
            raise InvalidParameterError("momentum", self.momentum, "below 1", fix)
        fix = "Pass the part of the points that is averaged, from 0 to 1."
        if validate.nonnegative("averaged_part", self.averaged_part, fix) > 1:
            raise InvalidParameterError("averaged_part", self.averaged_part, "at most 1", fix)

    def _solve(self, rows: Rows, spending: Spending) -> FloatArray:
        objective, share = Squared(), spending.left / self.steps
        first_kept = min(int((1 - self.averaged_part) * self.steps), self.steps - 1)
        theta, velocity, total = np.zeros((3, rows.columns))
        for step in range(self.steps):
            pull = spending.release(GRADIENTS, clipped_pull(rows, theta, objective, self.threshold), share)
            velocity = self.momentum * velocity + pull.value
            theta = theta + self.step_size * velocity
            if step >= first_kept:
                total += theta
        return total / (self.steps - first_kept)
