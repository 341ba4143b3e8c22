"""Groups that are found privately: a group shows only if its noisy count of persons passes a threshold.

    noisy count > 1 + t,   P(noise > t) <= delta_g = leak/(2G)

A group that a single person makes shows with probability at most delta_g; replacing a person makes or unmakes
at most 2G such groups, so the leak is charged once, beside the noise. Proof: proofs/private-groups.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from relgauss.arrays import FloatArray
from relgauss.bounded.answer import BoundedAnswer
from relgauss.grouped.person_bounds import PersonBounds
from relgauss.mechanisms import Gaussian

_TOGETHER = 4096  # counts in one vector, filled up: the number of groups is private


class Threshold(NamedTuple):
    """Noise of this std on each count of persons; a group shows if its noisy count is above ``least``."""

    noise_std: float
    least: float


class NoisyPersons(NamedTuple):
    """Noisy counts of persons, in the order that they were given, and which groups show."""

    counts: FloatArray
    shows: NDArray[np.bool_]
    noise_std: float


def threshold(bounds: PersonBounds, mu: float, leak: float) -> Threshold:
    """The noise and the threshold, both public, for counts at mu-GDP and this leak."""
    noise_std = _mechanism(bounds, mu).noise_std
    delta_g = leak / (2 * bounds.groups)
    # Secure noise is discrete and a little wider; the step of its lattice is far below 1e-6 of its std.
    tail = -float(ndtri(delta_g)) * (1 + 1e-6) * (1 + 2.0**-40 / mu) + 1e-6
    return Threshold(noise_std, 1 + noise_std * tail)


def find_groups(
    persons: NDArray[np.int64], bounds: PersonBounds, mu: float, leak: float, rng: np.random.Generator | None
) -> NoisyPersons:
    """Noisy counts of persons of every group that has any, at mu-GDP and this leak: which of them show."""
    noisy = noisy_persons(persons, bounds, mu, rng)
    limit = threshold(bounds, mu, leak)
    return NoisyPersons(noisy, noisy > limit.least, limit.noise_std)


def noisy_persons(
    persons: NDArray[np.int64], bounds: PersonBounds, mu: float, rng: np.random.Generator | None
) -> FloatArray:
    """Counts of persons with noise at mu-GDP.

    The noise of a vector has a lattice that depends on its length, so vectors have one public length: zeros
    fill up the last. Whole numbers lie on that lattice, so rounding moves none of them.
    """
    mechanism = _mechanism(bounds, mu)
    filled = np.zeros(-(-len(persons) // _TOGETHER) * _TOGETHER)
    filled[: len(persons)] = persons
    parts = [
        mechanism.release(filled[start : start + _TOGETHER], rng=rng)
        for start in range(0, len(filled), _TOGETHER)
    ]
    return np.concatenate(parts)[: len(persons)] if parts else np.zeros(0)


def _mechanism(bounds: PersonBounds, mu: float) -> Gaussian:
    answer = BoundedAnswer.enforced(np.zeros(0), bounds.person_counts)
    return Gaussian(answer.sensitivity, _TOGETHER, 1 / mu)
