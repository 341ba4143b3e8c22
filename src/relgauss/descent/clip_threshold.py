"""Where to clip gradients, as a noisy histogram of their norms tells."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray

_BIAS_WEIGHT = 0.5  # clipped gradients partly cancel
_CAUTION_TAIL = 3.0  # noise levels at which a tail is taken for real


def least_error_threshold(
    counts: FloatArray, noise_std: float, edges: FloatArray, records: int, noise_per_threshold: float
) -> float:
    """The clip threshold c, an edge of the cells, that minimises noise² + bias²; post-processing.

        noise = noise_per_threshold · c
        bias  = ½ E(||g|| - c)+ ,   the mean overshoot: the integral of the tail P(||g|| > t) over t > c

    ``counts`` are those of norms of gradients g, with noise of ``noise_std``; ``edges`` are those of the
    cells, the first of which begins at zero. A tail is counted up to where it sinks into the noise: past it
    nothing is known, and nothing is paid for it.
    """
    tail = np.cumsum(counts[::-1])[::-1]
    noise = noise_std * np.sqrt(np.arange(len(tail), 0, -1))
    hidden = np.flatnonzero(tail <= _CAUTION_TAIL * noise)
    beyond = tail / records
    if hidden.size:
        beyond[hidden[0] :] = 0.0
    overshoot = np.cumsum((beyond * np.diff(edges))[::-1])[::-1]
    loss = (noise_per_threshold * edges[:-1]) ** 2 + (_BIAS_WEIGHT * overshoot) ** 2
    return float(max(edges[:-1][int(np.argmin(loss))], edges[1]))
