"""Large data: in memory and from Parquet beside scikit-learn, by threads, on Dask, and how it grows."""

from benchmarks.scale import bare_passes, cluster, growth, in_memory, parquet, start, threads


def run() -> None:
    """Print all comparisons, and draw the picture of growth."""
    bare_passes.run()
    start.run()
    in_memory.run()
    threads.run()
    parquet.run()
    cluster.run()
    growth.run()
