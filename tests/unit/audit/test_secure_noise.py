"""The quick check of secure noise: right noise passes, faults that machines and patches bring do not."""

import numpy as np
import pytest

from relgauss.audit.secure_noise import check_secure_noise
from relgauss.mechanisms import Gaussian


def test_the_noise_of_this_machine_works():
    """It is secure, so this test fails for a right sampler once in 10^10 runs."""
    found = check_secure_noise()
    assert found.faults == ()
    assert found.count == 2**15


def constant(self: Gaussian, value: np.ndarray) -> np.ndarray:
    return value + 1.0


def same_each_time(self: Gaussian, value: np.ndarray) -> np.ndarray:
    return value + self.noise_std * np.random.default_rng(1).normal(size=len(value))


def too_small(self: Gaussian, value: np.ndarray) -> np.ndarray:
    return value + 0.9 * self.noise_std * np.random.default_rng().normal(size=len(value))


def heavy_tails(self: Gaussian, value: np.ndarray) -> np.ndarray:
    return value + self.noise_std * np.random.default_rng().laplace(scale=0.5**0.5, size=len(value))


def pairs(self: Gaussian, value: np.ndarray) -> np.ndarray:
    half = np.random.default_rng().normal(size=len(value) // 2)
    return value + self.noise_std * np.repeat(half, 2)


def not_a_number(self: Gaussian, value: np.ndarray) -> np.ndarray:
    return value + np.nan


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        (constant, "its mean is off"),
        (same_each_time, "two releases drew the same noise"),
        (too_small, "its size is off"),
        (heavy_tails, "its tails are off"),
        (pairs, "neighbouring numbers depend"),
        (not_a_number, "its mean is off"),
    ],
)
def test_a_planted_fault_is_seen(monkeypatch: pytest.MonkeyPatch, planted: object, words: str):
    monkeypatch.setattr(Gaussian, "release", planted)
    assert any(words in fault for fault in check_secure_noise().faults)
