"""The classical mechanism for whole numbers, such as the counts of a histogram: much faster secure noise."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidValueError
from relgauss.mechanisms.gaussian import Gaussian
from relgauss.noise.inversion import InversionTable
from relgauss.noise.lattice import refuse_unproved

_GROWTH = 1 + 2.0**-12  # of the noise, for a lattice that is as coarse as 2^-7 of it
_LEAST_STEPS = 7  # a standard deviation is at least 2^7 steps of the lattice
_WORTH = 2  # numbers for each step of a standard deviation: for fewer, making the table takes longer
_LARGEST = 2.0**12  # noise level or multiplier; larger tables would not stay in a processor's cache


@dataclass(frozen=True)
class CountGaussian(Gaussian):
    """``Gaussian`` for q in Z^d, on a lattice that holds the whole numbers: nothing is rounded.

    Many numbers are drawn by inversion. Exactly mu-GDP with mu = 1/noise_multiplier: proofs/inversion.md.
    """

    theorem = "proofs/inversion.md"
    whole_numbers = True

    def _checked(self, value: ArrayLike) -> FloatArray:
        array = super()._checked(value)
        if (array != np.rint(array)).any():
            raise InvalidValueError("The value holds a number that is not whole.", "Release it by Gaussian.")
        return array

    def _release_secure(self, value: FloatArray) -> FloatArray:
        refuse_unproved(self.noise_std, self.dim)
        std = self.noise_std * _GROWTH
        exponent = min(math.frexp(std)[1] - 1 - _LEAST_STEPS, 0)
        steps_per_std = math.ldexp(std, -exponent)
        if max(self.noise_std, self.noise_multiplier) > _LARGEST or self.dim < _WORTH * steps_per_std:
            return super()._release_secure(value)
        steps = InversionTable.of(steps_per_std).draw(self.dim)
        return value + np.ldexp(steps.astype(np.float64), exponent)
