"""Accounting: speed beside dp_accounting's, sampled Gaussian noise beside its PLD, sampled relative noise."""

from benchmarks.accounting import sampled_gaussian, sampled_relative, speed


def run() -> None:
    """Print all tables."""
    for table in (speed, sampled_gaussian, sampled_relative):
        table.run()
