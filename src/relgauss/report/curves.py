"""Epsilon against error for every mechanism that a bound allows, around a target."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from relgauss.accounting import gdp
from relgauss.errors import InvalidParameterError, MostlyNoiseWarning, RelgaussError
from relgauss.mechanisms import Gaussian, IsometricGaussian, Mechanism
from relgauss.mechanisms.calibrate import Sensitivity
from relgauss.report.relative_by_theorem import BY_THEOREM, epsilon_by_theorem, relative_gaussian
from relgauss.report.target import Target
from relgauss.sensitivity import AbsoluteSensitivity, RelativeSensitivity

LOCAL_SCALE = "local scale"
SPAN = 10.0  # a Gaussian of known scale passes from target·SPAN to target/SPAN

_POINTS = 30

M = TypeVar("M", bound=Mechanism)


@dataclass(frozen=True)
class Curve:
    """One mechanism as its noise grows: its errors, relative to the answer, and its epsilons."""

    name: str
    errors: tuple[float, ...]
    epsilons: tuple[float, ...]


def epsilon_error_curves(sensitivity: Sensitivity, target: Target) -> list[Curve]:
    """Each mechanism of an absolute bound; of a relative one, also the paper's theorem and the limit."""
    _check_relative_error_exists(sensitivity, target)
    if isinstance(sensitivity, AbsoluteSensitivity):
        return [_curve("gaussian", partial(Gaussian, sensitivity, target.dim), _exact_epsilon, target)]
    relative = partial(relative_gaussian, sensitivity, target.dim)
    isometric = partial(IsometricGaussian, sensitivity, target.dim)
    return [
        _curve(BY_THEOREM, relative, epsilon_by_theorem, target),
        _curve("relative", relative, _exact_epsilon, target),
        _curve("isometric", isometric, _exact_epsilon, target),
        _local_scale(sensitivity, target),
    ]


def _check_relative_error_exists(sensitivity: Sensitivity, target: Target) -> None:
    grows = isinstance(sensitivity, RelativeSensitivity) and sensitivity.eta > 0
    if target.norm == 0 or (target.norm is None and not grows):
        raise RelgaussError(
            "The picture shows errors relative to the answer, and here they have no value.",
            "Pass --norm, the size of the answer, above 0.",
        )


def _curve(
    name: str, build: Callable[[float], M], epsilon: Callable[[M, Target], float], target: Target
) -> Curve:
    """Follow a mechanism up to the noise level that it refuses as nothing but noise."""
    errors, epsilons = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MostlyNoiseWarning)
        for multiplier in _noise_multipliers(target):
            try:
                mechanism = build(multiplier)
            except InvalidParameterError:
                break
            errors.append(target.relative_error(mechanism))
            epsilons.append(epsilon(mechanism, target))
    return Curve(name, tuple(errors), tuple(epsilons))


def _local_scale(sensitivity: RelativeSensitivity, target: Target) -> Curve:
    """The limit: Gaussian noise at the local scale, as if the noise did not tell that scale."""
    if target.norm is None:
        bound, target = AbsoluteSensitivity(sensitivity.eta), replace(target, norm=1.0)
    else:
        bound = AbsoluteSensitivity(sensitivity.local_scale(target.norm))
    return _curve(LOCAL_SCALE, partial(Gaussian, bound, target.dim), _exact_epsilon, target)


def _noise_multipliers(target: Target) -> list[float]:
    least, most = (
        math.sqrt(target.steps) / gdp.mu(target.epsilon * factor, target.delta) for factor in (SPAN, 1 / SPAN)
    )
    return [float(multiplier) for multiplier in np.geomspace(least, most, _POINTS)]


def _exact_epsilon(mechanism: Mechanism, target: Target) -> float:
    return mechanism.epsilon(target.delta, target.steps)
