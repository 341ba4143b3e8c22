"""Made-up homes and their prices: a few are far larger than the rest, as in any town.

price = 900 area + 15,000 rooms - 400 age + 80,000 (if in port) + noise,   never below 5,000
"""

from __future__ import annotations

import csv
from os import PathLike
from pathlib import Path

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.writing import write_together

FEATURES = ("area", "rooms", "age")
TOWNS = ("hill", "mill", "port")

_RECIPE = 20_160_504  # the recipe's own seed: the same rows on every machine


def make_homes(rows: int = 20_000) -> tuple[FloatArray, FloatArray]:
    """Make homes and their prices, the same ones each time.

    Parameters
    ----------
    rows
        How many homes.

    Returns
    -------
    X, y
        The columns area, rooms and age of each home, and its price.

    Examples
    --------
    >>> X, y = make_homes()
    >>> X.shape
    (20000, 3)
    """
    features, _, prices = _homes(rows)
    return features, prices


def write_homes(file: str | PathLike[str], rows: int = 20_000) -> None:
    """Write homes as CSV, with the columns area, rooms, age, town and price; a file that is there stays.

    Parameters
    ----------
    file
        The new file.
    rows
        How many homes.
    """
    features, towns, prices = _homes(rows)

    def write(path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as lines:
            writer = csv.writer(lines)
            writer.writerow((*FEATURES, "town", "price"))
            for (area, number, age), town, price in zip(features, towns, prices, strict=True):
                writer.writerow((f"{area:.0f}", f"{number:.0f}", f"{age:.0f}", TOWNS[town], f"{price:.0f}"))

    write_together([(Path(file), write)], replace=False)


def _homes(rows: int) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.intp]], FloatArray]:
    """Features, the index of each home's town, and prices."""
    rng = np.random.default_rng(_RECIPE)
    rows = validate.count("rows", rows)
    area = np.round(rng.lognormal(4.4, 0.45, rows))
    number = np.clip(np.round(area / 28 + rng.normal(0.0, 0.8, rows)), 1, 15)
    age = np.floor(rng.gamma(2.0, 18.0, rows))
    town = rng.choice(len(TOWNS), rows, p=(0.3, 0.5, 0.2))
    fair = 900 * area + 15_000 * number - 400 * age + 80_000 * (town == TOWNS.index("port"))
    price = np.round(np.maximum(fair + rng.normal(0.0, 20_000.0, rows), 5_000))
    return np.column_stack((area, number, age)), town, price
