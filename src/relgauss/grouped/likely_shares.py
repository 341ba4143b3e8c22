"""What share of each group is zero, or missing, by noisy counts: none at all, or one of some size.

How common each size is, and none, is learned from all groups of the table together. Small sizes are no less
likely beforehand than large ones: were every share from 0 to 1 alike, a small one would pass for none
wherever noise could be as large.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from relgauss.arrays import FloatArray

_ENDS = np.array([0.0, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.0])  # of the sizes of shares
_LARGEST_LOG = 500.0  # far off an interval, where it has no weight
_NONE_PRIOR, _PRIOR_GROUPS, _STEPS = 0.5, 1.0, 100


def likely_shares(observed: FloatArray, sizes: FloatArray, noise_std: FloatArray) -> FloatArray:
    """E[share | y] for y = share n + N(0, noise_std²), an entry for each group.

    The share is 0, or anywhere between two neighbouring ends; how often it is which is fitted to all groups
    by expectation-maximisation, with one made-up group beside them.
    """
    scale = (noise_std / sizes)[:, None]
    places = ((observed / sizes)[:, None] - _ENDS) / scale
    after, before = places[:, :-1], places[:, 1:]
    # ends on the upper side are mirrored: differences of numbers near 1 lose their digits
    mirrored = before > 0
    near, far = np.where(mirrored, -before, after), np.where(mirrored, -after, before)
    log_mass = log_ndtr(near) + np.log(-np.expm1(np.minimum(log_ndtr(far) - log_ndtr(near), -1e-15)))
    log_evidence = np.concatenate(
        [
            -(places[:, :1] ** 2) / 2 - np.log(2 * np.pi) / 2 - np.log(scale),
            log_mass - np.log(np.diff(_ENDS)),
        ],
        axis=1,
    )
    evidence = np.exp(log_evidence - log_evidence.max(axis=1, keepdims=True))
    each = (1 - _NONE_PRIOR) / (len(_ENDS) - 1)
    prior = np.append(_NONE_PRIOR, np.full(len(_ENDS) - 1, each))
    learned = prior
    for _ in range(_STEPS):
        found = learned * ((1 / (evidence @ learned)) @ evidence)
        learned = (found + _PRIOR_GROUPS * prior) / (len(evidence) + _PRIOR_GROUPS)
    weights = evidence * learned
    weights /= weights.sum(axis=1, keepdims=True)
    pushed, pulled = (
        np.exp(np.minimum(_log_density(end) - log_mass, _LARGEST_LOG)) for end in (after, before)
    )
    typical = np.clip((observed / sizes)[:, None] + scale * (pushed - pulled), _ENDS[:-1], _ENDS[1:])
    return np.asarray((weights[:, 1:] * typical).sum(axis=1))


def _log_density(x: FloatArray) -> FloatArray:
    return np.asarray(-(x**2) / 2 - np.log(2 * np.pi) / 2)
