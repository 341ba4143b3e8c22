"""The library's mechanisms with a fault inside: the noise is missing, too small or the same somewhere.

Each keeps the claim of the mechanism it is made from.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import relgauss as rg

Shape = Callable[[np.ndarray, np.ndarray], np.ndarray]  # answer, noise -> faulty noise
BOUND = rg.RelativeSensitivity(eta=0.1, r=1.0)


def planted(mechanism: rg.Mechanism, draw: Callable) -> rg.Mechanism:
    """The mechanism with other simulated releases: draw(mechanism, answer, count, rng)."""
    faulty = type("Faulty", (type(mechanism),), {"_release_simulated": draw})
    fields = {name: getattr(mechanism, name) for name in mechanism.__dataclass_fields__}
    return faulty(**fields)


def on_answers(mechanism: rg.Mechanism, shape: Shape) -> rg.Mechanism:
    """A fault in noise that is added to the answer itself."""

    def draw(self, answer, count, rng):
        level = self.noise_std
        std = level(float(np.linalg.norm(answer))) if callable(level) else level
        return answer + shape(answer, std * rng.normal(size=(count, self.dim)))

    return planted(mechanism, draw)


def on_coordinates(mechanism: rg.IsometricGaussian, shape: Shape) -> rg.Mechanism:
    """A fault in noise that is added to the coordinates of a map."""

    def draw(self, answer, count, rng):
        noise = self.noise_multiplier * rng.normal(size=(count, self.map.coordinates))
        return self.map.estimate(self.map.encode(answer) + shape(answer, noise), self.noise_multiplier)

    return planted(mechanism, draw)


def only(first: int) -> Shape:
    """Noise on so many coordinates only."""
    return lambda answer, noise: noise * (np.arange(noise.shape[1]) < first)


def half_on_last(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return noise * np.where(np.arange(noise.shape[1]) == noise.shape[1] - 1, 0.5, 1.0)


def same_for_all(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return np.repeat(noise[:, :1], noise.shape[1], axis=1)


def same_for_two(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return np.column_stack([noise[:, :-1], noise[:, 0]])


def none_below_zero(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return noise * (not (answer < 0).all())


def none_at_zero(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return noise * bool(answer.any())


def half_far_out(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return noise * (0.5 if np.linalg.norm(answer) > 100 else 1.0)


def without_scale_noise(answer: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return noise * (np.arange(noise.shape[1]) > 0)


def without_floor(self, answer, count, rng):
    """RGM that forgets sigma."""
    return answer + math.sqrt(self.gamma) * np.linalg.norm(answer) * rng.normal(size=(count, self.dim))


def rounded_only(self, answer, count, rng):
    """No noise, but few digits."""
    return np.repeat(np.round(answer)[None, :], count, axis=0)


def gaussian(dim: int) -> rg.Gaussian:
    return rg.Gaussian(rg.AbsoluteSensitivity(2.0), dim, 1.0)


def relative(dim: int, form: str = "quadratic") -> rg.RelativeGaussian:
    return rg.RelativeGaussian(rg.RelativeSensitivity(0.1, 1.0, form), dim, gamma=0.01)


def isometric(dim: int, r: float = 1.0) -> rg.IsometricGaussian:
    return rg.IsometricGaussian(rg.RelativeSensitivity(0.1, r), dim, 1.0)


FAULTS = {
    "gaussian, noise on the first coordinate only": on_answers(gaussian(3), only(1)),
    "relative, noise on the first coordinate only": on_answers(relative(20), only(1)),
    "map coordinates from the third on without noise": on_coordinates(isometric(3), only(2)),
    "... of two": on_coordinates(isometric(2), only(2)),
    "... of twenty": on_coordinates(isometric(20), only(2)),
    "... with r = 0": on_coordinates(isometric(3, r=0.0), only(2)),
    "gaussian, none below zero": on_answers(gaussian(1), none_below_zero),
    "gaussian, none below zero, twenty coordinates": on_answers(gaussian(20), none_below_zero),
    "relative, none below zero": on_answers(relative(1), none_below_zero),
    "isometric, none below zero": on_coordinates(isometric(1), none_below_zero),
    "isometric, none below zero, three coordinates": on_coordinates(isometric(3), none_below_zero),
    "relative, quadratic, without floor": planted(relative(3), without_floor),
    "relative, linear, without floor": planted(relative(1, "linear"), without_floor),
    "gaussian, half of the noise on one coordinate": on_answers(gaussian(20), half_on_last),
    "relative, half of the noise on one coordinate": on_answers(relative(5), half_on_last),
    "isometric, half of the noise on one coordinate": on_coordinates(isometric(5), half_on_last),
    "gaussian, the same noise on all coordinates": on_answers(gaussian(3), same_for_all),
    "gaussian, the same noise on two of twenty": on_answers(gaussian(20), same_for_two),
    "isometric, the same noise on all coordinates": on_coordinates(isometric(3), same_for_all),
    "gaussian, none at zero": on_answers(gaussian(3), none_at_zero),
    "relative, half far from zero": on_answers(relative(3), half_far_out),
    "isometric, no noise on the scale": on_coordinates(isometric(100), without_scale_noise),
    "gaussian, rounded instead": planted(gaussian(3), rounded_only),
    "relative, rounded instead": planted(relative(3), rounded_only),
}
