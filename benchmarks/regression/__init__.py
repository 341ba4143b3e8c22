"""Private regression: our models and their peers on five data sets, on wild columns, by the clock."""

from benchmarks.regression import accuracy, timing, wild

SEEDS = 10


def run(seeds: int = SEEDS) -> None:
    """All parts."""
    accuracy.run(seeds)
    wild.run(seeds)
    timing.run()
