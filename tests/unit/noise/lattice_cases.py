"""Every mechanism with every map, for the tests of the lattice."""

import numpy as np
import pytest
from mpmath import mp, mpf

import relgauss as rg

Relative, Absolute = rg.RelativeSensitivity, rg.AbsoluteSensitivity

FIXED_NOISE = {
    "gaussian": rg.Gaussian(Absolute(2.0), 1, 3.0),
    "gaussian, 5 coordinates": rg.Gaussian(Absolute(0.3), 5, 0.7),
    "isometric, eta = 0": rg.IsometricGaussian(Relative(0.0, 2.0), 2, 3.0),
    "embedding, quadratic": rg.IsometricGaussian(Relative(0.1, 2.0), 3, 3.0),
    "embedding, linear": rg.IsometricGaussian(Relative(0.1, 2.0, "linear"), 3, 3.0),
    "embedding, r = 0": rg.IsometricGaussian(Relative(0.1), 3, 3.0),
    "asinh": rg.IsometricGaussian(Relative(0.1, 2.0), 1, 3.0),
    "asinh, never negative": rg.IsometricGaussian(Relative(0.1, 2.0, nonnegative=True), 1, 3.0),
    "signed log1p": rg.IsometricGaussian(Relative(0.1, 2.0, "linear"), 1, 3.0),
    "log1p": rg.IsometricGaussian(Relative(0.1, 2.0, "linear", nonnegative=True), 1, 3.0),
    "signed log": rg.IsometricGaussian(Relative(0.1), 1, 3.0),
    "log": rg.IsometricGaussian(Relative(0.1, nonnegative=True), 1, 3.0),
}
MOVING_NOISE = {
    "relative, quadratic": rg.RelativeGaussian(Relative(0.1, 2.0), 3, 0.25),
    "relative, linear": rg.RelativeGaussian(Relative(0.1, 2.0, "linear"), 3, 0.25),
    "relative, larger sigma": rg.RelativeGaussian(Relative(0.1, 2.0), 1, 0.25, 40.0),
}
CLASSICAL = {
    "relative, eta = 0": rg.RelativeGaussian(Relative(0.0, 2.0), 2, 0.0, 5.0),
    "relative, eta = 0, linear": rg.RelativeGaussian(Relative(0.0, 2.0, "linear"), 2, 0.0, 5.0),
}
ALL = FIXED_NOISE | MOVING_NOISE | CLASSICAL


def each(mechanisms: dict[str, rg.Mechanism]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("mechanism", mechanisms.values(), ids=mechanisms.keys())


def distance(a: np.ndarray, b: np.ndarray) -> mpf:
    with mp.workdps(60):
        return mp.sqrt(sum((mpf(x) - mpf(y)) ** 2 for x, y in zip(a.tolist(), b.tolist(), strict=True)))
