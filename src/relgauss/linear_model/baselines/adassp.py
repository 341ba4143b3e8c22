"""Sufficient statistics with noise, and a ridge that adapts to it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from relgauss import validate
from relgauss.arrays import FloatArray, row_norms, symmetric_matrix
from relgauss.bounded.answer import BoundedAnswer, bounded_mean, clip_weights
from relgauss.certify import RowBounds
from relgauss.estimate.whitening import second_moments
from relgauss.ledger import Ledger
from relgauss.linear_model.baselines.bounded import BoundedRegressor, Bounds
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

_SHARE = 1 / 3  # of mu², for each of the three releases
_FAILURE = 0.05  # Wang's rho: how often the ridge may be too small


class AdaSSP(BoundedRegressor):
    """Adaptive sufficient-statistics perturbation (Wang 2018, algorithm 2), at exact GDP accounting:

        coef = (A + N_A + ridge I)⁻¹ (b + N_b),   A = XᵀX/n,  b = Xᵀy/n,  n public
        ridge = max(0, sqrt(d log(2 d²/0.05)) std(N_A) - (a lower bound, released, of lambda_min(A)))

    Three Gaussian releases, a third of mu² each. Replacing one record moves A by sqrt(2) R²/n (Frobenius),
    b by 2 R Y/n and lambda_min by R²/n, for rows of norm at most R and |y| at most Y.
    Proof: proofs/regression.md.

    Features and label are clipped to their bounds and scaled to [-1, 1]. The intercept is the coefficient of
    a column of ones: R² = row_norm² + 1.

    Parameters
    ----------
    epsilon, delta : float
        The budget of the whole fit.
    feature_bounds : (low, high)
        Public ranges of the features, numbers or arrays of d; values outside are clipped.
    label_bounds : (low, high)
        The public range of the label; values outside are clipped.
    row_norm : float or None
        The norm that scaled rows are clipped to; None stands for sqrt(d), which clips none.
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
        feature_bounds: Bounds = (-1.0, 1.0),
        label_bounds: tuple[float, float] = (-1.0, 1.0),
        row_norm: float | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.feature_bounds = feature_bounds
        self.label_bounds = label_bounds
        self.row_norm = row_norm
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.ledger = ledger

    def _check_parameters(self, columns: int) -> None:
        self._row_norm(columns)

    def _row_norm(self, columns: int) -> float:
        if self.row_norm is None:
            return math.sqrt(columns)
        fix = "Pass the largest norm that a scaled row may keep, or None."
        return min(validate.positive("row_norm", self.row_norm, fix), math.sqrt(columns))

    def _solve(self, rows: Rows, spending: Spending) -> FloatArray:
        columns = self.n_features_in_
        kept = clipped_rows(rows, columns, self._row_norm(columns))
        radius = math.hypot(self._row_norm(columns), bool(self.fit_intercept))
        second = second_moments(kept, radius)
        least = spending.release("least eigenvalue", least_eigenvalue(second, kept, radius), _SHARE)
        covariance = spending.release("second moments", second, _SHARE)
        correlation = spending.release("features × label", first_moments(kept, radius), spending.left)
        lower = max(0.0, float(least.value[0]) + float(ndtri(_FAILURE)) * least.noise_std)
        ridge = adaptive_ridge(kept.columns, covariance.noise_std, lower)
        return solve_ridge(symmetric_matrix(covariance.value, kept.columns), ridge, correlation.value)


def clipped_rows(rows: Rows, columns: int, row_norm: float) -> Rows:
    """Rows whose first ``columns`` are clipped to a norm; a column of ones after them stays."""

    def change(block: Block) -> tuple[FloatArray, FloatArray]:
        kept = block.features.copy()
        kept[:, :columns] *= clip_weights(row_norms(kept[:, :columns]), row_norm)[:, None]
        return kept, block.labels

    return rows.changed(change, rows.columns)


def first_moments(rows: Rows, radius: float) -> BoundedAnswer:
    """The mean of x y for ||x|| <= R and |y| <= 1, as the caller made them: contributions are 2 R apart."""

    def block_sum(block: Block) -> FloatArray:
        return block.labels @ block.features

    return bounded_mean(rows, block_sum, largest=radius, apart=2 * radius)


def least_eigenvalue(second: BoundedAnswer, rows: Rows, radius: float) -> BoundedAnswer:
    """lambda_min of second moments: x xᵀ - x' x'ᵀ has eigenvalues in [-R², R²], so it moves by R²/n."""
    bounds = RowBounds(rows.count, rows.columns, radius * (1 + (rows.columns + 16) * 2.0**-52), 1.0)
    least = float(np.linalg.eigvalsh(symmetric_matrix(second.value, rows.columns))[0])
    return BoundedAnswer.enforced(np.array([bounds.checked_eigenvalue(least)]), bounds.eigenvalue_sensitivity)


def adaptive_ridge(dim: int, noise_std: float, lower: float) -> float:
    """What noise on the second moments may take away and lambda_min does not make up for.

    ``noise_std`` is that of the vector of a symmetric matrix: off the diagonal it is smaller by sqrt(2).
    """
    lost = math.sqrt(dim * math.log(2 * dim**2 / _FAILURE)) * noise_std / math.sqrt(2)
    return max(0.0, lost - lower)


def solve_ridge(second: FloatArray, ridge: float, first: FloatArray) -> FloatArray:
    """(A + ridge I)⁻¹ b by eigenvalues; where noise left none above zero, the direction is left out."""
    values, vectors = np.linalg.eigh(second)
    lifted = values + ridge
    visible = lifted > 1e-12 * lifted[-1]
    inverse = np.where(visible, 1 / np.where(visible, lifted, 1.0), 0.0)
    solution: FloatArray = vectors @ (inverse * (vectors.T @ first))
    return solution
