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
from relgauss.grouped.estimates import Estimates
from relgauss.grouped.rule import ValueRule
from relgauss.grouped.totals import GroupTotals
from relgauss.mechanisms import IsometricGaussian
from relgauss.sensitivity import RelativeSensitivity

Spread = float | Mapping[object, float]

_USABLE_ERROR = 0.5  # root-mean-square error relative to the mean
_WORST_NOISE = 20.0  # spread/(n mu) past which nothing is released


def spreads_of(groups: tuple[object, ...], spread: Spread) -> tuple[float, ...]:
    """The spread of each group: one for all, or each group's own."""
    fix = "Pass 0.10 if values of a group differ by at most 10 %."
    if not isinstance(spread, Mapping):
        return (validate.positive("spread", spread, fix),) * len(groups)
    missing = [group for group in groups if group not in spread]
    if missing:
        raise InvalidParameterError(
            "spread", f"for {len(spread)} groups", f"known for every group, as {missing[0]!r}", fix
        )
    return tuple(validate.positive(f"spread of {group!r}", spread[group], fix) for group in groups)


def estimate_assumed(
    totals: GroupTotals,
    rule: ValueRule,
    spreads: tuple[float, ...],
    mu: float,
    confidence: float,
    rng: np.random.Generator | None,
) -> Estimates:
    """Release every group that is large enough, at mu-GDP for all together, if the spreads are true.

    log(estimate) = log(mean) - x/2 + N(0, x), x the variance of the noise: without bias, and the interval is
    exact.
    """
    z = float(ndtri((1 + confidence) / 2))
    rows = np.full((3, len(totals.groups)), np.nan)
    usable = np.zeros(len(totals.groups), dtype=np.bool_)
    for group, (size, total, spread) in enumerate(
        zip(totals.sizes.tolist(), totals.sums, spreads, strict=True)
    ):
        eta = relative_sensitivity(spread, size)
        if eta / mu > _WORST_NOISE:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MostlyNoiseWarning)  # such a group is marked instead
            mechanism = IsometricGaussian(RelativeSensitivity(eta, nonnegative=True), 1, 1 / mu)
        mean = math.ldexp(total / size, rule.exponent)
        estimate = float(mechanism.release(mean, rng=rng))
        x = (math.log1p(eta) / mu) ** 2
        ends = (estimate * math.exp(x / 2 + side * math.sqrt(x) * z) for side in (-1, 1))
        rows[:, group] = np.clip([estimate, *ends], rule.low, rule.high)
        usable[group] = mechanism.limiting_relative_error <= _USABLE_ERROR
    return Estimates(rows[0], rows[1], rows[2], usable)


def relative_sensitivity(spread: float, size: int) -> float:
    """spread/n, with room for the rounding of values to the rule's lattice and of their mean."""
    return (spread + (1 + spread) * 2.0**-29) / size + 2.0**-50
