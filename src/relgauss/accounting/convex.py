"""The greatest convex profile below given bounds: a true profile is convex, so it lies below that one too.

Proof: proofs/renyi.md.
"""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray


def convex_minorant(epsilon: FloatArray, bounds: FloatArray) -> FloatArray:
    """The lower hull of the points (e^epsilon, bound) at ascending epsilons, rounded up.

    At its corners it is the bound itself; between them it is a chord, which lies above every convex function
    that keeps the bounds.
    """
    if len(epsilon) < 3 or epsilon[-1] > 700:  # e^epsilon overflows: the bounds stay as they are
        return bounds
    x = np.expm1(epsilon).tolist()
    y = bounds.tolist()
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1 and _is_above(x, y, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    points, corners = np.array(x), np.array(hull)
    after = np.clip(np.searchsorted(corners, np.arange(len(x))), 1, len(hull) - 1)
    left, right = corners[after - 1], corners[after]
    # Two terms >= 0: nothing cancels but in the differences of x, by no more than the least step shows.
    width = points[right] - points[left]
    chords = (bounds[left] * (points[right] - points) + bounds[right] * (points - points[left])) / width
    least = float(np.min(np.diff(points) / (1 + points[1:])))
    return np.asarray(np.minimum(chords * (1 + 1e-14 + 1e-15 / least), bounds))


def _is_above(x: list[float], y: list[float], first: int, middle: int, last: int) -> bool:
    """Whether the middle point lies on or above the chord of the other two."""
    return (y[middle] - y[first]) * (x[last] - x[first]) >= (y[last] - y[first]) * (x[middle] - x[first])
