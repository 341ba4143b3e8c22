"""Epsilon of Poisson-sampled Gaussian steps beside dp_accounting's PLD at a discretisation of 1e-4."""

from __future__ import annotations

import time

from dp_accounting.pld import privacy_loss_distribution
from rich.console import Console
from rich.table import Table

import relgauss as rg

DELTA = 1e-6
CASES = (  # rate, noise multiplier, steps
    (1e-4, 0.6, 10**3),
    (1e-4, 0.5, 10**5),
    (1e-4, 0.6, 10**5),
    (1e-4, 2.0, 10**5),
    (1e-3, 0.5, 10**3),
    (1e-3, 0.8, 10**4),
    (1e-3, 1.0, 10**5),
    (1e-2, 0.7, 10**2),
    (1e-2, 1.0, 10**3),
    (1e-2, 2.0, 10**4),
    (1e-2, 8.0, 10**5),
    (0.1, 2.0, 200),
    (0.1, 5.0, 10**4),
    (0.1, 40.0, 10**5),
    (0.5, 2.0, 10),
    (0.5, 10.0, 10**3),
    (0.5, 150.0, 10**5),
)


def run() -> None:
    """Print the table; the optimistic value is a lower bound on the truth, the pessimistic an upper."""
    table = Table(title=f"Epsilon of sampled Gaussian steps, added or removed records, delta = {DELTA:g}")
    for column in (
        "rate",
        "noise",
        "steps",
        "optimistic",
        "relgauss",
        "dp_accounting",
        "ratio",
        "s",
        "s, theirs",
    ):
        table.add_column(column, justify="right")
    ratios = []
    for rate, noise, steps in CASES:
        start = time.process_time()
        sampled = rg.PoissonSampled(rg.GaussianDP(1 / noise, "add-or-remove"), rate)
        ours = rg.compose((sampled, steps)).epsilon(DELTA)
        middle = time.process_time()
        theirs = _dp_accounting(rate, noise, steps, use_connect_dots=True)
        end = time.process_time()
        least = _dp_accounting(rate, noise, steps, use_connect_dots=False, pessimistic_estimate=False)
        ratios.append(ours / theirs)
        numbers = (f"{least:.5g}", f"{ours:.5g}", f"{theirs:.5g}", f"{ours / theirs:.5f}")
        table.add_row(
            f"{rate:g}", f"{noise:g}", f"{steps}", *numbers, f"{middle - start:.2f}", f"{end - middle:.2f}"
        )
        assert least <= ours
    console = Console(width=110)
    console.print(table)
    console.print(f"largest ratio {max(ratios):.5f}: at most 1.005 is asked for")


def _dp_accounting(rate: float, noise: float, steps: int, **options: bool) -> float:
    loss = privacy_loss_distribution.from_gaussian_mechanism(
        noise, sampling_prob=rate, value_discretization_interval=1e-4, **options
    )
    return float(loss.self_compose(steps).get_epsilon_for_delta(DELTA))
