"""How the positive values of a group may lie about a position: in one or two peaks on the logarithmic axis.

Shapes are public and only guide computations on released numbers: no guarantee rests on them. Negative values
have the same shapes, mirrored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammainc, ndtr

from relgauss.arrays import FloatArray

_FLANKS = (0.03, 0.12, 0.5)  # values within 3 %, 12 % or 50 % of each other, on either side
_PARETO_RIGHTS = (0.3, 0.67, 0.9)  # Pareto tails of index 3.3, 1.5 and 1.1
_BELLS = (0.05, 0.1, 0.16, 0.25, 0.35, 0.5, 1.0, 1.4, 2.0)  # lognormal
_POWERS = (1.0, 2.0, 8.0)  # spread evenly from 0 on, then falling off as exponential, normal, uniform laws do
_FLANK_OF_TWO = 0.06
_SHIFTS = (-0.8, 0.5, 0.8, 1.1, 1.4, 1.8)  # the second peak: at 0.45, 1.6, 2.2, 3, 4 or 6 times the first
_MINORITIES = (0.05, 0.1, 0.25)
_FAR_BELL = 0.25
_FAR_BASE_BELLS = (0.25, 0.35)
_FAR_SHIFTS = (2.3, 3.0, 3.8, 4.6, 5.7, 6.9)  # at 10, 20, 45, 100, 300 or 1,000 times the first
_FAR_MINORITIES = (0.012, 0.05, 0.2)


@dataclass(frozen=True)
class Peak:
    """A share of the values, with log-density falling off like -distance/left and -distance/right.

    ``shift`` is the distance of the peak from the position of its shape; all are on the logarithmic axis.
    """

    share: float
    shift: float
    left: float
    right: float

    def below(self, distance: FloatArray) -> FloatArray:
        """The share of all values that lie below a log-distance from the shape's position."""
        x = distance - self.shift
        left_part = self.left / (self.left + self.right)
        rising = left_part * np.exp(np.minimum(x, 0.0) / self.left)
        falling = 1 - (1 - left_part) * np.exp(-np.maximum(x, 0.0) / self.right)
        return self.share * np.where(x < 0, rising, falling)

    @property
    def is_slow(self) -> bool:
        """Whether values fall off more slowly than a Pareto tail of index 2."""
        return self.right > 0.5


@dataclass(frozen=True)
class Bell:
    """A share of the values, lognormal: a normal law of this spread on the logarithmic axis."""

    share: float
    shift: float
    spread: float

    def below(self, distance: FloatArray) -> FloatArray:
        """The share of all values that lie below a log-distance from the shape's position."""
        below: FloatArray = self.share * ndtr((distance - self.shift) / self.spread)
        return below

    @property
    def is_slow(self) -> bool:
        """Whether one value in a thousand still falls off more slowly than a Pareto tail of index 2."""
        return self.spread > 1.5


@dataclass(frozen=True)
class FromZero:
    """All values, of a density proportional to exp(-x^power/power): even near 0."""

    power: float

    is_slow = False

    def below(self, distance: FloatArray) -> FloatArray:
        """The share of all values that lie below a log-distance from the shape's position."""
        x = np.exp(np.clip(distance, -300.0, 50.0 / self.power))
        below: FloatArray = gammainc(1 / self.power, x**self.power / self.power)
        return below


Shape = tuple[Peak | Bell | FromZero, ...]


def _smaller(peak: Peak | Bell | FromZero, share: float) -> Peak | Bell | FromZero:
    """The same peak, of this share of the values."""
    return peak if isinstance(peak, FromZero) else replace(peak, share=share)


ONE_PEAK: tuple[Shape, ...] = (
    *((Peak(1.0, 0.0, left, right),) for left in _FLANKS for right in _FLANKS),
    *((Peak(1.0, 0.0, _FLANKS[0], right),) for right in _PARETO_RIGHTS),
    *((Bell(1.0, 0.0, spread),) for spread in _BELLS),
    *((FromZero(power),) for power in _POWERS),
)
TWO_PEAKS: tuple[Shape, ...] = tuple(
    (
        Peak(1 - minority, 0.0, _FLANK_OF_TWO, _FLANK_OF_TWO),
        Peak(minority, shift, _FLANK_OF_TWO, _FLANK_OF_TWO),
    )
    for shift in _SHIFTS
    for minority in _MINORITIES
)
FAR_BASES = (0, *(ONE_PEAK.index((Bell(1.0, 0.0, spread),)) for spread in _FAR_BASE_BELLS))
"""The shapes of one peak, by their places, that may have a few values far above."""

FAR_MINORITIES: tuple[Shape, ...] = tuple(
    (_smaller(ONE_PEAK[base][0], 1 - minority), Bell(minority, shift, _FAR_BELL))
    for base in FAR_BASES
    for shift in _FAR_SHIFTS
    for minority in _FAR_MINORITIES
)
FAR_SHARES = tuple(minority for _ in FAR_BASES for _ in _FAR_SHIFTS for minority in _FAR_MINORITIES)
"""The share of values that lies far above, in each of these."""

FAR_PEAKS: tuple[Shape, ...] = tuple(
    (Bell(0.5, 0.0, _FAR_BELL), Bell(0.5, shift, _FAR_BELL)) for shift in _FAR_SHIFTS
)
ALL_SHAPES = ONE_PEAK + TWO_PEAKS + FAR_PEAKS + FAR_MINORITIES
PRIOR = ((ONE_PEAK, 0.7795), (TWO_PEAKS, 0.2), (FAR_PEAKS, 0.02), (FAR_MINORITIES, 0.0005))
"""The prior weight of each family, in the order of all shapes; those of a family share it evenly."""


def log_spread(shape: Shape) -> float:
    """The standard deviation of the log-distance, by its distribution function on a fine grid."""
    distance = np.linspace(-12.0, 14.0, 5201)
    shares = np.diff(sum((peak.below(distance) for peak in shape), np.zeros(1)))
    middle = (distance[1:] + distance[:-1]) / 2
    centre = shares @ middle / shares.sum()
    return math.sqrt(shares @ (middle - centre) ** 2 / shares.sum())
