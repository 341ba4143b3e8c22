"""Two made-up tables for one ridge regression, by a fixed public recipe: nobody's data.

    y = xᵀθ_k + e,   θ_1 = (1, ..., 1),   θ_2 = (100, ..., 100),   x and e standard normal

The second node's minimum is far off, so that no clipping threshold suits the gradients of both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from relgauss.arrays import FloatArray

RECORDS, DIM = 20_000, 5
SOURCE = f"made up by a fixed recipe, {RECORDS:,} rows at each node"
_TRUTHS = {"node-1": 1.0, "node-2": 100.0}
_SEED = 52  # the tables are the same for everybody; no noise comes from this

NODES = tuple(_TRUTHS)


@dataclass(frozen=True, eq=False)
class Table:
    """A node's records: a row of features and one label for each."""

    features: FloatArray
    labels: FloatArray


def table(node: str) -> Table:
    """The table of one of ``NODES``."""
    rng = np.random.default_rng([_SEED, NODES.index(node)])
    features = rng.normal(size=(RECORDS, DIM))
    return Table(features, features @ np.full(DIM, _TRUTHS[node]) + rng.normal(size=RECORDS))


def excess_losses(thetas: FloatArray) -> FloatArray:
    """Σ_k f_k(theta) - min for each of several models, f_k = (1/n) Σ ½ (xᵀtheta - y)².

    Computed from the records: for a demonstration, where they are nobody's.
    """
    tables = [table(node) for node in NODES]
    second = sum(each.features.T @ each.features for each in tables) / RECORDS
    first = sum(each.features.T @ each.labels for each in tables) / RECORDS
    away = np.asarray(thetas) - np.linalg.solve(np.asarray(second), np.asarray(first))
    losses: FloatArray = np.einsum("ij,jk,ik->i", away, np.asarray(second), away) / 2
    return losses
