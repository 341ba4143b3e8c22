"""Large data: in memory beside scikit-learn, from Parquet beside a bare scan, on Dask, and how it grows."""

from benchmarks.scale import cluster, growth, in_memory, parquet


def run() -> None:
    """Print all comparisons, and draw the picture of growth."""
    in_memory.run()
    parquet.run()
    cluster.run()
    growth.run()
