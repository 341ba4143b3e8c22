"""Epsilon of sampled RGM steps: exact profile, Rényi bound, the theorem the paper refers to, and an audit.

That theorem (Bun, Dwork, Rothblum, Steinke 2018, Theorem 13) is neither proved nor verified in this project:
it stands here for comparison alone, and the package has no guarantee by it.
"""

from __future__ import annotations

import math

import numpy as np
from rich.console import Console
from rich.table import Table

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.audit import lower_bound

DELTA, STEPS, RATE = 1e-6, 1000, 0.01
AUDIT_DELTA, RUNS, CONFIDENCE = 1e-2, 20_000, 0.95  # what so many runs can show
CASES = ((1e-3, 1e-4, 10), (1e-3, 2e-5, 100), (1e-2, 1e-2, 200), (0.1, 0.05, 5))  # eta, gamma, dim


def run() -> None:
    """Print the table."""
    table = Table(title=f"Epsilon of {STEPS} RGM steps at rate {RATE:g}, delta = {DELTA:g}")
    audit = (f"audit at {AUDIT_DELTA:g}", f"Poisson at {AUDIT_DELTA:g}")
    claims = ("Poisson", "batches", "Rényi", "theorem, unverified", "unsampled")
    for column in ("eta", "gamma", "dim", *audit, *claims):
        table.add_column(column, justify="right")
    rng = np.random.default_rng(0)
    for eta, gamma, dim in CASES:
        mechanism = rg.RelativeGaussian(rg.RelativeSensitivity(eta), dim, gamma)
        box = mechanism.guarantee
        assert isinstance(box, GaussianPairDP)
        batches = rg.Subsampled(box, RATE)
        added = GaussianPairDP(box.shift, box.excess, box.dim, "add-or-remove")
        poisson = rg.compose((rg.PoissonSampled(added, RATE), STEPS))
        renyi = rg.RenyiDP(rg.RenyiFunction(batches.rdp, batches.order_limit))
        audited = lower_bound(
            *(losses(added, RATE, STEPS, RUNS, with_record=side, rng=rng) for side in (True, False)),
            delta=AUDIT_DELTA,
            confidence=CONFIDENCE,
        ).epsilon(AUDIT_DELTA)
        claimed = poisson.epsilon(AUDIT_DELTA)
        assert audited <= claimed
        numbers = (
            audited,
            claimed,
            poisson.epsilon(DELTA),
            rg.compose((batches, STEPS)).epsilon(DELTA),
            rg.compose((renyi, STEPS)).epsilon(DELTA),
        )
        whole = mechanism.epsilon(DELTA, STEPS)
        table.add_row(
            f"{eta:g}",
            f"{gamma:g}",
            f"{dim}",
            *(f"{value:.4g}" for value in numbers),
            _by_quoted_theorem(mechanism),
            f"{whole:.4g}",
        )
    Console(width=110).print(table)


def _by_quoted_theorem(mechanism: rg.RelativeGaussian) -> str:
    """(13 s² rho, log(1/s)/(4 rho))-tCDP, as it is quoted.

    For rho, s <= 0.1, log(1/s) >= 3 rho (2 + log2(1/rho)) and omega >= log(1/s)/(2 rho) >= 3.
    """
    whole, room = mechanism.tcdp(), math.log(1 / RATE)
    needed = room / (2 * whole.rho)
    small = whole.rho <= 0.1 and RATE <= 0.1 and room >= 3 * whole.rho * (2 + math.log2(1 / whole.rho))
    if not (small and whole.omega >= needed >= 3):
        return "not covered"
    sampled = rg.TruncatedConcentratedDP(13 * RATE**2 * whole.rho, needed / 2)
    return f"{rg.compose((sampled, STEPS)).epsilon(DELTA):.4g}"


def losses(
    box: GaussianPairDP, rate: float, steps: int, runs: int, *, with_record: bool, rng: np.random.Generator
) -> np.ndarray:
    """Total log-likelihood ratios of simulated runs: answers with the record have the larger noise.

    A step's loss depends on the first coordinate and on the squared norm of the others.
    """
    wide = 1 + box.excess
    total = np.zeros(runs)
    for _ in range(steps):
        sampled = rng.random(runs) < rate if with_record else np.zeros(runs, dtype=bool)
        std = np.where(sampled, math.sqrt(wide), 1.0)
        first = np.where(sampled, 0.0, box.shift) + std * rng.standard_normal(runs)
        others = std**2 * (rng.chisquare(box.dim - 1, runs) if box.dim > 1 else 0.0)
        narrow = (first - box.shift) ** 2 + others
        ratio = (narrow - (first**2 + others) / wide) / 2 - box.dim / 2 * math.log(wide)
        total += np.log1p(rate * np.expm1(ratio))
    return total
