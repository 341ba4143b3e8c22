"""Private regression: ours and peers on data sets, on rows kept apart, on wild columns, by the clock."""

from benchmarks.regression import accuracy, held_out, logistic, timing, wild

SEEDS = 10


def run(seeds: int = SEEDS) -> None:
    """All parts."""
    accuracy.run(seeds)
    held_out.run(seeds)
    wild.run(seeds)
    logistic.run(seeds)
    timing.run()
