"""Noisy counts of the bins of a logarithmic grid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from relgauss.arrays import FloatArray
from relgauss.mechanisms import Gaussian
from relgauss.sensitivity import AbsoluteSensitivity


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """Released counts: a row of ``values`` for each group, with its public size and its noise level."""

    sizes: FloatArray
    values: FloatArray
    noise_std: FloatArray

    def batches(self, length: int) -> Iterator[NoisyCounts]:
        """The same groups, a few at a time."""
        for start in range(0, len(self.sizes), length):
            part = slice(start, start + length)
            yield NoisyCounts(self.sizes[part], self.values[part], self.noise_std[part])

    def at_most(self, groups: int) -> NoisyCounts:
        """As many of the groups, evenly picked."""
        every = -(-len(self.sizes) // groups)
        return NoisyCounts(self.sizes[::every], self.values[::every], self.noise_std[::every])


def count_mechanism(bins: int, mu: float) -> Gaussian:
    """The release of all counts of a group at once, mu-GDP.

    Replacing one record moves one count down by 1 and another up by 1: an L2 distance of at most sqrt(2),
    whatever the number of bins. Proof: proofs/log-histogram.md.
    """
    return Gaussian(AbsoluteSensitivity(math.nextafter(math.sqrt(2), 2), "enforced"), bins, 1 / mu)
