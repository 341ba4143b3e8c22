"""Exact discrete Gaussian noise by inversion: a random word and a look into a table for each number.

    F_j = P(K <= j),   P(K = i) proportional to exp(-i²/(2 tau²)),   K = the least j with U < F_j

U has as many random bits as it takes: 64 of them decide all but one draw in 10^14, and for that one more
are drawn. All arithmetic is on integers, with every error bounded. Proof: proofs/inversion.md.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, Overflow, localcontext
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from relgauss.errors import InvalidParameterError, SecureNoiseUnavailableError

WORD = 64  # bits that are drawn at a time
_GUARD = 128  # binary digits past those of a threshold
_MOST_GUARD = 4096  # far more than chance could ever ask for
_SCALES = (0.5, 2.0**13)  # those that the errors are bounded for


@dataclass(frozen=True, eq=False)
class InversionTable:
    """The law with scale ``tau``, ready to be drawn from: ``thresholds`` of 64 bits."""

    tau: float
    thresholds: NDArray[np.uint64]

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, tau: float) -> InversionTable:
        """The table for this scale: two milliseconds at tau = 128, and proportional to tau."""
        if not _SCALES[0] <= tau <= _SCALES[1]:
            raise InvalidParameterError("tau", tau, f"between {_SCALES[0]} and {_SCALES[1]}", "Rescale.")
        table = np.array(thresholds(tau, WORD), dtype=np.uint64)
        table.flags.writeable = False
        return cls(tau, table)

    def draw(self, count: int) -> NDArray[np.int64]:
        """Independent numbers from the law, with randomness of the operating system."""
        words = np.frombuffer(_random_bytes(count * WORD // 8), dtype=np.uint64)
        found = np.searchsorted(self.thresholds, words, side="right")
        numbers = found.astype(np.int64) - len(self.thresholds) // 2
        for place in np.flatnonzero(np.searchsorted(self.thresholds, words, side="left") != found):
            numbers[place] = _decide(self.tau, int(words[place]))
        return numbers


def thresholds(tau: float, bits: int, guard: int = _GUARD) -> list[int]:
    """floor(2^bits F_j) for j = -m, ..., m - 1, where m is such that the first one is 0.

    As the law is symmetric, F_j = 1 - F_(-j-1). Both bounds of each are computed; where they differ, more
    ``guard`` digits are taken.
    """
    places = bits + guard
    weights = _weights(tau, places)
    error = 8 * len(weights) ** 3  # of every sum of weights, in units of their last binary digit
    whole = 2 * sum(weights) - weights[0]
    least_factor = (1 << 2 * places + bits) // (whole + 2 * error)  # 2^(places + bits) / whole
    most_factor = (1 << 2 * places + bits) // (whole - 2 * error) + 1
    least, most = [], []
    for below in accumulate(reversed(weights[1:])):
        least.append(max(below - error, 0) * least_factor >> 2 * places)
        most.append((below + error) * most_factor >> 2 * places)
    if least != most:
        if guard > _MOST_GUARD:
            raise SecureNoiseUnavailableError("A table of noise cannot be made.", "Nothing was released.")
        return thresholds(tau, bits, 2 * guard)
    left = least[max(least.count(0) - 1, 0) :]
    return left + [2**bits - 1 - threshold for threshold in reversed(left)]


def _weights(tau: float, places: int) -> list[int]:
    """2^places exp(-j²/(2 tau²)) for j = 0, 1, ... until it vanishes, each from the one before."""
    with localcontext(_own_context(places // 3 + 10)):
        ratio = int((-1 / (2 * Decimal(tau) ** 2)).exp() * 2**places)
    growth = ratio * ratio >> places
    weights = [1 << places]
    while weights[-1]:
        weights.append(weights[-1] * ratio >> places)
        ratio = ratio * growth >> places
    return weights


def _own_context(digits: int) -> Context:
    """Decimal arithmetic that owes nothing to the caller's settings, which could make the noise vanish."""
    return Context(digits, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX, 1, 0, flags=[], traps=[Overflow])


def _decide(tau: float, word: int) -> int:
    """The number for a word that equals a threshold: draw further bits until it does not."""
    bits = WORD
    while True:
        bits += WORD
        word = word << WORD | int.from_bytes(_random_bytes(WORD // 8), "big")
        table = thresholds(tau, bits)
        found = bisect_right(table, word)
        if bisect_left(table, word) == found:
            return found - len(table) // 2


def _random_bytes(count: int) -> bytes:
    try:
        found = os.urandom(count)
    except (NotImplementedError, OSError):
        found = b""
    if len(found) != count:
        raise SecureNoiseUnavailableError(
            "The operating system gives no random bytes.",
            "Nothing was released. Check the machine's source of randomness.",
        )
    return found
