"""Words that a test chooses, and the laws that they must lead to."""

from fractions import Fraction

import mpmath as mp
import numpy as np

from relgauss.noise import discrete_gaussian
from relgauss.noise.discrete_gaussian import DiscreteGaussian, Draws

WORDS = 2**64


def propose(law: DiscreteGaussian, *words: list[int]) -> tuple[Draws, np.ndarray]:
    """What the law proposes for these words: for the bin, the place in it, the rejection, further digits."""
    given = np.array(words, dtype=np.uint64)
    honest = discrete_gaussian.random_words
    discrete_gaussian.random_words = lambda rows, count: given.reshape(rows, count).copy()
    try:
        return law._propose(given.shape[1])
    finally:
        discrete_gaussian.random_words = honest


def bins(law: DiscreteGaussian) -> list[tuple[int, int, int]]:
    """For each q of the table: q, a word in the middle of its bin, and how many words lie in it."""
    edges = [int(t) for t in law.table.thresholds]
    return [
        (int(q), (low + high) // 2, high - low)
        for q, low, high in zip(law.table.numbers[1:-1], edges, edges[1:], strict=False)
        if high - low > 2
    ]


def enumerated(law: DiscreteGaussian) -> dict[int, mp.mpf]:
    """The measure of all words that lead to each integer: every bin, every place in it, and the number of
    words that keep it, found by bisection. The measures add up to the probability of being kept."""
    cells = [(q, word, size, r) for q, word, size in bins(law) for r in range(law.width)]
    bin_words, places = [cell[1] for cell in cells], [cell[3] for cell in cells]
    proposed = propose(law, bin_words, places, [0] * len(cells))[0].coarse.tolist()
    low, high = [0] * len(cells), [WORDS] * len(cells)  # words below ``low`` are kept, from ``high`` on not
    while any(b - a > 1 for a, b in zip(low, high, strict=True)):
        middle = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
        kept = propose(law, bin_words, places, middle)[1].tolist()
        low = [m if keeps else a for m, keeps, a in zip(middle, kept, low, strict=True)]
        high = [b if keeps else m for m, keeps, b in zip(middle, kept, high, strict=True)]
    with mp.workdps(80):
        return {
            int(x): mp.mpf(size) * high / (law.width * mp.mpf(WORDS) ** 2)
            for x, (_, _, size, _), high in zip(proposed, cells, high, strict=True)
        }


def is_discrete_gaussian(measures: dict[int, mp.mpf], tau: Fraction) -> bool:
    """Whether measures are proportional to exp(-x²/(2 tau²)), up to a few words of 64 bits in each."""
    with mp.workdps(80):
        square = 2 * mp.mpf(tau.numerator) ** 2 / mp.mpf(tau.denominator) ** 2
        scale = measures[0]
        wrong = [abs(p - scale * mp.exp(-mp.mpf(x * x) / square)) for x, p in measures.items()]
        reach = max(measures)
        return max(wrong) < mp.mpf(2) ** -61 and set(measures) >= set(range(-reach + 1, reach))
