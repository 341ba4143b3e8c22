"""Every branch of the discrete Gaussian's sampler, with words chosen for it, and its law by enumeration."""

import threading
from decimal import Context, localcontext
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidValueError, SecureNoiseUnavailableError
from relgauss.noise import discrete_gaussian, discrete_laplace, lattice, randomness
from relgauss.noise.discrete_gaussian import DiscreteGaussian
from relgauss.noise.inversion import InversionTable, thresholds

from .exact_laws import WORDS, bins, enumerated, is_discrete_gaussian, propose


def small(table_scale: Fraction, scale: float, width: int) -> DiscreteGaussian:
    """A law with a small table, so that all of it can be gone through."""
    assert width * table_scale >= Fraction(scale)
    return DiscreteGaussian(InversionTable.of(table_scale), scale, width, 0)


LAWS = {
    "a table of its own": DiscreteGaussian.of(1.5, 0),
    "the least scale": DiscreteGaussian.of(0.5, 0),
    "wider bins": small(Fraction(2), 5.7, 3),
    "bins much too wide": small(Fraction(3, 2), 4.0, 5),
    "a table that is too wide": small(Fraction(4), 1.5, 1),
    "power of two": small(Fraction(1), 4.0, 4),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
def test_the_law_by_enumeration(law: DiscreteGaussian):
    assert is_discrete_gaussian(enumerated(law), Fraction(law.scale))


def with_table(law: DiscreteGaussian, **fields: np.ndarray) -> DiscreteGaussian:
    return law._replace(table=law.table._replace(**fields))


def test_enumeration_sees_a_biased_entry_of_the_table():
    law = LAWS["wider bins"]
    biased = law.table.thresholds.copy()
    biased[len(biased) // 2 + 3] += np.uint64(2**10)  # by 2^-54
    planted = with_table(law, thresholds=biased, below=np.concatenate((biased[:1], biased)))
    assert not is_discrete_gaussian(enumerated(planted), Fraction(law.scale))


def test_enumeration_sees_a_missing_rejection():
    law = LAWS["wider bins"]
    everything_kept = with_table(law, envelope=law.table.envelope + 99.0)
    assert not is_discrete_gaussian(enumerated(everything_kept), Fraction(law.scale))


def test_enumeration_sees_a_rejection_that_doubles_decide_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(discrete_gaussian, "_BAND", 0.0)
    law = LAWS["wider bins"]
    assert not is_discrete_gaussian(enumerated(law), Fraction(law.scale))


@pytest.mark.parametrize("exponent", [-20, -47, -58, -70, -115, -400])
def test_what_is_proposed_and_when_it_is_kept_at_large_scales(exponent: int):
    """From every 97th bin: the integer, and the two words around the bound on which keeping it depends."""
    law = DiscreteGaussian.of(1.3, exponent)
    chosen = bins(law)[::97]
    rng = np.random.default_rng(3)
    places = rng.integers(2**63, size=len(chosen)).tolist()
    digits = rng.integers(2**63, size=len(chosen)).tolist() if law.finer else []
    with mp.workdps(120):
        tau = mp.mpf(1.3) * mp.mpf(2) ** -exponent
        words, numbers = [], []
        for i, (q, _, _) in enumerate(chosen):
            coarse = q * law.width + places[i] % law.width
            fine = digits[i] * 2 ** max(law.finer - 64, 0) >> max(64 - law.finer, 0) if law.finer else 0
            x = mp.mpf(coarse * 2**law.finer + fine)
            envelope = mp.mpf(max(q, -q - 1)) ** 2 / (2 * mp.mpf(2) ** 20)
            words.append(int(mp.floor(mp.exp(envelope - x * x / (2 * tau * tau)) * WORDS)))
            numbers.append(coarse)
    rows = [[word for _, word, _ in chosen], places]
    for shift, is_kept in ((-2, True), (2, False)):
        draws, kept = propose(law, *rows, [word + shift for word in words], *([digits] if law.finer else []))
        assert kept.tolist() == [is_kept] * len(chosen)
        if is_kept:  # so close to the bound all were decided in integers
            exact = [law.complete(draws, place) >> law.finer for place in range(len(chosen))]
            assert exact == numbers
            assert len(draws.exact) == len(chosen)


@pytest.mark.parametrize("exponent", [-20, -58, -115])
def test_the_error_of_doubles_is_within_its_band(exponent: int, monkeypatch: pytest.MonkeyPatch):
    """Words a band and a half from the bound are decided without integers, and rightly."""
    law = DiscreteGaussian.of(1.9, exponent)
    monkeypatch.setattr(DiscreteGaussian, "_decide", lambda *_: pytest.fail("decided in integers"))
    rng = np.random.default_rng(4)
    table = bins(law)
    chosen = [table[i] for i in rng.integers(len(table), size=2000)]
    places = [int(word) % law.width for word in rng.integers(2**63, size=len(chosen))]
    with mp.workdps(60):
        tau = mp.mpf(1.9) * mp.mpf(2) ** (-exponent - law.finer)
        words = []
        for (q, _, _), r in zip(chosen, places, strict=True):
            envelope = mp.mpf(max(q, -q - 1)) ** 2 / (2 * mp.mpf(2) ** 20)
            x = mp.mpf(q * law.width + r)
            words.append(int(mp.floor(mp.exp(envelope - x * x / (2 * tau * tau)) * WORDS)))
    rows = [[word for _, word, _ in chosen], places]
    last = [[0] * len(chosen)] if law.finer else []
    away = 3 * 2**20  # 1.5 · 2^-43 of 2^64
    assert propose(law, *rows, [word - away for word in words], *last)[1].all()
    above = [min(word + away, WORDS - 1) for word in words]
    sure = np.array([word + away < WORDS for word in words])
    assert not propose(law, *rows, above, *last)[1][sure].any()


def test_words_that_are_not_uniform_modulo_the_width_are_rejected():
    law = LAWS["wider bins"]
    assert law.width == 3
    assert (WORDS - 2) % 3 == 2  # the last word but one ends a whole round of remainders
    middle = bins(law)[5][1]
    _, kept = propose(law, [middle] * 2, [WORDS - 2, WORDS - 1], [0, 0])
    assert kept.tolist() == [True, False]


def test_a_word_on_a_threshold_is_decided_by_further_digits(monkeypatch: pytest.MonkeyPatch):
    law = LAWS["a table of its own"]
    finer = thresholds(law.table.scale, 128)
    for place in range(2, len(law.table.thresholds) - 2):
        word, bound = int(law.table.thresholds[place]), 0
        bound = next(t for t in finer if t >> 64 == word)
        for further, q in ((bound % WORDS - 1, place), (bound % WORDS + 1, place + 1)):
            if not 0 < further < WORDS - 1:
                continue
            monkeypatch.setattr("relgauss.noise.lazy_uniform.random_bits", lambda _, f=further: f)
            draws, kept = propose(law, [word], [0], [0])
            assert kept.tolist() == [True]
            assert draws.exact == {0: int(law.table.numbers[q])}


def test_what_is_rejected_leaves_no_trace(monkeypatch: pytest.MonkeyPatch):
    """A proposal that integers reject is drawn anew, and what replaces it is what is returned."""
    law = DiscreteGaussian.of(1.3, -115)
    q, word, _ = bins(law)[5000]
    with mp.workdps(60):
        tau = mp.mpf(1.3) * mp.mpf(2) ** (115 - law.finer)
        gamma = mp.mpf(q * law.width + 5) ** 2 / (2 * tau**2) - mp.mpf(max(q, -q - 1)) ** 2 / 2**21
        bound = int(mp.floor(mp.exp(-gamma) * WORDS))
    given = [[[word] * 2, [5, 6], [bound + 2, 7], [8, 9]], [[bins(law)[0][1]], [3], [0], [4]]]
    monkeypatch.setattr(discrete_gaussian, "random_words", lambda *_: np.array(given.pop(0), dtype=np.uint64))
    draws = law.draw(2)
    assert draws.exact == {}
    assert draws.coarse.tolist() == [bins(law)[0][0] * law.width + 3, q * law.width + 6]
    assert draws.digits.tolist() == [4, 9]


def test_no_number_depends_on_the_callers_settings():
    for exponent in (0, -47, -115):
        with np.errstate(all="raise"), localcontext(Context(prec=3, Emax=9, Emin=-9)):
            discrete_gaussian._own_table.cache_clear()
            noise = lattice.add_discrete_gaussian(np.zeros(1000), 1.5, exponent)
        assert 1 < np.std(noise) < 2  # beyond 10 standard deviations of it


@pytest.mark.parametrize("std", [0.4, 0.0, -1.0, float("inf"), float("nan")])
def test_scales_without_a_law_are_refused_and_not_shown(std: float):
    with pytest.raises(InvalidValueError) as refusal:
        lattice.add_discrete_gaussian(np.zeros(3), std, 0)
    assert not set("0123456789") & set(str(refusal.value))


def fail(count: int) -> bytes:
    raise OSError("no entropy")


@pytest.mark.parametrize("source", [fail, lambda count: b"12345678"], ids=["an error", "too few bytes"])
def test_without_randomness_nothing_is_drawn(source, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(randomness.os, "urandom", source)
    for draw in (
        lambda: lattice.add_discrete_gaussian(np.zeros(3), 1.0, -47),
        lambda: discrete_laplace.draw(1.0),
        lambda: rg.RelativeGaussian(rg.RelativeSensitivity(0.1, 1.0), 3, 0.1).release([1.0, 2.0, 3.0]),
    ):
        with pytest.raises(SecureNoiseUnavailableError, match="no random bytes"):
            draw()


def test_threads_share_no_noise_not_even_at_the_first_draw():
    """Two of 4,000 numbers are equal with a probability below 1e-7."""
    discrete_gaussian._common_table.cache_clear()
    found: list[np.ndarray] = []
    start = threading.Barrier(4)

    def draw() -> None:
        start.wait()
        found.extend(lattice.add_discrete_gaussian(np.zeros(50), 1.0, -60) for _ in range(20))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(np.unique(np.concatenate(found))) == 4000
