"""Boosted AdaSSP (Tang et al. 2023), at the same accounting and bounds as the other methods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from relgauss.arrays import symmetric_matrix
from relgauss.bounded.answer import bounded_mean
from relgauss.estimate.whitening import second_moments
from relgauss.linear_model.baselines.adassp import AdaSSP, clipped_rows, least_eigenvalue, solve_ridge
from relgauss.records.blocks import Block, Rows
from relgauss.spending import Spending

_DOUBT = -float(ndtri(0.025))  # the authors' 1.96, for the ridge as for the eigenvalue's lower bound


class BoostedAdaSSP(AdaSSP):
    """Rounds of AdaSSP on clipped residuals, all with one noisy A:

        θ <- θ + (A + N_A + ridge I)⁻¹ (mean of x clip(y - xᵀθ, ±residual_bound) + N_t)

    ``rounds`` + 2 Gaussian releases of equal mu, as the authors have it.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        delta: float = 1e-6,
        *,
        rounds: int = 100,
        residual_bound: float = 1.0,
        row_norm: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(epsilon, delta, row_norm=row_norm, random_state=random_state)
        self.rounds = rounds
        self.residual_bound = residual_bound

    def _solve(self, rows: Rows, spending: Spending) -> np.ndarray:
        columns, share = self.n_features_in_, 1 / (self.rounds + 2)
        kept = clipped_rows(rows, columns, self._row_norm(columns))
        radius, bound = math.hypot(self._row_norm(columns), 1.0), self.residual_bound
        second = second_moments(kept, radius)
        least = spending.release("least eigenvalue", least_eigenvalue(second, kept, radius), share)
        covariance = spending.release("second moments", second, share)
        lower = max(0.0, float(least.value[0]) - _DOUBT * least.noise_std)
        ridge = max(0.0, math.sqrt(kept.columns / 2) * _DOUBT * covariance.noise_std - lower)
        matrix = symmetric_matrix(covariance.value, kept.columns)
        theta = np.zeros(kept.columns)
        for _ in range(self.rounds):

            def block_sum(block: Block, theta: np.ndarray = theta) -> np.ndarray:
                return np.clip(block.labels - block.features @ theta, -bound, bound) @ block.features

            answer = bounded_mean(kept, block_sum, largest=radius * bound, apart=2 * radius * bound)
            released = spending.release("features × residual", answer, min(share, spending.left))
            theta = theta + solve_ridge(matrix, ridge, released.value)
        return theta
