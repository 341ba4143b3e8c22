"""Random bits of the operating system, drawn when they are needed.

Nothing is kept between two calls, so processes after a fork, threads and releases never share a bit.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from relgauss.errors import SecureNoiseUnavailableError

WORD = 64  # bits that are drawn at a time

Words = NDArray[np.uint64]


def random_words(rows: int, count: int) -> Words:
    """``rows`` arrays of ``count`` independent words of 64 bits."""
    return np.frombuffer(bytearray(random_bytes(8 * rows * count)), np.uint64).reshape(rows, count)


def random_bits(count: int) -> int:
    """A whole number that is uniform below 2^count."""
    return int.from_bytes(random_bytes(-(-count // 8)), "big") >> -count % 8


def random_bytes(count: int) -> bytes:
    """This many bytes, or an error: there is no other source to fall back to."""
    try:
        found = os.urandom(count)
    except (NotImplementedError, OSError):
        found = b""
    if len(found) != count:
        raise SecureNoiseUnavailableError(
            "The operating system gives no random bytes.",
            "Nothing was released. There is no fall-back: check the machine's source of randomness.",
        )
    return found
