"""Thresholds against 150-digit sums, and every branch of the sampler with words that were chosen for it."""

from bisect import bisect_right
from decimal import ROUND_DOWN, Context, FloatOperation, Inexact, Rounded, localcontext

import mpmath as mp
import numpy as np
import pytest

from relgauss.errors import InvalidParameterError, SecureNoiseUnavailableError
from relgauss.noise import inversion
from relgauss.noise.inversion import WORD, InversionTable, thresholds


def exact_thresholds(tau: float, bits: int, half: int) -> list[int]:
    """floor(2^bits F_j) for j = -half, ..., half - 1, from sums of weights that go on far beyond."""
    with mp.workdps(150):
        far = 4 * half + 60
        weights = [mp.exp(-(mp.mpf(j) ** 2) / (2 * mp.mpf(tau) ** 2)) for j in range(-far, far + 1)]
        whole, below, found = mp.fsum(weights), mp.mpf(0), []
        for weight in weights:
            below += weight
            found.append(int(mp.floor(below / whole * 2**bits)))
        return found[far - half : far + half]


@pytest.mark.parametrize("tau", [0.5, 1.5, 8.0, 20.1, 128.3])
@pytest.mark.parametrize("bits", [8, 64, 192])
def test_thresholds_are_exact(tau: float, bits: int):
    found = thresholds(tau, bits)
    assert found[0] == 0
    assert found[-1] == 2**bits - 1
    assert found == exact_thresholds(tau, bits, len(found) // 2)


def test_the_largest_table():
    """Of 145,000 numbers; far from its ends sums of doubles are exact enough to tell."""
    found = np.array(thresholds(4097.0, WORD), dtype=np.float64) / 2.0**WORD
    half = len(found) // 2
    weights = np.exp(-(np.arange(-10 * 4097, 10 * 4097 + 1) ** 2) / (2 * 4097.0**2))
    exact = np.cumsum(weights) / weights.sum()
    assert found[half - 20_000 : half + 20_000] == pytest.approx(
        exact[10 * 4097 - 20_000 : 10 * 4097 + 20_000], abs=1e-12
    )


HOSTILE = {
    "small exponents, cut off": Context(prec=5, rounding=ROUND_DOWN, Emax=50, Emin=-50, traps=[]),
    "traps": Context(prec=28, traps=[FloatOperation, Inexact, Rounded]),
}


@pytest.mark.parametrize("context", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_callers_decimal_context_changes_nothing(context: Context):
    """With the caller's context the first one would make all weights, and so the noise, vanish."""
    expected = thresholds(8.0, WORD)
    with localcontext(context):
        assert thresholds(8.0, WORD) == expected


@pytest.mark.parametrize("tau", [0.0, -8.0, 0.4, 1e5, float("inf"), float("nan")])
def test_scales_without_a_proof_are_refused(tau: float):
    with pytest.raises(InvalidParameterError):
        InversionTable.of(tau)


def test_a_table_is_not_to_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        InversionTable.of(8.0).thresholds[0] = 1


def test_too_few_digits_are_noticed():
    """With hardly any guard digits the two bounds differ, and more digits are taken by themselves."""
    assert thresholds(8.0, 64, guard=2) == thresholds(8.0, 64)


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch):
    """Random words that a test chooses."""
    given: list[int] = []

    def next_bytes(count: int) -> bytes:
        taken = [given.pop(0) for _ in range(count // 8)]
        # The first words of a draw are read as an array, a further one as a number.
        return np.array(taken, dtype=np.uint64).tobytes() if count > 8 else taken[0].to_bytes(8, "big")

    monkeypatch.setattr(inversion, "_random_bytes", next_bytes)
    return given


def test_a_word_that_decides(words):
    table = InversionTable.of(8.0)
    half = len(table.thresholds) // 2
    for place in range(1, len(table.thresholds)):
        words[:] = [int(table.thresholds[place]) - 1, int(table.thresholds[place - 1]) + 1]
        if words[0] in table.thresholds or words[1] in table.thresholds:
            continue  # in the far tails thresholds lie closer than that
        assert table.draw(2).tolist() == [place - half, place - half]


@pytest.mark.parametrize("place", [0, 20, 40, 70, 71, -1])
def test_a_word_that_equals_a_threshold_is_decided_by_the_next(words, place: int):
    table, finer = InversionTable.of(8.0), thresholds(8.0, 2 * WORD)
    word = int(table.thresholds[place])
    for second in (0, 1, 2**63, 2**64 - 2, 2**64 - 1):
        both = word << WORD | second
        if both in finer:
            continue
        words[:] = [word, 12345678901234567890, second]  # a second number beside it, decided at once
        assert table.draw(2)[0] == bisect_right(finer, both) - len(finer) // 2
        assert not words


def test_a_third_word(words):
    """A word and a second one that are both undecided, at the same threshold."""
    finer = thresholds(8.0, 2 * WORD)
    both = finer[len(finer) // 2]
    words[:] = [both >> WORD, 2**63 + 12345, both % 2**WORD, 2**63]
    drawn = InversionTable.of(8.0).draw(2)[0]
    finest = thresholds(8.0, 3 * WORD)
    assert drawn == bisect_right(finest, both << WORD | 2**63) - len(finest) // 2
    assert not words


def test_short_words_give_the_law_too(monkeypatch: pytest.MonkeyPatch):
    """With 8-bit words a sixth of all draws need a second word. Seeded; mean and variance of the law."""
    rng = np.random.default_rng(0)
    coarse = thresholds(8.0, 8)
    monkeypatch.setattr(inversion, "WORD", 8)
    monkeypatch.setattr(inversion, "_random_bytes", rng.bytes)
    count, second_looks = 4_000, 0
    numbers = []
    for word in rng.bytes(count):
        found = bisect_right(coarse, word)
        if word in coarse:
            second_looks += 1
            numbers.append(inversion._decide(8.0, word))
        else:
            numbers.append(found - len(coarse) // 2)
    assert second_looks > count / 10
    variance = 64.0
    assert np.mean(numbers) == pytest.approx(0, abs=5 * np.sqrt(variance / count))
    assert np.var(numbers) == pytest.approx(variance, rel=5 * np.sqrt(2 / count))


def fail(count: int) -> bytes:
    raise OSError("no entropy")


@pytest.mark.parametrize("source", [fail, lambda count: b"12345678"], ids=["an error", "too few bytes"])
def test_without_randomness_nothing_is_drawn(source, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inversion.os, "urandom", source)
    with pytest.raises(SecureNoiseUnavailableError, match="no random bytes"):
        InversionTable.of(8.0).draw(3)
