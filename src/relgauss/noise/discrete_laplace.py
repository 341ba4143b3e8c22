"""The discrete Laplace law, exactly: an integer k with probability proportional to exp(-epsilon |k|).

|k| counts the multiples of epsilon that -log U exceeds; a sign is drawn beside it, and a negative zero is
drawn anew. Proof: proofs/discrete-gaussian.md.
"""

from __future__ import annotations

import math
from fractions import Fraction

from relgauss.noise.lazy_uniform import LazyUniform
from relgauss.noise.randomness import WORD, random_bits


def draw(epsilon: float) -> int:
    """One whole number, with epsilon taken as the exact fraction that it is."""
    while True:
        size = _size(Fraction(epsilon), LazyUniform(random_bits(WORD), WORD))
        if random_bits(1) == 0:
            return size
        if size > 0:
            return -size


def _size(epsilon: Fraction, uniform: LazyUniform) -> int:
    """How many of exp(-epsilon), exp(-2 epsilon), ... are above U; a guess in doubles, made exact."""
    while uniform.word < 2**WORD:  # with fewer digits the guess could be far off at a small epsilon
        uniform.extend()
    size = int((uniform.bits * math.log(2) - math.log(uniform.word)) / epsilon)
    while uniform.below_exp((size + 1) * epsilon):
        size += 1
    while not uniform.below_exp(size * epsilon):
        size -= 1
    return size
