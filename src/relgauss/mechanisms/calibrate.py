"""From a privacy target and a sensitivity to the mechanism of least error."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

from relgauss import validate
from relgauss.accounting.adjacency import common
from relgauss.accounting.compose import Part, compose
from relgauss.accounting.sampling import Sampling
from relgauss.errors import InvalidParameterError, MostlyNoiseWarning, UnreachableTargetError
from relgauss.mechanisms import registry
from relgauss.mechanisms.base import Mechanism, check_draws
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.mechanisms.target import Target


def calibrate(
    sensitivity: Sensitivity,
    *,
    dim: int,
    epsilon: float,
    delta: float,
    steps: int = 1,
    mechanism: str = registry.AUTO,
    norm: float | None = None,
    beside: Sequence[Part] = (),
    sampling: Sampling | None = None,
) -> Mechanism:
    """Return the mechanism whose ``steps`` releases cost just (epsilon, delta).

    Parameters
    ----------
    sensitivity
        How far one record can move the answer.
    dim
        The number of coordinates of the answer.
    epsilon, delta
        What all releases together may cost.
    steps
        The number of releases.
    mechanism
        A mechanism by name, or "auto": the one of least root-mean-square error that secure noise can serve.
    norm
        The norm of the answer that errors are compared at; it must be public. None is the scale-dominated
        limit, the relative error as the norm grows.
    beside
        What else the same (epsilon, delta) pays for: guarantees, mechanisms, charges or statements, and pairs
        (part, times).
    sampling
        How the records of each release are drawn: ``Batches(rate)`` or ``PoissonSamples(rate)``; None if all
        of them count. The sensitivity must then hold on every draw: ``on_batches=True``.

    Returns
    -------
    Mechanism
        A mechanism for which secure noise exists in principle, but not at these numbers, is refused with the
        fix. One without any, such as "relative" with r = 0, is returned when asked for by name: it can be
        accounted for, simulated, and audited with a seed, and its ``releasable`` is False.
    """
    target, norm = checked_target(sensitivity, epsilon, delta, steps, beside, sampling), checked_norm(norm)
    dim = validate.count("dim", dim)
    if mechanism == registry.AUTO:
        found = _best(sensitivity, dim, target, norm)
    else:
        found = _solved(_named(mechanism, sensitivity), sensitivity, dim, target, norm)
        if not found.only_simulated:
            found.check_releasable()
    if found.caution is not None:
        warnings.warn(found.caution, MostlyNoiseWarning, stacklevel=2)
    return found


def checked_target(
    sensitivity: Sensitivity,
    epsilon: float,
    delta: float,
    steps: int,
    beside: Sequence[Part],
    sampling: Sampling | None,
) -> Target:
    """The target; a bound that was not stated for draws is refused for them."""
    target = Target(epsilon, delta, steps, beside, sampling)  # type: ignore[arg-type]  # made a tuple there
    registry.candidates(sensitivity)
    common("beside", (sensitivity.neighbours, *(part.neighbours for part, _ in compose(*target.beside).uses)))
    if sampling is not None:
        check_draws(sensitivity, sampling)
    alone = compose(*target.beside).epsilon(target.delta)
    if alone >= target.epsilon:
        raise UnreachableTargetError(
            f"What is beside costs epsilon={alone:.6g} at delta={target.delta:g} by itself.",
            "Leave some of it out, or take a larger epsilon or delta: no noise makes room for it.",
            alone,
        )
    return target


def _best(sensitivity: Sensitivity, dim: int, target: Target, norm: float | None) -> Mechanism:
    """The mechanism of least error among those that secure noise can serve."""
    solved = [attempt(each, sensitivity, dim, target, norm) for each in registry.candidates(sensitivity)]
    reached = [each for each in solved if isinstance(each, Mechanism)]
    usable = [each for each in reached if each.releasable]
    if usable:
        return min(usable, key=lambda each: error_at(each, norm))
    for each in reached:
        each.check_releasable()
    raise next(each for each in solved if isinstance(each, UnreachableTargetError))


def _named(mechanism: str, sensitivity: Sensitivity) -> type[Mechanism]:
    """The mechanism of this name, which has to take this kind of bound."""
    validate.choice("mechanism", mechanism, (registry.AUTO, *registry.names()))
    allowed, kind = registry.candidates(sensitivity), registry.named(mechanism)
    if kind not in allowed:
        words = " or ".join(repr(name) for name in (registry.AUTO, *(each.name for each in allowed)))
        raise InvalidParameterError(
            "mechanism",
            mechanism,
            f"{words} for a {type(sensitivity).__name__}",
            f"Or state the bound as {kind.bound_kind.__name__}.",
        )
    return kind


def checked_norm(norm: float | None) -> float | None:
    """The norm that errors are compared at, or None for the limit."""
    if norm is None:
        return None
    return validate.nonnegative("norm", norm, "Pass the answer's norm as known publicly, or None.")


def error_at(mechanism: Mechanism, norm: float | None) -> float:
    """The error to compare by: relative to the norm, or absolute if it does not grow with it."""
    if norm is None:
        return mechanism.limiting_relative_error or mechanism.rms_error(0.0)
    return mechanism.rms_error(norm)


def attempt(
    kind: type[Mechanism], sensitivity: Sensitivity, dim: int, target: Target, norm: float | None = None
) -> Mechanism | UnreachableTargetError:
    """Calibrate one candidate without a warning; a target out of its reach is an answer too."""
    try:
        return _solved(kind, sensitivity, dim, target, norm)
    except UnreachableTargetError as unreachable:
        return unreachable
    except InvalidParameterError as outside:  # a noise level beyond what its formulas can hold
        return UnreachableTargetError(outside.cause, outside.fix, math.inf)


def _solved(
    kind: type[Mechanism], sensitivity: Sensitivity, dim: int, target: Target, norm: float | None
) -> Mechanism:
    """The mechanism of least noise, decoded for this norm; the caller warns, of what it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MostlyNoiseWarning)
        return kind.calibrated(sensitivity, dim, target).tuned_to(norm)
