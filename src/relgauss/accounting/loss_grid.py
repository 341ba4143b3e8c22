"""A privacy profile as atoms on a grid of losses, by connecting the dots (Doroshenko et al. 2022).

The profile is convex in e^epsilon; straight lines between its points lie above it, and are the profile of a
distribution on them. What is composed is therefore never below the truth. The points are whole multiples of
one gap, dense near zero and sparser with growing loss. Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

from relgauss.accounting.adjacency import Order
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray

_GRID_ERROR = 2e-5  # share of the loss variance that the grid may add, while the window allows it
_WINDOW = 2**20  # cells that the composed loss may spread over
_SPREAD = 200  # a step is at most this part of the loss it stands at, or one cell
_WIDEST = 0.01  # a step, while the range is short
_TILTED = (
    0.15  # a step times the tilt at which delta is read, about: sqrt(2 log(1/delta)) over the loss's std
)
_LONGEST = 2**14  # about how many points a profile is read at
_STD_RANGE = (1e-100, 1e6)  # of losses whose squares neither underflow nor need endless grids
_UNIT = 2.0**-53


@dataclass(frozen=True)
class Atoms:
    """A loss distribution: log masses at whole multiples of the gap, ascending; the rest leaks."""

    gap: float
    indices: FloatArray
    losses: FloatArray
    log_masses: FloatArray
    leak: float

    def tilted(self, tilt: float) -> tuple[float, FloatArray]:
        """Return (log M, q) of the tilt q(l) = p(l) e^{tilt l} / M."""
        exponent = self.log_masses + tilt * self.losses
        peak = float(exponent.max())
        weights = np.exp(exponent - peak)
        total = float(weights.sum())
        return peak + math.log(total), weights / total


def tilted_rounding(atoms: Atoms, tilt: float, log_moment: float) -> float:
    """A bound on the relative rounding error of one tilted atom."""
    largest = float(np.max(np.abs(atoms.log_masses) + tilt * np.abs(atoms.losses)))
    return _UNIT * (8 + 2 * largest + abs(log_moment))


def atoms(
    parts: Sequence[tuple[Guarantee, int]], delta: float, tail: float, order: Order, coarser: float = 1.0
) -> list[tuple[Atoms, int]] | None:
    """All parts on one grid, for about this delta, each up to where its profile falls below tail.

    ``coarser`` than precision asks for, where that would need too long a window. None where no grid fits.
    """
    if not all(_STD_RANGE[0] < part.loss_std < _STD_RANGE[1] for part, _ in parts):
        return None
    highest = [part.reach(math.log(tail)) for part, _ in parts]
    if not all(map(math.isfinite, highest)):
        return None
    gap = _with_ends(max(coarser * grid_gap(parts), max(highest) * 1e-9), parts)
    if max(gap, max(highest) / _LONGEST) > 1:  # losses in the thousands: no grid is both short and fine
        return None
    std = math.sqrt(math.fsum(times * part.loss_std**2 for part, times in parts))
    widest = min(_WIDEST, _TILTED * std / math.sqrt(2 * math.log(1 / min(delta, 0.5))))
    found = [
        (connect_the_dots(part, gap, top, order, widest), times)
        for (part, times), top in zip(parts, highest, strict=True)
    ]
    if any(part.leak >= 1 or len(part.indices) == 0 for part, _ in found):  # nothing that could be tilted
        return None
    return found


def _with_ends(gap: float, parts: Sequence[tuple[Guarantee, int]]) -> float:
    """A gap, at least half as wide, of which the largest loss that is used most often is a multiple.

    Pure privacy has all of its mass there: it would else lie on two points, and many uses on many.
    """
    most = gap * 2.0**50  # beyond it a multiple of the gap is no exact number, or none at all
    ends = [(times, part.largest_loss) for part, times in parts if gap <= part.largest_loss < most]
    if not ends:
        return gap
    _, largest = max(ends)
    return largest / math.ceil(largest / gap)


def connect_the_dots(guarantee: Guarantee, gap: float, highest: float, order: Order, widest: float) -> Atoms:
    """The atoms of one order's profile up to the loss ``highest``, at most about ``widest`` apart.

    What lies above leaks.

    Losses above zero come from the profile of this order, p_k, those below from the other's: e^{-l} p_k'.
    """
    cells = max(1, round(max(widest, highest / _LONGEST) / gap))
    steps = _steps(math.ceil(highest / gap) + 1, cells)
    epsilon = gap * steps
    if guarantee.is_symmetric:
        above = below = _inflated(guarantee.profile_at(epsilon))
    else:
        other: Order = "added" if order == "removed" else "removed"
        above = _inflated(guarantee.ordered_profile_at(epsilon, order))
        below = _inflated(guarantee.ordered_profile_at(epsilon, other))
        above[0] = below[0] = max(above[0], below[0])  # at zero the two are the same number
    upper, mirrored = _slopes(above, epsilon), _slopes(below, epsilon) * np.exp(-epsilon[1:])
    leak = float(above[-1])
    # A mass that rounding made negative is raised to zero. Above zero the atom at zero pays for it, which
    # only adds; below zero it is added for nothing.
    paid = mirrored if above is not below else np.maximum(mirrored, 0.0)
    upper = np.maximum(upper, 0.0)
    at_zero = max(0.0, 1 - leak - float(upper.sum() + paid.sum()))
    masses = np.concatenate([np.maximum(mirrored, 0.0)[::-1], [at_zero], upper])
    indices = np.concatenate([-steps[:0:-1], steps])
    kept = masses > 0
    indices = indices[kept]
    return Atoms(gap, indices, gap * indices, np.log(masses[kept]), leak)


def _inflated(profile: FloatArray) -> FloatArray:
    """The atoms are computed with rounding; 18 u K more of the profile, K its width in cells, covers it."""
    widths = np.cumsum(profile[::-1])[::-1] / np.maximum(profile, 1e-307)
    return np.asarray(profile * (1 + 18 * _UNIT * float(widths.max())))


def _slopes(profile: FloatArray, epsilon: FloatArray) -> FloatArray:
    """The masses above zero: an atom is what the slopes in e^epsilon on its two sides leave between them."""
    steps = np.diff(epsilon)
    terms = -np.diff(profile) / -np.expm1(-steps)
    mass = terms.copy()
    mass[:-1] -= (terms * np.exp(-steps))[1:]  # a drop over e^step - 1, which may overflow
    return np.asarray(mass)


@lru_cache(maxsize=256)
def _steps(last: int, widest: int) -> FloatArray:
    """0, 1, 2, ... in steps that never shrink: a part of where they stand, at most ``widest``."""
    found, at = [0], 0
    while at < last:
        at += max(1, min(at // _SPREAD, widest))
        found.append(at)
    return np.array(found, dtype=np.float64)


def grid_gap(parts: Sequence[tuple[Guarantee, int]]) -> float:
    """The widest gap that adds a negligible share to the variance of the total loss.

    One use adds about min(h²/6, h·std): the second where its loss is smaller than the gap.
    """
    variance = math.fsum(times * part.loss_std**2 for part, times in parts)

    def surplus(log_gap: float) -> float:
        h = math.exp(log_gap)
        added = math.fsum(times * min(h * h / 6, h * part.loss_std) for part, times in parts)
        return added - _GRID_ERROR * variance

    if surplus(math.log(_WIDEST)) <= 0:
        return _WIDEST
    finest = 1e-6 * min(part.loss_std for part, _ in parts)
    precise = math.exp(brentq(surplus, math.log(finest), math.log(_WIDEST), xtol=1e-6))
    return max(precise, 20 * math.sqrt(variance) / _WINDOW)
