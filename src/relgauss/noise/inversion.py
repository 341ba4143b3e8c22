"""A whole number drawn by inversion: a random word and a look into a table of exact thresholds.

    P(Q = q) proportional to exp(-e(q)²/(2 S²)),   e(q) = q for q >= 0,  -q - 1 for q < 0
    F_q = P(Q <= q),   Q = the least q with U < F_q

64 digits of U decide all but one draw in 10^14; for that one more are drawn. All arithmetic is on
integers, with every error bounded. Proof: proofs/discrete-gaussian.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError, SecureNoiseUnavailableError
from relgauss.noise.lazy_uniform import LazyUniform, own_decimals
from relgauss.noise.randomness import WORD

_GUARD = 128  # binary digits past those of a threshold
_MOST_GUARD = 4096  # far more than chance could ever ask for
_SCALES = (Fraction(1, 2), Fraction(2**10))  # those that the errors are bounded for


class InversionTable(NamedTuple):
    """The law of scale S, ready to be drawn from.

    A word v between ``thresholds[i - 1]`` and ``thresholds[i]`` stands for the number ``numbers[i]``;
    ``below[i]`` is the threshold before it and ``envelope[i]`` is e²/(2 S²) of it.
    """

    scale: Fraction
    thresholds: NDArray[np.uint64]
    below: NDArray[np.uint64]
    numbers: FloatArray
    envelope: FloatArray

    @classmethod
    def of(cls, scale: Fraction) -> InversionTable:
        """The table for this scale: 25 milliseconds at 2^10, and proportional to the scale."""
        if not _SCALES[0] <= scale <= _SCALES[1]:
            raise InvalidParameterError("scale", scale, f"between {_SCALES[0]} and {_SCALES[1]}", "Rescale.")
        found = np.array(thresholds(scale, WORD), dtype=np.uint64)
        numbers = np.arange(len(found) + 1.0) - len(found) // 2 - 1
        envelope = np.maximum(numbers, -numbers - 1) ** 2 * float(1 / (2 * scale**2))
        table = cls(scale, found, np.concatenate((found[:1], found)), numbers, envelope)
        for array in table[1:]:
            array.flags.writeable = False
        return table

    def find(self, word: int) -> int:
        """The number for a U that begins with this word; as many further digits are drawn as it takes."""
        found = int(self.thresholds.searchsorted(np.uint64(word), "right"))
        if word != self.below[found]:
            return int(self.numbers[found])
        uniform = LazyUniform(word, WORD)
        while True:
            uniform.extend()
            finer = thresholds(self.scale, uniform.bits)
            found = bisect_right(finer, uniform.word)
            if bisect_left(finer, uniform.word) == found:
                return found - len(finer) // 2 - 1


def thresholds(scale: Fraction, bits: int, guard: int = _GUARD) -> list[int]:
    """floor(2^bits F_q) for q = -1 - m, ..., -1 + m, where m is such that the first one is 0.

    F_(-1) = 1/2, and as the law is symmetric about -1/2, F_q = 1 - F_(-q-2). Both bounds of each are
    computed; where they differ, more ``guard`` digits are taken.
    """
    places = bits + guard
    weights = _weights(scale, places)
    error = 8 * len(weights) ** 3  # of every sum of weights, in units of their last binary digit
    whole = 2 * sum(weights)
    least_factor = (1 << 2 * places + bits) // (whole + 2 * error)  # 2^(places + bits) / whole
    most_factor = (1 << 2 * places + bits) // (whole - 2 * error) + 1
    least, most = [], []
    for below in accumulate(reversed(weights[1:])):
        least.append(max(below - error, 0) * least_factor >> 2 * places)
        most.append((below + error) * most_factor >> 2 * places)
    if least != most:
        if guard > _MOST_GUARD:
            raise SecureNoiseUnavailableError("A table of noise cannot be made.", "Nothing was released.")
        return thresholds(scale, bits, 2 * guard)
    left = least[max(least.count(0) - 1, 0) :]
    return [*left, 1 << bits - 1, *(2**bits - 1 - threshold for threshold in reversed(left))]


def _weights(scale: Fraction, places: int) -> list[int]:
    """2^places exp(-e²/(2 S²)) for e = 0, 1, ... until it vanishes, each from the one before."""
    with own_decimals(places // 3 + 10):
        exponent = -Decimal(scale.denominator**2) / Decimal(2 * scale.numerator**2)
        ratio = int(exponent.exp() * 2**places)
    growth = ratio * ratio >> places
    weights = [1 << places]
    while weights[-1]:
        weights.append(weights[-1] * ratio >> places)
        ratio = ratio * growth >> places
    return weights
