"""Means under an assumed spread: all values of a group lie in [m, (1 + spread) m], for an unknown m > 0.

Replacing one of n records moves the mean by at most spread/n of itself, so it is released on the
logarithmic axis, with noise that follows its size. Proof: proofs/grouped-means.md.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np
from scipy.special import ndtri

from relgauss import validate
from relgauss.errors import InvalidParameterError, MostlyNoiseWarning
from relgauss.grouped.column_estimates import TOO_SMALL
from relgauss.grouped.result import Estimates
from relgauss.grouped.totals import GroupTotals
from relgauss.mechanisms.registry import exactly_gaussian
from relgauss.mechanisms.sensitivity import RelativeSensitivity

Spread = float | Mapping[object, float]

_FIX = "Pass 0.10 if values of a group differ by at most 10 %."
_USABLE_ERROR = 0.5  # root-mean-square error relative to the mean
_WORST_NOISE = 20.0  # spread/(n mu) past which nothing is released


def check_spread(spread: object) -> Spread:
    """A positive number for all groups, or one for each."""
    if isinstance(spread, Mapping):
        return {
            group: validate.positive(f"spread of {group!r}", each, _FIX) for group, each in spread.items()
        }
    return validate.positive("spread", spread, _FIX)


def spreads_of(groups: tuple[object, ...], spread: Spread) -> tuple[float, ...]:
    """The spread of each group: one for all, or each group's own."""
    if not isinstance(spread, Mapping):
        return (spread,) * len(groups)
    missing = [group for group in groups if group not in spread]
    if missing:
        raise InvalidParameterError(
            "spread", f"for {len(spread)} groups", f"known for every group, as {missing[0]!r}", _FIX
        )
    return tuple(spread[group] for group in groups)


def estimate_assumed(
    totals: GroupTotals,
    spreads: tuple[float, ...],
    mu: float,
    confidence: float,
    rng: np.random.Generator | None,
) -> Estimates:
    """Release all groups that are large enough, together at mu-GDP if the ``spreads``, one a group, are true.

    log(estimate) = log(mean) - x/2 + N(0, x), x the variance of the noise: the estimate is without bias, and
    the interval exact.
    """
    sides = np.array([0.0, -1.0, 1.0]) * float(ndtri((1 + confidence) / 2))
    quantiles = np.full((3, len(totals.groups)), np.nan)
    usable = np.zeros(len(totals.groups), dtype=np.bool_)
    for group, (size, spread) in enumerate(zip(totals.sizes.tolist(), spreads, strict=True)):
        eta = relative_sensitivity(spread, size)
        if eta / mu > _WORST_NOISE:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MostlyNoiseWarning)  # such a group is marked instead
            mechanism = exactly_gaussian(RelativeSensitivity(eta, nonnegative=True), 1, 1 / mu)
        released = float(np.asarray(mechanism.release(totals.mean(group), rng=rng)))
        std = math.log1p(eta) / mu
        around = np.where(sides == 0, 0.0, std**2 / 2 + std * sides)
        quantiles[:, group] = np.clip(released * np.exp(around), totals.rule.low, totals.rule.high)
        usable[group] = mechanism.limiting_relative_error <= _USABLE_ERROR
    estimate, lower, upper = quantiles
    flags = tuple(TOO_SMALL if x != x else None for x in estimate)
    return Estimates(totals.groups, totals.sizes, estimate, lower, upper, usable, flags)


def relative_sensitivity(spread: float, size: int) -> float:
    """spread/n, with room for the rounding of values to the rule's lattice and of their mean."""
    return (spread + (1 + spread) * 2.0**-29) / size + 2.0**-50
