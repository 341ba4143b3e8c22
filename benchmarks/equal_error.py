"""Epsilon at equal error: the paper's accounting, ours, and the isometric mechanism."""

from __future__ import annotations

import math
import warnings

from rich.console import Console
from rich.table import Table
from scipy.optimize import brentq

import relgauss as rg

DELTA = 1e-6
CASES = (  # eta, gamma, dim, steps
    (0.1, 0.05, 1, 1),
    (1e-3, 1e-4, 10, 1),
    (1e-2, 1e-2, 22, 10),
    (1e-2, 1e-3, 100, 10),
    (1e-2, 0.1, 100, 10),
    (1e-4, 1e-2, 1000, 1000),
    (1e-3, 1e-2, 10000, 100),
)


def isometric_at_error(sensitivity: rg.RelativeSensitivity, dim: int, error: float) -> rg.IsometricGaussian:
    """The isometric mechanism of this relative root-mean-square error."""

    def mechanism(log_multiplier: float) -> rg.IsometricGaussian:
        return rg.IsometricGaussian(sensitivity, dim, math.exp(log_multiplier))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the search passes noise levels that would be mostly noise
        top = math.log(10 / sensitivity.eta)
        return mechanism(brentq(lambda x: mechanism(x).limiting_relative_error - error, top - 40, top))


def run() -> None:
    """Print the table."""
    table = Table(title=f"Epsilon at equal root-mean-square error, r = 0, delta = {DELTA:g}")
    for column in ("eta", "gamma", "dim", "steps", "paper", "RGM exact", "isometric", "limit (not private)"):
        table.add_column(column, justify="right")
    for eta, gamma, dim, steps in CASES:
        sensitivity = rg.RelativeSensitivity(eta)
        relative = rg.RelativeGaussian(sensitivity, dim, gamma)
        isometric = isometric_at_error(sensitivity, dim, relative.limiting_relative_error)
        limit = rg.compose((rg.GaussianDP(eta / math.sqrt(gamma)), steps))
        epsilons = (
            relative.epsilon(DELTA, steps, method="theorem"),
            relative.epsilon(DELTA, steps),
            isometric.epsilon(DELTA, steps),
            limit.epsilon(DELTA),
        )
        table.add_row(f"{eta:g}", f"{gamma:g}", str(dim), str(steps), *(f"{value:.3f}" for value in epsilons))
    Console(width=110).print(table)
