"""From a privacy target and a sensitivity to the mechanism of least error."""

from __future__ import annotations

import math
from typing import Literal

from scipy.optimize import brentq

from relgauss import validate
from relgauss.accounting import gdp
from relgauss.errors import InvalidParameterError, UnreachableTargetError
from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.gaussian import Gaussian
from relgauss.mechanisms.isometric import MOST_LOG_NOISE, IsometricGaussian
from relgauss.mechanisms.maps import unit_map
from relgauss.mechanisms.relative import RelativeGaussian
from relgauss.sensitivity import AbsoluteSensitivity, RelativeSensitivity

Sensitivity = RelativeSensitivity | AbsoluteSensitivity
Choice = Literal["auto", "relative", "isometric", "gaussian"]
CHOICES: tuple[Choice, ...] = ("auto", "relative", "isometric", "gaussian")

_AIM = 1 - 2e-4  # RelativeGaussian is solved for a little less than the target, to end below it


def calibrate(
    sensitivity: Sensitivity,
    *,
    dim: int,
    epsilon: float,
    delta: float,
    steps: int = 1,
    mechanism: Choice = "auto",
    norm: float | None = None,
) -> Mechanism:
    """Return the mechanism whose ``steps`` releases cost just (epsilon, delta).

    "auto" takes the one of least root-mean-square error at an answer of this norm; ``norm=None`` is the
    scale-dominated limit, the relative error as the norm grows. The norm must be public.
    What secure noise cannot serve, such as RelativeGaussian with r = 0, is refused; ``compare`` shows it.
    """
    epsilon = validate.positive("epsilon", epsilon, "Pass a positive epsilon such as 1.0.")
    delta = validate.probability("delta", delta)
    steps = validate.count("steps", steps)
    dim = validate.count("dim", dim)
    if norm is not None:
        norm = validate.nonnegative("norm", norm, "Pass the answer's norm as known publicly, or None.")
    validate.choice("mechanism", mechanism, CHOICES)
    if mechanism != "auto":
        found = solve(mechanism, sensitivity, dim, epsilon, delta, steps)
        found.check_releasable()
        return found
    solved = [attempt(each, sensitivity, dim, epsilon, delta, steps) for each in candidates(sensitivity)]
    reached = [each for each in solved if isinstance(each, Mechanism)]
    usable = [each for each in reached if each.releasable]
    if usable:
        return min(usable, key=lambda each: error_at(each, norm))
    for each in reached:
        each.check_releasable()
    raise next(each for each in solved if isinstance(each, UnreachableTargetError))


def candidates(sensitivity: Sensitivity) -> tuple[Choice, ...]:
    """The mechanisms that this kind of bound allows."""
    if isinstance(sensitivity, AbsoluteSensitivity):
        return ("gaussian",)
    if isinstance(sensitivity, RelativeSensitivity):
        return ("isometric", "relative")
    raise InvalidParameterError(
        "sensitivity",
        sensitivity,
        "a RelativeSensitivity or an AbsoluteSensitivity",
        "Build one from your bound.",
    )


def error_at(mechanism: Mechanism, norm: float | None) -> float:
    """The error to compare by: relative to the norm, or absolute if it does not grow with it."""
    if norm is None:
        return mechanism.limiting_relative_error or mechanism.rms_error(0.0)
    return mechanism.rms_error(norm)


def attempt(
    choice: Choice, sensitivity: Sensitivity, dim: int, epsilon: float, delta: float, steps: int
) -> Mechanism | UnreachableTargetError:
    """Solve for one mechanism; a target out of its reach is an answer too."""
    try:
        return solve(choice, sensitivity, dim, epsilon, delta, steps)
    except UnreachableTargetError as unreachable:
        return unreachable
    except InvalidParameterError as outside:  # a noise level beyond what its formulas can hold
        return UnreachableTargetError(outside.cause, outside.fix, math.inf)


def solve(
    choice: Choice, sensitivity: Sensitivity, dim: int, epsilon: float, delta: float, steps: int
) -> Mechanism:
    """The named mechanism with the least noise that meets the target."""
    mu_per_step = gdp.mu(epsilon, delta) / math.sqrt(steps) * (1 - 1e-12)  # past the last step of any search
    if choice == "gaussian":
        if not isinstance(sensitivity, AbsoluteSensitivity):
            raise InvalidParameterError(
                "mechanism",
                choice,
                "'auto', 'isometric' or 'relative' for a relative bound",
                "Plain Gaussian noise needs an AbsoluteSensitivity.",
            )
        return Gaussian(sensitivity, dim, 1 / mu_per_step)
    if not isinstance(sensitivity, RelativeSensitivity):
        raise InvalidParameterError(
            "mechanism",
            choice,
            "'auto' or 'gaussian' for an absolute bound",
            "Or pass a RelativeSensitivity.",
        )
    if choice == "isometric":
        return _solve_isometric(sensitivity, dim, epsilon, delta, steps, 1 / mu_per_step)
    if sensitivity.eta == 0:
        return RelativeGaussian(sensitivity, dim, 0.0, sensitivity.r / mu_per_step * (1 + 1e-15))
    return _solve_relative(sensitivity, dim, epsilon, delta, steps, mu_per_step)


def _solve_isometric(
    sensitivity: RelativeSensitivity, dim: int, epsilon: float, delta: float, steps: int, multiplier: float
) -> IsometricGaussian:
    """The noise multiplier is the inverse of mu; only answers of nothing but noise are out of reach."""
    log_noise = unit_map(sensitivity, dim, multiplier).log_noise(multiplier)
    if log_noise > MOST_LOG_NOISE:
        most = multiplier * MOST_LOG_NOISE / log_noise
        least = gdp.epsilon(math.sqrt(steps) / most, delta)
        raise UnreachableTargetError(
            f"At eta={sensitivity.eta:g}, epsilon={epsilon:g} would leave nothing of the answer but noise; "
            f"below epsilon={least:.6g} its size overflows.",
            "Find a smaller eta, or spend more.",
            least,
        )
    return IsometricGaussian(sensitivity, dim, multiplier)


def _solve_relative(
    sensitivity: RelativeSensitivity, dim: int, epsilon: float, delta: float, steps: int, mu_per_step: float
) -> RelativeGaussian:
    """Find gamma = (eta/c)²: epsilon grows with c, from its floor at c = 0 to past the target at c = mu."""

    def mechanism(c: float) -> RelativeGaussian:
        return RelativeGaussian(sensitivity, dim, (sensitivity.eta / c) ** 2)

    floor = 1e-6 * mu_per_step  # smaller shifts change epsilon in no digit that matters
    least = mechanism(floor).epsilon(delta, steps)
    if _AIM * epsilon < least <= epsilon:
        return mechanism(floor)
    if least > epsilon:
        raise UnreachableTargetError(
            f"RelativeGaussian with eta={sensitivity.eta:g}, dim={dim}, steps={steps} cannot reach "
            f"epsilon={epsilon:g} at delta={delta:g}: its least epsilon is {least:.6g}, whatever the noise.",
            "Use the isometric mechanism, which has no such limit.",
            least,
        )
    root = brentq(
        lambda log_c: mechanism(math.exp(log_c)).epsilon(delta, steps) - _AIM * epsilon,
        math.log(floor),
        math.log(mu_per_step * (1 + 1e-9)),
        xtol=1e-5,
    )
    found = mechanism(math.exp(root))
    while found.epsilon(delta, steps) > epsilon:
        root -= 1e-5
        found = mechanism(math.exp(root))
    return found
