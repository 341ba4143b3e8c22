"""Large data: in memory beside scikit-learn, from Parquet beside a bare scan, on Dask, and how it grows."""

from benchmarks.scale import bare_passes, cluster, growth, in_memory, parquet


def run() -> None:
    """Print all comparisons, and draw the picture of growth."""
    bare_passes.run()
    in_memory.run()
    parquet.run()
    cluster.run()
    growth.run()
