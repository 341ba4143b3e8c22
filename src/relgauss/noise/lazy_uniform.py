"""A uniform number with as many binary digits as a decision takes, and exact comparisons with it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, Overflow, localcontext
from fractions import Fraction

from relgauss.noise.randomness import WORD, random_bits


class LazyUniform:
    """U uniform in [0, 1): its first ``bits`` digits are ``word``, so U is in [word, word + 1)·2^-bits."""

    def __init__(self, word: int, bits: int) -> None:
        self.word = word
        self.bits = bits

    def extend(self) -> None:
        """Draw another 64 digits."""
        self.word = self.word << WORD | random_bits(WORD)
        self.bits += WORD

    def below_exp(self, gamma: Fraction) -> bool:
        """Whether U < exp(-gamma), for gamma >= 0. Proof: proofs/discrete-gaussian.md."""
        if gamma == 0:
            return True  # for every other rational gamma the bound is irrational, so some digit decides
        while True:
            least, most = bounds_of_exp(gamma, self.bits)
            if self.word + 1 <= least:
                return True
            if self.word >= most:
                return False
            self.extend()


def bounds_of_exp(gamma: Fraction, bits: int) -> tuple[int, int]:
    """Two whole numbers, three apart, with 2^bits exp(-gamma) between them, for gamma > 0."""
    with own_decimals(bits // 3 + 30):
        exponent = -Decimal(gamma.numerator) / Decimal(gamma.denominator)
        whole = int(exponent.exp() * 2**bits)
    return whole - 1, whole + 2


def own_decimals(digits: int) -> AbstractContextManager[Context]:
    """Decimal arithmetic that owes nothing to the caller's settings, which could make the noise vanish."""
    return localcontext(
        Context(digits, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX, 1, 0, flags=[], traps=[Overflow])
    )
