"""Records of a public recipe: in memory, or as a folder of Parquet files."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np

FILE_ROWS = 2_000_000


def arrays(count: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal features, and a label that follows all of them."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((count, columns))
    labels = features @ np.linspace(1, 2, columns) + rng.standard_normal(count)
    return features, labels


def parquet_folder(folder: Path, count: int, columns: int) -> Path:
    """Single-precision features in [-1, 1] and a label y, in files of up to ``FILE_ROWS`` rows."""
    names = [f"x{j}" for j in range(columns)]
    features = ", ".join(f"CAST(2 * random() - 1 AS FLOAT) AS {name}" for name in names)
    weights = np.linspace(1, 2, columns)
    label = " + ".join(f"{weight:.3f} * {name}" for weight, name in zip(weights, names, strict=True))
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        for start in range(0, count, FILE_ROWS):
            rows = min(FILE_ROWS, count - start)
            connection.execute(
                f"""COPY (SELECT *, CAST({label} + random() AS FLOAT) AS y
                FROM (SELECT {features} FROM range({rows})))
                TO '{folder / f"part-{start:010d}.parquet"}'"""
            )
    return folder
