"""The clipping threshold of least expected error, from a noisy histogram of gradient norms."""

from __future__ import annotations

import numpy as np

from relgauss.arrays import FloatArray
from relgauss.spending import Noisy

_CAUTION = 3.0  # noise levels at which a tail is taken for real
_BIAS_WEIGHT = 0.5  # clipped pulls partly cancel


def choose_threshold(counts: Noisy, edges: FloatArray, records: int, noise_per_threshold: float) -> float:
    """The edge c that minimises noise² + bias²; post-processing.

        noise = noise_per_threshold · c
        bias  = ½ E(||g|| - c)+ ,   the mean overshoot: the integral of the tail P(||g|| > t) over t > c

    ``edges`` are those of the counts' cells, the first cell beginning at zero. A tail is counted up to where
    it sinks into the noise: past it nothing is known, and nothing is paid for it.
    """
    tail = np.cumsum(counts.value[::-1])[::-1]
    noise = counts.noise_std * np.sqrt(np.arange(len(tail), 0, -1))
    hidden = np.flatnonzero(tail <= _CAUTION * noise)
    share = tail / records
    if hidden.size:
        share[hidden[0] :] = 0.0
    overshoot = np.cumsum((share * np.diff(edges))[::-1])[::-1]
    loss = (noise_per_threshold * edges[:-1]) ** 2 + (_BIAS_WEIGHT * overshoot) ** 2
    return float(max(edges[:-1][int(np.argmin(loss))], edges[1]))
