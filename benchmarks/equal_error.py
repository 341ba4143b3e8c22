"""Epsilon at equal error, and error at equal epsilon: the mechanisms against noise at the local scale.

That limit, Gaussian noise of the local scale, is not private: the noise level tells of the answer.
"""

from __future__ import annotations

import math
import warnings

from rich.console import Console
from rich.table import Table
from scipy.optimize import brentq

import relgauss as rg
from benchmarks.decoder_floor import least_ratio

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
DIMS = (2, 3, 5, 9, 10, 22, 100, 1000)
ETAS = (1e-3, 1e-2)
EPSILONS = (0.5, 2.0)
FLOOR_CASES = ((2, 0.02, 5.0), (10, 0.01, 5.0), (10, 0.01, 10.0))  # dim, eta, noise multiplier: eta·s <= 0.1


def isometric_at_error(sensitivity: rg.RelativeSensitivity, dim: int, error: float) -> rg.IsometricGaussian:
    """The isometric mechanism of this relative root-mean-square error."""

    def mechanism(log_multiplier: float) -> rg.IsometricGaussian:
        return rg.IsometricGaussian(sensitivity, dim, math.exp(log_multiplier))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the search passes noise levels that would be mostly noise
        top = math.log(10 / sensitivity.eta)
        return mechanism(brentq(lambda x: mechanism(x).limiting_relative_error - error, top - 40, top))


def run() -> None:
    """Print the tables."""
    console = Console(width=110)
    for table in (_at_equal_error(), _ratio_to_the_limit(), _with_a_floor()):
        console.print(table)


def _at_equal_error() -> Table:
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
    return table


def _ratio_to_the_limit() -> Table:
    """The error of one release over that of noise at the local scale, sqrt(d) eta s ||q||."""
    table = Table(title=f"Isometric error over the limit's at equal epsilon, r = 0, delta = {DELTA:g}")
    for column in ("dim", *(f"eta {eta:g}, epsilon {epsilon:g}" for eta in ETAS for epsilon in EPSILONS)):
        table.add_column(column, justify="right")
    for dim in DIMS:
        ratios = []
        for eta in ETAS:
            for epsilon in EPSILONS:
                bound = rg.RelativeSensitivity(eta)
                m = rg.calibrate(bound, dim=dim, epsilon=epsilon, delta=DELTA, mechanism="isometric")
                ratios.append(m.limiting_relative_error * m.mu / (math.sqrt(dim) * eta))
        table.add_row(str(dim), *(f"{ratio:.5f}" for ratio in ratios))
    return table


def _with_a_floor() -> Table:
    """With r > 0, quadratic form: the control variate beside the least that any decoder without bias can
    have (proofs/decoders.md, 5), and the projected decoder with its bias.
    """
    table = Table(title="Isometric error over the limit's with r > 0, quadratic form")
    columns = ("dim", "eta·s", "norm·eta/r", "no unbiased below", "unbiased", "made for this norm")
    for column in (*columns, "projected", "its bias/error"):
        table.add_column(column, justify="right")
    for dim, eta, s in FLOOR_CASES:
        bound = rg.RelativeSensitivity(eta, 1.0)
        for size in (0.1, 1.0, 10.0, 100.0):
            norm = size * bound.r / eta
            limit = math.sqrt(dim) * s * bound.local_scale(norm)
            unbiased = rg.IsometricGaussian(bound, dim, s)
            projected = rg.IsometricGaussian(bound, dim, s, decoder="projected")
            errors = [m.rms_error(norm) for m in (unbiased, unbiased.tuned_to(norm), projected)]
            ratios = (f"{error / limit:.5f}" for error in errors)
            share = f"{projected.bias(norm) / errors[-1]:.4f}"
            least = f"{least_ratio(dim, eta * s, size):.5f}"
            table.add_row(str(dim), f"{eta * s:g}", f"{size:g}", least, *ratios, share)
    return table
