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
_BELLS = (0.05, 0.1, 0.16, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)  # lognormal
_POWERS = (1.0, 2.0, 8.0)  # spread evenly from 0 on, then falling off as exponential, normal, uniform laws do
_FLANK_OF_TWO = 0.06
_SHIFTS = (-0.8, 0.5, 0.8)  # the second peak: at 0.45, 1.6 or 2.2 times the first
_MINORITIES = (0.05, 0.1, 0.25)
_APART_BELL, _FAR_BELL = 0.15, 0.25
_APART_SHIFTS = (1.1, 1.4, 1.8)  # at 3, 4 or 6 times the first
_FAR_SHIFTS = (2.3, 3.0, 3.8, 4.6, 5.7, 6.9)  # at 10, 20, 45, 100, 300 or 1,000 times the first
_FAR_WIDE_BELL = 0.5  # of those far above the widest, from 20 times on
_NEAR_MISFIT, _SIX_TIMES_MISFIT, _FAR_MISFIT, _FAR_OF_WIDE_MISFIT = 0.03, 0.005, 0.002, 0.01  # of a group
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


@dataclass(frozen=True)
class Many:
    """Shapes of one peak that are about as wide as each other, by their places, and one that stands for them.

    What lies apart above them hardly depends on how they lie: so all of them may have it, and share a shape.
    """

    stand_in: Bell
    members: tuple[int, ...]


def _many(stand_in: Bell, *members: Peak | Bell | FromZero) -> Many:
    return Many(stand_in, tuple(ONE_PEAK.index((each,)) for each in members))


_NARROW = _many(
    Bell(1.0, 0.0, 0.1),
    *(Peak(1.0, 0.0, left, right) for left in _FLANKS[:2] for right in _FLANKS[:2]),
    *(Bell(1.0, 0.0, spread) for spread in _BELLS[:3]),
)
_MIDDLE = _many(Bell(1.0, 0.0, 0.3), *(Bell(1.0, 0.0, spread) for spread in _BELLS[3:5]))
_WIDE = _many(
    Bell(1.0, 0.0, 0.5),
    *(Peak(1.0, 0.0, left, right) for left in _FLANKS for right in _FLANKS if 0.5 in (left, right)),
    Peak(1.0, 0.0, _FLANKS[0], _PARETO_RIGHTS[0]),
    *(Bell(1.0, 0.0, spread) for spread in _BELLS[5:7]),
    *(FromZero(power) for power in _POWERS),
)
MANY = (_NARROW, _MIDDLE, _WIDE)

_APART = tuple(Bell(share, shift, _APART_BELL) for shift in _APART_SHIFTS for share in _MINORITIES)
_FAR = tuple(Bell(share, shift, _FAR_BELL) for shift in _FAR_SHIFTS for share in _FAR_MINORITIES)
_FAR_WIDE = tuple(
    Bell(share, shift, _FAR_WIDE_BELL) for shift in _FAR_SHIFTS[1:] for share in _FAR_MINORITIES
)
APART = (*_APART, *_FAR, *_FAR_WIDE)
"""Minorities that lie apart, above the many: all but the first few far above, at ten times and more."""

FAR = len(_FAR) + len(_FAR_WIDE)
MINORITIES = tuple(
    (many, each)
    for many, values in ((_NARROW, APART), (_MIDDLE, APART), (_WIDE, _FAR_WIDE))
    for each in values
)
"""Which of the many may have which of these: the last shapes, in their order."""

FAR_PEAKS: tuple[Shape, ...] = tuple(
    (Bell(0.5, 0.0, _FAR_BELL), Bell(0.5, shift, _FAR_BELL)) for shift in _FAR_SHIFTS
)
APART_ODDS = np.concatenate([np.full(len(_APART), 0.13 / len(_APART)), np.full(FAR, 0.0006 / FAR)])
"""The prior odds of each minority that lies apart against none, whatever the many are."""

_FAMILIES = ((ONE_PEAK, 0.88), (TWO_PEAKS, 0.1), (FAR_PEAKS, 0.02))
COMMON_PRIOR = np.concatenate([np.full(len(family), weight / len(family)) for family, weight in _FAMILIES])
"""The prior weight of each shape, with any minority or none; those of a family share it evenly."""

ALL_SHAPES = (
    *(shape for family, _ in _FAMILIES for shape in family),
    *((replace(many.stand_in, share=1 - few.share), few) for many, few in MINORITIES),
)

_KINDS_APART = tuple(
    dict.fromkeys(
        ((1.0, 0.0), *((each.share, each.shift) for each in APART), *((0.5, shift) for shift in _FAR_SHIFTS))
    )
)

MEMBER, KIND = np.array([(member, APART.index(few)) for many, few in MINORITIES for member in many.members]).T
"""All pairs of a shape of the many and a minority that it may have, by their places."""

FIRST = np.cumsum([0, *(len(many.members) for many, _ in MINORITIES[:-1])])
"""The first pair of each of the minorities, all pairs of which follow each other."""

HAS = np.zeros((len(COMMON_PRIOR), len(APART_ODDS)))
HAS[MEMBER, KIND] = 1.0

_ALONE = COMMON_PRIOR / (1 + HAS @ APART_ODDS)
PRIOR = np.concatenate([_ALONE, np.add.reduceat(_ALONE[MEMBER] * APART_ODDS[KIND], FIRST)])
"""The prior weights of all shapes."""


def kind_apart(shape: Shape) -> int:
    """Which minority that lies apart, or far peak, a shape has, by its share and its place; 0 is none."""
    last = shape[-1]
    where = (last.share, last.shift) if isinstance(last, Bell) else (1.0, 0.0)
    return _KINDS_APART.index(where) if where in _KINDS_APART else 0


def misfit_apart(many: Many, few: Bell) -> float:
    """The part of a group by which a bin that a minority reaches may differ from the best shape of the many.

    Shapes that are hardly wider reach what lies near as well. Only wide ones have a slow tail beside them,
    which reaches what lies far above.
    """
    if few in _APART:
        return _SIX_TIMES_MISFIT if few.shift == _APART_SHIFTS[-1] else _NEAR_MISFIT
    return _FAR_OF_WIDE_MISFIT if many is _WIDE else _FAR_MISFIT


def log_spread(shape: Shape) -> float:
    """The standard deviation of the log-distance, by its distribution function on a fine grid."""
    distance = np.linspace(-12.0, 14.0, 5201)
    shares = np.diff(sum((peak.below(distance) for peak in shape), np.zeros(1)))
    middle = (distance[1:] + distance[:-1]) / 2
    centre = shares @ middle / shares.sum()
    return math.sqrt(shares @ (middle - centre) ** 2 / shares.sum())
