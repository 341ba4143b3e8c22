"""The same audit on secure noise: what `release` really draws, at a false alarm in 1e8 runs of a test.

Secure noise has no seed, so every threshold here leaves room: shares have a standard deviation of 0.03, so
that they miss theirs by chance less than once in 1e12.
"""

import pytest

import relgauss as rg
from relgauss.audit import audit

pytestmark = pytest.mark.statistical

CONFIDENCE = 1 - 1e-8
BOUND = rg.RelativeSensitivity(eta=0.1, r=1.0)
MECHANISMS = [
    rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, noise_multiplier=0.5),
    rg.RelativeGaussian(BOUND, 2, gamma=0.0025),
    rg.IsometricGaussian(BOUND, 3, noise_multiplier=0.5),
]
MORE = [
    rg.IsometricGaussian(BOUND, 1, noise_multiplier=0.5),
    rg.IsometricGaussian(rg.RelativeSensitivity(eta=0.1, r=0.0), 2, noise_multiplier=0.5),
    rg.RelativeGaussian(rg.RelativeSensitivity(eta=0.1, r=1.0, form="linear"), 1, gamma=0.0025),
]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_secure_noise_keeps_the_claim_and_no_more(mechanism: rg.Mechanism):
    report = audit(mechanism, samples=40_000, confidence=CONFIDENCE)
    assert not report.simulated
    assert "SIMULATED" not in report.text()
    assert report.verdict == "consistent"
    assert report.share > 0.55  # far too much noise would be a fault as well


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS + MORE)
def test_secure_noise_keeps_the_claim_over_many_releases(mechanism: rg.Mechanism):
    report = audit(mechanism, samples=100_000, confidence=CONFIDENCE)
    assert report.verdict == "consistent"
    assert report.share > 0.65


def test_secure_noise_of_half_the_claimed_size_is_convicted():
    class HalfNoise(rg.Gaussian):
        def _release_secure(self, value):
            return rg.Gaussian(self.sensitivity, self.dim, self.noise_multiplier / 2)._release_secure(value)

    mechanism = HalfNoise(rg.AbsoluteSensitivity(1.0), 1, noise_multiplier=1.0)
    assert audit(mechanism, samples=10_000, confidence=CONFIDENCE).verdict == "convicted"
