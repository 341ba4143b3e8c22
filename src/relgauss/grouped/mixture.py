"""Mixtures of normal laws, and the quantiles of many of them at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize.elementwise import find_root
from scipy.special import ndtr, ndtri

from relgauss.arrays import FloatArray

_TOLERANCE = 1e-9  # of a quantile's logarithm
_NEAR = 2.0  # standard deviations
_STEPS, _CLOSE = 6, 1e-6  # of Newton's method, and a step that the next one makes good
_LONGEST = 1.0  # of a step, on the logarithmic axis
_NOTHING = 1e-20  # a weight that no sum of a mixture's weights shows
_LARGEST_DENSITY = 1 / math.sqrt(2 * math.pi)


@dataclass(frozen=True, eq=False)
class Mixture:
    """sum_k weight_k N(mean_k, std_k²), a row for each mixture; weights of a row sum to one."""

    weights: FloatArray
    means: FloatArray
    stds: FloatArray

    def quantiles(self, levels: Sequence[float], low: float, high: float, unit: float) -> FloatArray:
        """The quantiles of all mixtures, a row for each level, clipped to the range [low, high].

        They are found on the axis of arsinh(x/unit), with ``unit`` below all magnitudes that matter.
        """
        shape = len(levels), len(self.weights)
        level = np.repeat(np.asarray(levels, dtype=np.float64), shape[1])
        row = np.tile(np.arange(shape[1]), shape[0])
        parts = self._parts_of(row)
        at_low, at_high = (parts.mass_below(np.full(row.size, end)) for end in (low, high))
        result = np.where(at_low >= level, low, high)
        inside = (at_low < level) & (level < at_high)
        if inside.any():
            place = _by_newton(parts, level, self._start(levels, low, high, unit), unit)
            near = (place - _TOLERANCE, place + _TOLERANCE)
            below, above = (parts.mass_below(unit * np.sinh(end)) for end in near)
            is_found = inside & (below <= level) & (level <= above)
            result[is_found] = np.clip(unit * np.sinh(place[is_found]), low, high)
            rest = np.flatnonzero(inside & ~is_found)
            if rest.size:
                result[rest] = self._between(level[rest], row[rest], low, high, unit)
        return result.reshape(shape)

    def _start(self, levels: Sequence[float], low: float, high: float, unit: float) -> FloatArray:
        """Where the quantiles of the heaviest part of each mixture are, level after level."""
        heaviest = np.arange(len(self.weights)), self.weights.argmax(axis=1)
        of_heaviest = self.means[heaviest] + ndtri(np.asarray(levels))[:, None] * self.stds[heaviest]
        return np.asarray(np.arcsinh(np.clip(of_heaviest, low, high) / unit)).ravel()

    def _between(
        self, level: FloatArray, row: NDArray[np.intp], low: float, high: float, unit: float
    ) -> FloatArray:
        """Quantiles of these mixtures by places that enclose them: as a rule those about where they would

        be, were the mixtures normal.
        """

        def excess(place: FloatArray, level: FloatArray, row: FloatArray) -> FloatArray:
            """How far the mass below a place exceeds the level."""
            return self._parts_of(row.astype(np.intp)).mass_below(unit * np.sinh(place)) - level

        rows = row.astype(np.float64)
        weights, means, stds = self.weights[row], self.means[row], self.stds[row]
        mean = (weights * means).sum(axis=1)
        spread = np.sqrt((weights * (stds**2 + (means - mean[:, None]) ** 2)).sum(axis=1))
        normal = mean + ndtri(level) * spread
        lower, upper = (
            np.arcsinh(np.clip(normal + off * spread, low, high) / unit) for off in (-_NEAR, _NEAR)
        )
        first = np.where(excess(lower, level, rows) < 0, lower, np.arcsinh(low / unit))
        last = np.where(excess(upper, level, rows) > 0, upper, np.arcsinh(high / unit))
        found = find_root(excess, (first, last), args=(level, rows), tolerances={"xatol": _TOLERANCE})
        return np.asarray(unit * np.sinh(found.x))

    @cached_property
    def _weighing(self) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
        """How many parts of each mixture weigh, where they begin, and weight, mean and std of each.

        Rows are filled up with several times as many that do not.
        """
        weighs = ~(self.weights <= _NOTHING)  # what is no number stays, and has no quantiles
        number = weighs.sum(axis=1)
        parts = np.stack([self.weights[weighs], self.means[weighs], self.stds[weighs]])
        return number, np.cumsum(number) - number, parts

    def _parts_of(self, rows: NDArray[np.intp]) -> _Parts:
        """The parts that weigh of these mixtures, one mixture after the other."""
        number, start, parts = self._weighing
        each = number[rows]
        first = np.cumsum(each) - each
        chosen = parts[:, np.arange(each.sum()) + np.repeat(start[rows] - first, each)]
        return _Parts(each, first, *chosen)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Weights, means and standard deviations of parts, and how many each mixture has and where they begin."""

    number: NDArray[np.intp]
    first: NDArray[np.intp]
    weight: FloatArray
    mean: FloatArray
    std: FloatArray

    def mass_below(self, x: FloatArray) -> FloatArray:
        """The mass of each mixture below a number."""
        return self._summed(self.weight * ndtr(self._standardised(x)))

    def mass_and_density(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The mass of each mixture below a number, and its density there."""
        standardised = self._standardised(x)
        density = np.exp(-(standardised**2) / 2) * (_LARGEST_DENSITY / self.std)
        return self._summed(self.weight * ndtr(standardised)), self._summed(self.weight * density)

    def _standardised(self, x: FloatArray) -> FloatArray:
        return (np.repeat(x, self.number) - self.mean) / self.std

    def _summed(self, of_parts: FloatArray) -> FloatArray:
        summed: FloatArray = np.add.reduceat(of_parts, self.first)
        return summed


def _by_newton(parts: _Parts, level: FloatArray, place: FloatArray, unit: float) -> FloatArray:
    """Where the mass may be the level; nothing tells yet whether it is.

    Newton's method for the normal quantile of the mass: one step finds it if the mixture is normal.
    """
    wanted = ndtri(level)
    with np.errstate(all="ignore"):  # no density leaves no number, and nothing is found there
        for _ in range(_STEPS):
            mass, density = parts.mass_and_density(unit * np.sinh(place))
            reached = ndtri(mass)
            slope = density * unit * np.cosh(place) / (_LARGEST_DENSITY * np.exp(-(reached**2) / 2))
            step = np.clip((wanted - reached) / slope, -_LONGEST, _LONGEST)
            place = place + step
            if not (np.abs(step) > _CLOSE).any():
                break
    return place
