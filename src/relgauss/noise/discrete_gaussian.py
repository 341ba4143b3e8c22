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
from relgauss.errors import InvalidValueError
from relgauss.noise.inversion import InversionTable
from relgauss.noise.lazy_uniform import LazyUniform
from relgauss.noise.randomness import WORD, Words, random_bits, random_words

_TABLE_DIGITS = 10  # S = 2^10
_WIDTH_DIGITS = 39  # of m/2^finer: coarse numbers stay below 2^53, so that doubles hold them
_SMALL = 2.0**20  # scales below have a table of their own: with the common one many would be rejected
_BAND = 2.0**-43  # more than the error of a double for exp(-gamma) - U
_ROOT_HALF = math.sqrt(0.5)
_WORDS = 2**WORD


class Draws(NamedTuple):
    """Numbers x = 2^finer·coarse + fine, 0 <= fine < 2^finer; at the places of ``exact`` as integers too.

    ``digits`` are the first 64 of the ``finer`` binary digits of fine, filled up by zeros, or to be followed
    by digits not drawn yet. They mean nothing if finer is 0.
    """

    coarse: FloatArray
    digits: Words
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
        if not 0.5 <= scale < math.inf:  # the std may depend on the answer, so it is not shown
            raise InvalidValueError("The noise is infinite or below half a step.", "Use other units.")
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
            draws.exact.update({int(places[place]): x for place, x in again.exact.items()})
        return draws

    def _propose(self, count: int) -> tuple[Draws, NDArray[np.bool_]]:
        """Proposals, and which of them are kept."""
        table, width = self.table, self.width
        words = random_words(4 if self.finer else 3, count)
        if 0 < self.finer < WORD:
            words[3] &= _WORDS - 2 ** (WORD - self.finer)
        bin_word, width_word = words[0], words[1]
        found = table.thresholds.searchsorted(bin_word, "right")
        below = table.below[found]
        last = _WORDS - 1 - _WORDS % width  # words up to here are uniform modulo the width
        coarse = table.numbers[found]
        coarse *= width
        coarse += (width_word % width).astype(np.float64)
        margin = coarse * (_ROOT_HALF / self.scale)
        margin *= margin  # x²/(2 tau²), for what is fine makes no difference to a double
        np.subtract(table.envelope[found], margin, out=margin)
        np.exp(margin, out=margin)
        uniform = words[2].astype(np.float64)
        uniform *= 2.0**-WORD
        margin -= uniform
        kept = margin > _BAND
        kept &= bin_word != below
        kept &= width_word <= last
        draws = Draws(coarse, words[-1], {})
        if np.count_nonzero(kept) < count:
            unsure = np.abs(margin) <= _BAND
            unsure |= bin_word == below
            unsure &= width_word <= last
            for place in np.flatnonzero(unsure).tolist():
                x = self._decide(*words[:, place].tolist())
                kept[place] = x is not None
                if x is not None:
                    draws.exact[place] = x
        return draws, kept

    def _decide(self, bin_word: int, width_word: int, word: int, digits: int = 0) -> int | None:
        """The number that these words propose, or None if it is rejected: in integers."""
        q = self.table.find(bin_word)
        x = self._number(q * self.width + width_word % self.width, digits)
        gamma = (x / self.tau) ** 2 / 2 - (max(q, -q - 1) / self.table.scale) ** 2 / 2
        return x if LazyUniform(word, WORD).below_exp(gamma) else None

    @property
    def tau(self) -> Fraction:
        """The scale τ as an exact fraction, in steps of the lattice."""
        return Fraction(self.scale) * (1 << self.finer)

    def complete(self, draws: Draws, place: int) -> int:
        """The number at this place with all its digits; those not drawn yet are drawn now."""
        if place in draws.exact:
            return draws.exact[place]
        return self._number(int(draws.coarse[place]), int(draws.digits[place]))

    def _number(self, coarse: int, digits: int) -> int:
        if self.finer > WORD:
            return (coarse << WORD | digits) << self.finer - WORD | random_bits(self.finer - WORD)
        return coarse << self.finer | (digits >> WORD - self.finer)


@lru_cache(maxsize=1)
def _common_table() -> InversionTable:
    """The one table for all scales but small ones."""
    return InversionTable.of(Fraction(2**_TABLE_DIGITS))


@lru_cache(maxsize=16)
def _own_table(scale: float, width: int) -> InversionTable:
    """The table of a small scale."""
    return InversionTable.of(Fraction(scale) / width)
