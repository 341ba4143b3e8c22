"""The discrete Gaussian of any scale tau, exactly, by one table and rejection:

    q from the table of scale S,   r uniform in {0, ..., m - 1},   m >= tau/S,   x = m q + r,
    kept with probability exp(-gamma),   gamma = x²/(2 tau²) - e(q)²/(2 S²) >= 0

Every integer is m q + r once, so what is kept has the law proportional to exp(-x²/(2 tau²)). S is 2^10
but at small scales, which have a table of their own with m S = tau. Doubles decide where a proven bound
on their error lets them, and integers in the rest, below 2^-40 of all. Proof: proofs/discrete-gaussian.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.noise.inversion import InversionTable
from relgauss.noise.lazy_uniform import LazyUniform
from relgauss.noise.randomness import WORD, Words, random_bits, random_words

_TABLE_DIGITS = 10  # S = 2^10
_WIDTH_DIGITS = 39  # of m/2^finer: coarse numbers stay below 2^53, so that doubles hold them
_SMALL = 2.0**20  # scales below have a table of their own: with the common one many would be rejected
_BAND = 2.0**-42  # more than the error of a double for exp(-gamma) - U
_ROOT_HALF = math.sqrt(0.5)
_UNIT = 2.0**-WORD


class Draws(NamedTuple):
    """Numbers x = 2^finer·coarse + fine, 0 <= fine < 2^finer; at the places of ``exact`` as integers too.

    ``digits`` are the first 64 of the ``finer`` binary digits of fine, filled up by zeros or to be followed
    by digits not drawn yet; ``fraction`` is digits/2^64, rounded. Both mean nothing if finer is 0.
    """

    coarse: FloatArray
    digits: Words
    fraction: FloatArray
    exact: dict[int, int]


class DiscreteGaussian(NamedTuple):
    """The law with tau = 2^finer·scale, drawn with m = 2^finer·width."""

    table: InversionTable
    scale: float
    width: int
    finer: int

    @classmethod
    def of(cls, std: float, exponent: int) -> DiscreteGaussian:
        """The law of scale std/2^exponent, which must be at least 1/2."""
        finer = max(0, math.frexp(std)[1] - exponent - _TABLE_DIGITS - _WIDTH_DIGITS)
        scale = math.ldexp(std, -exponent - finer)
        if not 0.5 <= scale < math.inf:
            raise InvalidParameterError("std", std, "finite, at least half a step", "Choose another lattice.")
        width = math.ceil(math.ldexp(scale, -_TABLE_DIGITS))
        return cls(_common_table() if scale >= _SMALL else _own_table(scale, width), scale, width, finer)

    def draw(self, count: int) -> Draws:
        """Independent numbers. How many proposals are rejected says nothing about those that are kept."""
        draws, kept = self._propose(count)
        while np.count_nonzero(kept) < count:
            places = np.flatnonzero(~kept)
            again, kept[places] = self._propose(len(places))
            draws.coarse[places] = again.coarse
            if self.finer:
                draws.digits[places] = again.digits
                draws.fraction[places] = again.fraction
            draws.exact.update({int(places[place]): x for place, x in again.exact.items()})
        return draws

    def _propose(self, count: int) -> tuple[Draws, NDArray[np.bool_]]:
        """Proposals, and which of them are kept."""
        table, words = self.table, random_words(4 if self.finer else 3, count)
        if 0 < self.finer < WORD:
            words[3] &= 2**WORD - 2 ** (WORD - self.finer)
        bin_word, width_word = words[0], words[1]
        found = table.thresholds.searchsorted(bin_word, "right")
        below = table.below[found]
        last = 2**WORD - 1 - 2**WORD % self.width  # words up to here are uniform modulo the width
        coarse = table.numbers[found]
        coarse *= self.width
        coarse += width_word % self.width
        floats = words[2:] * _UNIT
        margin = (coarse + floats[1] if self.finer else coarse) * (_ROOT_HALF / self.scale)
        margin *= margin  # x²/(2 tau²)
        np.subtract(table.envelope[found], margin, out=margin)
        np.exp(margin, out=margin)
        margin -= floats[0]
        kept = margin > _BAND
        kept &= bin_word != below
        kept &= width_word <= last
        draws = Draws(coarse, words[-1], floats[-1], {})
        if np.count_nonzero(kept) < count:
            unsure = np.abs(margin) <= _BAND
            unsure |= bin_word == below
            unsure &= width_word <= last
            for place in np.flatnonzero(unsure).tolist():
                kept[place] = self._keeps(draws, place, *words[:3, place].tolist())
        return draws, kept

    def _keeps(self, draws: Draws, place: int, bin_word: int, width_word: int, word: int) -> bool:
        """Whether the proposal from these words is kept, decided in integers."""
        q = self.table.find(LazyUniform(bin_word, WORD))
        draws.coarse[place] = q * self.width + width_word % self.width
        draws.exact[place] = x = self.complete(draws, place)
        e = max(q, -q - 1)
        gamma = Fraction(x, 1) ** 2 / (2 * self.tau**2) - Fraction(e, 1) ** 2 / (2 * self.table.scale**2)
        return LazyUniform(word, WORD).below_exp(gamma)

    @property
    def tau(self) -> Fraction:
        """The scale, exactly."""
        return Fraction(self.scale) * 2**self.finer

    @property
    def uncertainty(self) -> float:
        """More than the difference of fine/2^finer and ``fraction``."""
        return 2.0**-53 if self.finer > 53 else 0.0

    def complete(self, draws: Draws, place: int) -> int:
        """The number at this place with all its digits; those not drawn yet are drawn now."""
        if place in draws.exact:
            return draws.exact[place]
        x = int(draws.coarse[place]) << self.finer
        if self.finer:
            digits, further = int(draws.digits[place]), self.finer - WORD
            x += digits << further | random_bits(further) if further > 0 else digits >> -further
        return x


@lru_cache(maxsize=1)
def _common_table() -> InversionTable:
    """The one table for all scales but small ones."""
    return InversionTable.of(Fraction(2**_TABLE_DIGITS))


@lru_cache(maxsize=16)
def _own_table(scale: float, width: int) -> InversionTable:
    """The table of a small scale."""
    return InversionTable.of(Fraction(scale) / width)
