"""Medians and quantiles by others' methods: each is told what it needs to know.

OpenDP is told candidates. The other is ours after what Google publishes of its library: half of epsilon finds
powers of two as bounds, and the rest a tree of counts between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from opendp.domains import atom_domain, vector_domain
from opendp.measurements import make_private_quantile
from opendp.measures import max_divergence
from opendp.metrics import symmetric_distance
from opendp.mod import Measurement, binary_search_param, enable_features

enable_features("contrib")

CANDIDATES = [1e3 * 1.01**k for k in range(695)]  # one per cent apart, from 1,000 to 1,000,000
REPLACED = 2  # of records in OpenDP's distance: one leaves, one comes
BRANCHES, HEIGHT, LEAST_PART = 16, 4, 0.0075
BINS, SURE = 128, 1e-9


def by_opendp(values: np.ndarray, levels: Sequence[float], epsilon: float) -> np.ndarray:
    """Each quantile among the candidates, by OpenDP's own mechanism at an equal part of epsilon.

    Its Rényi composition would give each of three quantiles less than a third of epsilon does.
    """
    return np.array([_opendp(len(values), each, epsilon / len(levels))(values.tolist()) for each in levels])


@cache
def _opendp(size: int, level: float, epsilon: float) -> Measurement:
    domain = vector_domain(atom_domain(T=float, nan=False), size=size)

    def measurement(scale: float) -> Measurement:
        return make_private_quantile(domain, symmetric_distance(), max_divergence(), CANDIDATES, level, scale)

    scale = binary_search_param(measurement, d_in=REPLACED, d_out=epsilon, T=float, bounds=(1e-3, 1e9))
    return measurement(scale)


def by_auto_bounds(
    values: np.ndarray, levels: Sequence[float], epsilon: float, rng: np.random.Generator
) -> np.ndarray:
    """Bounds by a noisy histogram of powers of two, then quantiles by a noisy tree; NaN if none are found.

    As in the published methods a record is added or removed, which costs half of what replacing one does.
    """
    ends = _approximate_bounds(values, epsilon / 2, rng)
    if ends is None:
        return np.full(len(levels), np.nan)
    return _tree_quantiles(np.clip(values, *ends), ends, levels, epsilon / 2, rng)


def _approximate_bounds(
    values: np.ndarray, epsilon: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    """The outer powers of two whose noisy counts pass what noise alone does in one case of 10^9."""
    place = np.clip(np.ceil(np.log2(values)).astype(int), 0, BINS - 1)
    counts = np.bincount(place, minlength=BINS) + rng.laplace(0, 1 / epsilon, BINS)
    threshold = -math.log(2 - 2 * (1 - SURE) ** (1 / (BINS - 1))) / epsilon
    found = np.flatnonzero(counts >= threshold)
    return (2.0 ** (found[0] - 1), 2.0 ** found[-1]) if found.size else None


def _tree_quantiles(
    values: np.ndarray,
    ends: tuple[float, float],
    levels: Sequence[float],
    epsilon: float,
    rng: np.random.Generator,
) -> np.ndarray:
    """Go down a tree of noisy counts, always to the part that holds the quantile; in a leaf, in proportion.

    A record is in one node of each level; parts below 0.75 % of their parent are taken for empty.
    """
    low, high = ends
    leaves = BRANCHES**HEIGHT
    leaf = np.minimum(((values - low) / (high - low) * leaves).astype(int), leaves - 1)
    tree = []
    for depth in range(1, HEIGHT + 1):
        counts = np.bincount(leaf // BRANCHES ** (HEIGHT - depth), minlength=BRANCHES**depth)
        tree.append(counts + rng.laplace(0, HEIGHT / epsilon, BRANCHES**depth))
    found = []
    for level in levels:
        node, part, width = 0, level, high - low
        for counts in tree:
            children = np.maximum(counts[node * BRANCHES : (node + 1) * BRANCHES], 0.0)
            children = np.where(children < LEAST_PART * children.sum(), 0.0, children)
            if not children.any():  # nothing is seen below: the node itself has to do
                break
            below = np.cumsum(children) / children.sum()
            child = int((below < part * (1 - 1e-12)).sum())
            share = children[child] / children.sum()
            part = (part - (below[child] - share)) / share
            node, width = node * BRANCHES + child, width / BRANCHES
        found.append(low + (node + part) * width)
    return np.array(found)
