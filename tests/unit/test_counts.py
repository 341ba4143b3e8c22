"""The mechanism for counts: a Gaussian's guarantee, on coarser lattices, and the ordinary way for a few."""

import math

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, InvalidValueError
from relgauss.mechanisms import count_gaussian as counts
from relgauss.mechanisms.count_gaussian import CountGaussian
from relgauss.noise import secure

BOUND = rg.AbsoluteSensitivity(math.sqrt(2))


def test_it_promises_what_a_gaussian_does():
    ours, plain = CountGaussian(BOUND, 1000, 8.0), rg.Gaussian(BOUND, 1000, 8.0)
    assert ours.guarantee == plain.guarantee
    assert ours.charge().theorem == "proofs/inversion.md"
    assert ours.noise_std == plain.noise_std
    seeded = [each.release(np.zeros(1000), rng=np.random.default_rng(1)) for each in (ours, plain)]
    assert np.array_equal(*seeded)


@pytest.mark.parametrize("multiplier", [0.01, 0.9, 8.0, 150.0, 2000.0])
def test_the_lattice_is_fine_enough_and_the_noise_large_enough(multiplier: float, monkeypatch):
    """What the proof asks for: whole numbers on the lattice, 2^7 steps in a std, 2^-12 more noise."""
    seen = []

    class Table:
        @staticmethod
        def of(tau: float):
            seen.append(tau)
            return Table()

        def draw(self, count: int) -> np.ndarray:
            return np.full(count, 1)

    monkeypatch.setattr(counts, "InversionTable", Table)
    mechanism = CountGaussian(BOUND, 100_000, multiplier)
    step = float(mechanism.release(np.zeros(100_000))[0])
    assert math.frexp(step)[0] == 0.5  # a power of two
    assert step <= 1
    assert seen[0] >= 2**7
    assert seen[0] * step == pytest.approx(mechanism.noise_std * (1 + 2.0**-12), rel=1e-15)
    loss = 1 / math.sqrt(1 - (2.5 / seen[0]) ** 2)
    assert loss < 1 + 2.0**-12  # what the coarse lattice costs is in the noise


@pytest.mark.parametrize(("dim", "multiplier"), [(10, 8.0), (200, 8.0), (5000, 5000.0), (100_000, 1e6)])
def test_few_numbers_or_much_noise_take_the_ordinary_way(dim: int, multiplier: float, monkeypatch):
    called = []
    monkeypatch.setattr(
        secure, "add_discrete_gaussian", lambda value, std, exponent: called.append(1) or value
    )
    CountGaussian(BOUND, dim, multiplier).release(np.zeros(dim))
    assert called


def test_large_counts_keep_their_noise():
    """2^60 has no digit for noise of 11 in a double; what is released is the nearest double."""
    released = CountGaussian(BOUND, 1000, 8.0).release(np.full(1000, 2.0**60))
    assert np.isfinite(released).all()
    assert (released % 64 == 0).all()


@pytest.mark.parametrize(
    ("r", "multiplier", "dim"), [(1e-300, 1e-50, 1000), (1e-200, 1.0, 1000), (1.0, 8.0, 20_000_000)]
)
def test_what_the_proofs_do_not_cover_is_refused(r: float, multiplier: float, dim: int):
    with pytest.raises(InvalidParameterError):
        CountGaussian(rg.AbsoluteSensitivity(r), dim, multiplier).release(np.zeros(dim))


def test_integers_that_no_double_holds_are_refused():
    """2^53 + 2 and 2^53 + 3 would become doubles 2 apart."""
    with pytest.raises(InvalidValueError, match="beyond"):
        CountGaussian(BOUND, 2, 8.0).release(np.array([2**53 + 3, 0]))


def test_numbers_that_are_not_whole_are_refused():
    with pytest.raises(InvalidValueError, match="not whole"):
        CountGaussian(BOUND, 2, 8.0).release([1.0, 2.5])
