"""The noise levels that the Relative Gaussian Mechanism takes."""

from __future__ import annotations

import math

from relgauss import validate
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.sensitivity import RelativeSensitivity


def checked_noise(sensitivity: RelativeSensitivity, gamma: object, sigma: object) -> tuple[float, float]:
    """gamma and sigma; for a sigma of None, the least that is private at every order."""
    if sensitivity.eta == 0:
        return 0.0, _classical(sensitivity, gamma, sigma)
    return _relative(sensitivity, gamma, sigma)


def _classical(sensitivity: RelativeSensitivity, gamma: object, sigma: object) -> float:
    fix = "Pass gamma=0 and sigma=noise std."
    if validate.number("gamma", gamma, fix) != 0:
        raise InvalidParameterError("gamma", gamma, "0 when eta is 0", fix)
    std = validate.positive("sigma", sigma, "With eta = 0 the noise is sigma alone: pass it.")
    if not 1e-100 < std / sensitivity.r < 1e100:
        raise InvalidParameterError("sigma", sigma, "within a factor 1e100 of r", fix)
    return std


def _relative(sensitivity: RelativeSensitivity, gamma: object, sigma: object) -> tuple[float, float]:
    eta, r = sensitivity.eta, sensitivity.r
    fix = "Pass the noise variance relative to ||q||², such as 1e-4; calibrate() finds it."
    relative = validate.positive("gamma", gamma, fix)
    if not 1e-100 < relative / eta**2 < 1e100:
        raise InvalidParameterError("gamma", gamma, "within a factor 1e100 of eta²", fix)
    least = math.sqrt(relative) * r / eta
    if sigma is None:
        return relative, least
    fix = "Leave sigma out for the least value that is private at every order."
    floor = validate.nonnegative("sigma", sigma, fix)
    if floor < least * (1 - 1e-12):
        raise InvalidParameterError("sigma", sigma, f"at least sqrt(gamma)·r/eta = {least:.6g}", fix)
    return relative, max(floor, least)
