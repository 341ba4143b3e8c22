"""How much of an exact epsilon the auditor finds, with a million simulated outputs a mechanism and seed."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

import relgauss as rg
from relgauss.audit import audit

SEEDS = 5
CLIPPED = rg.AbsoluteSensitivity(1.0)


def _bound(eta: float) -> rg.RelativeSensitivity:
    return rg.RelativeSensitivity(eta, r=1.0)


CASES: tuple[tuple[str, rg.Mechanism], ...] = (
    *((f"Gaussian, noise multiplier {each:g}", rg.Gaussian(CLIPPED, 3, each)) for each in (0.5, 1.0, 2.0)),
    *(
        (
            f"RelativeGaussian, eta {eta:g}, gamma {gamma:g}, dimension {dim}",
            rg.RelativeGaussian(_bound(eta), dim, gamma),
        )
        for eta, gamma, dim in ((0.1, 0.01, 5), (0.3, 0.1, 20), (0.1, 1.0, 100))
    ),
    *(
        (
            f"IsometricGaussian, eta {eta:g}, noise multiplier {multiplier:g}, dimension {dim}",
            rg.IsometricGaussian(_bound(eta), dim, multiplier),
        )
        for eta, multiplier, dim in (
            (0.1, 1.0, 1),
            (0.1, 1.0, 2),
            (0.02, 2.0, 3),
            (0.5, 1.0, 2),
            (0.5, 1.0, 20),
        )
    ),
)


def run() -> None:
    """Print, for each mechanism, the exact epsilons where the auditor looked and the share that it found."""
    table = Table(
        "mechanism", "exact epsilon where it looked", "found, mean (worst)", title="What the auditor finds"
    )
    for name, mechanism in CASES:
        reports = [audit(mechanism, rng=np.random.default_rng(seed)) for seed in range(SEEDS)]
        exact = [report.epsilon_claimed for report in reports]
        shares = [report.epsilon_lower / report.epsilon_claimed for report in reports]
        table.add_row(
            name, f"{min(exact):.1f} to {max(exact):.1f}", f"{np.mean(shares):.0%} ({min(shares):.0%})"
        )
    Console().print(table)


if __name__ == "__main__":
    run()
