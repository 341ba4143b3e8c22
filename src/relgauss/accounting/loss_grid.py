"""A privacy profile as atoms on a grid of losses, by connecting the dots (Doroshenko et al. 2022).

The profile is convex in e^epsilon; straight lines between its grid points lie above it, and are the
profile of a distribution on the grid. What is composed is therefore never below the truth.
Proof: proofs/composition.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.solve import least_epsilon
from relgauss.arrays import FloatArray

_GRID_ERROR = 2e-5  # share of the loss variance that the grid may add, while the window allows it
_WINDOW = 2**20  # cells that the composed loss may spread over
_MAX_ATOMS = 2**14  # of one use; a wider range gets a wider gap
_STD_RANGE = (1e-100, 1e6)  # of losses whose squares neither underflow nor need endless grids
_UNIT = 2.0**-53


@dataclass(frozen=True)
class Atoms:
    """A symmetric loss distribution: masses at 0, h, 2h, ..., with p(-l) = e^{-l} p(l); the rest leaks."""

    gap: float
    upper: FloatArray
    leak: float

    @cached_property
    def losses(self) -> FloatArray:
        """The grid, from the lowest loss to the highest."""
        return self.gap * self.indices

    @cached_property
    def indices(self) -> FloatArray:
        """The grid in units of the gap."""
        top = len(self.upper) - 1
        return np.arange(-top, top + 1, dtype=np.float64)

    @cached_property
    def log_masses(self) -> FloatArray:
        """Log of the masses at ``losses``."""
        with np.errstate(divide="ignore"):  # an atom of mass zero is -inf here, and stays zero
            upper = np.log(self.upper)
        return np.concatenate([upper[:0:-1] + self.losses[: len(upper) - 1], upper])

    def tilted(self, tilt: float) -> tuple[float, FloatArray]:
        """Return (log M, q) of the tilt q(l) = p(l) e^{tilt l} / M."""
        exponent = self.log_masses + tilt * self.losses
        peak = float(exponent.max())
        weights = np.exp(exponent - peak)
        total = float(weights.sum())
        return peak + math.log(total), weights / total


def tilted_rounding(atoms: Atoms, tilt: float, log_moment: float) -> float:
    """A bound on the relative rounding error of one tilted atom."""
    finite = np.where(np.isfinite(atoms.log_masses), np.abs(atoms.log_masses), 0.0)
    largest = float(np.max(finite + tilt * np.abs(atoms.losses)))
    return _UNIT * (8 + 2 * largest + abs(log_moment))


def atoms(parts: Sequence[tuple[Guarantee, int]], tail: float) -> list[tuple[Atoms, int]] | None:
    """All parts on one grid, each up to where its profile falls below tail; None where no grid fits."""
    if not all(_STD_RANGE[0] < part.loss_std < _STD_RANGE[1] for part, _ in parts):
        return None
    highest = [least_epsilon(part.log_delta, math.log(tail), part.loss_std) for part, _ in parts]
    if not all(map(math.isfinite, highest)):
        return None
    gap = max(grid_gap(parts), max(highest) / _MAX_ATOMS)
    if gap > 1:  # losses in the thousands: no grid is both short and fine
        return None
    found = [
        (connect_the_dots(part, gap, top), times) for (part, times), top in zip(parts, highest, strict=True)
    ]
    if any(part.leak >= 1 or not part.upper.any() for part, _ in found):  # nothing that could be tilted
        return None
    return found


def connect_the_dots(guarantee: Guarantee, gap: float, highest: float) -> Atoms:
    """The atoms of a guarantee's profile up to the loss ``highest``; what lies above leaks."""
    count = math.ceil(highest / gap) + 1
    profile = guarantee.profile(gap, count)
    # The atoms are computed with rounding; 18 u K more of the profile, K its width in cells, covers it.
    widths = np.cumsum(profile[::-1])[::-1] / np.maximum(profile, 1e-307)
    profile = profile * (1 + 18 * _UNIT * float(widths.max()))
    drops = -np.diff(profile)
    # An atom is what the slopes in e^epsilon on its two sides leave between them.
    mass = drops / -math.expm1(-gap)
    mass[:-1] -= drops[1:] / math.expm1(gap)
    mass = np.maximum(mass, 0.0)
    leak = float(profile[-1])
    mirrored = mass @ np.exp(-gap * np.arange(1, count + 1))
    at_zero = max(0.0, 1 - leak - float(mass.sum() + mirrored))
    return Atoms(gap, np.concatenate([[at_zero], mass]), leak)


def grid_gap(parts: Sequence[tuple[Guarantee, int]]) -> float:
    """The widest gap that adds a negligible share to the variance of the total loss.

    One use adds about min(h²/6, h·std): the second where its loss is smaller than the gap.
    """
    variance = math.fsum(times * part.loss_std**2 for part, times in parts)

    def surplus(log_gap: float) -> float:
        h = math.exp(log_gap)
        added = math.fsum(times * min(h * h / 6, h * part.loss_std) for part, times in parts)
        return added - _GRID_ERROR * variance

    widest = 0.02
    if surplus(math.log(widest)) <= 0:
        return widest
    finest = 1e-6 * min(part.loss_std for part, _ in parts)
    precise = math.exp(brentq(surplus, math.log(finest), math.log(widest), xtol=1e-6))
    return max(precise, 20 * math.sqrt(variance) / _WINDOW)
