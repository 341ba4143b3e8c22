"""The isometric Gaussian mechanism: relative noise with no dimension penalty."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.arrays import FloatArray, l2_norm
from relgauss.errors import InvalidParameterError, InvalidValueError, MostlyNoiseWarning
from relgauss.mechanisms.base import (
    bound_of_kind,
    noise_multiplier,
    numbers,
    relative_rounding,
    root_mean,
    validated_norm,
)
from relgauss.mechanisms.gaussian import Gaussian, GaussianNoise
from relgauss.mechanisms.maps.base import UnitMap
from relgauss.mechanisms.maps.embedding import BalancedEmbedding, ProductEmbedding
from relgauss.mechanisms.maps.line import line_map
from relgauss.mechanisms.maps.projected import ProjectedEmbedding
from relgauss.mechanisms.maps.scaling import ScalingMap
from relgauss.mechanisms.maps.spherical import SphericalEmbedding
from relgauss.mechanisms.mostly_noise import MOST_LOG_NOISE, caution_of, refuse_overflow, unreachable
from relgauss.mechanisms.neighbours import Pair, rotation_or_radial
from relgauss.mechanisms.scores import GaussianLogRatio, Score
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.mechanisms.target import Target
from relgauss.noise import lattice, simulated
from relgauss.noise.lattice import lattice_exponent, round_to_lattice, rounding_distance
from relgauss.rounding import round_up

Decoder = Literal["standard", "projected"]
DECODERS: tuple[Decoder, ...] = ("standard", "projected")
_MOST_GROWTH = 0.01  # of the noise, by what floating point adds to the sensitivity


@dataclass(frozen=True)
class IsometricGaussian(GaussianNoise):
    """Map the answer so that neighbours lie at most 1 apart, add N(0, s² I) there, map back:

        Z = phi(q) + N(0, s² I),   exactly mu-GDP with mu = 1/s, s = noise_multiplier, at every dimension.

    The answer is decoded from Z without bias (but for the linear form on the line, both signs), and its error
    is known exactly: with r = 0 it is that of noise at the local scale, which is not private. See ``maps``.
    Proofs: proofs/isometric.md, proofs/decoders.md.

    Parameters
    ----------
    sensitivity
        The relative bound.
    dim
        The number of coordinates of the answer.
    noise_multiplier
        The standard deviation s of the noise on each coordinate of the mapped answer.
    decoder
        "standard", or "projected": less error for a bias that ``bias`` tells, for two coordinates or more and
        the quadratic form with r > 0.
    public_norm
        A norm of the answer that is known publicly, in the quadratic form with r > 0: the decoder is made for
        it. None is the limit of large answers.
    """

    sensitivity: RelativeSensitivity
    dim: int
    noise_multiplier: float
    decoder: Decoder = "standard"
    public_norm: float | None = None

    name = "isometric"
    title = "isometric Gaussian"
    theorem = "proofs/isometric.md"
    bound_kind = RelativeSensitivity

    def __post_init__(self) -> None:
        bound_of_kind(RelativeSensitivity, self.sensitivity)
        object.__setattr__(self, "dim", validate.count("dim", self.dim))
        object.__setattr__(self, "noise_multiplier", noise_multiplier(self.noise_multiplier))
        validate.choice("decoder", self.decoder, DECODERS)
        noise = self.map.log_noise(self.noise_multiplier)
        if noise > 1:
            refuse_overflow(noise, self.noise_multiplier)
            warnings.warn(caution_of(noise), MostlyNoiseWarning, stacklevel=3)

    @classmethod
    def with_noise(cls, sensitivity: RelativeSensitivity, dim: int, multiplier: float) -> Self:
        """Noise of this many times the distance of neighbours after the map."""
        return cls(sensitivity, dim, multiplier)

    @classmethod
    def calibrated(cls, sensitivity: RelativeSensitivity, dim: int, target: Target) -> Self:
        """The noise multiplier is the inverse of mu; only answers of nothing but noise are out of reach."""
        if not target.is_plain:
            return super().calibrated(sensitivity, dim, target)
        multiplier = 1 / target.mu_per_step
        log_noise = unit_map(sensitivity, dim, multiplier).log_noise(multiplier)
        if log_noise > MOST_LOG_NOISE:
            raise unreachable(sensitivity.eta, target, multiplier * MOST_LOG_NOISE / log_noise)
        return cls(sensitivity, dim, multiplier)

    def tuned_to(self, norm: float | None) -> Self:
        """Decoded for the least error at this norm, where the decoder has a choice."""
        return replace(self, public_norm=norm) if self.map.tunable else self

    @property
    def parameters(self) -> dict[str, float]:
        """The noise multiplier and mu."""
        return {"noise_multiplier": self.noise_multiplier, "mu": self.mu}

    @property
    def caution(self) -> str | None:
        """A warning where the noise on the answer's logarithm has a deviation above 1; None elsewhere."""
        noise = self.map.log_noise(self.noise_multiplier)
        return caution_of(noise) if noise > 1 else None

    @cached_property
    def map(self) -> UnitMap:
        """phi, the map for this sensitivity and dimension."""
        found = unit_map(self.sensitivity, self.dim, self.noise_multiplier, self.decoder)
        return found if self.public_norm is None else found.made_for(self.public_norm)

    def encode(self, value: ArrayLike) -> FloatArray:
        """phi(value): coordinates in which neighbours lie at most 1 apart."""
        return self.map.encode(self._checked(value))

    def decode(self, z: ArrayLike) -> FloatArray:
        """The answer with the coordinates ``z``: the inverse of ``encode``."""
        coordinates = numbers("z", z, "Pass what encode returns.")
        if coordinates.shape != (self.map.coordinates,):
            raise InvalidParameterError(
                "z", coordinates.shape, f"of shape ({self.map.coordinates},)", "Pass what encode returns."
            )
        with np.errstate(over="ignore"):
            answer = self.map.decode(coordinates)
        if not np.isfinite(answer).all():
            raise InvalidValueError("z decodes to an answer that overflows.", "Pass what encode returns.")
        return answer

    def rms_error(self, norm: float) -> float:
        """The root-mean-square error at an answer of this norm, exactly."""
        return root_mean(self.map.mean_squared_error(validated_norm(norm), self.noise_multiplier))

    def bias(self, norm: float) -> float:
        """The mean of a release, less the answer, along an answer of this norm: 0 if without bias."""
        return self.map.bias(validated_norm(norm), self.noise_multiplier)

    @property
    def limiting_relative_error(self) -> float:
        """rms_error(norm)/norm as the norm grows."""
        return self.map.limiting_relative_error(self.noise_multiplier)

    def check_releasable(self) -> None:
        """A double must hold the coordinates, and the lattice's proof must cover the noise."""
        if self.sensitivity.eta == 0:
            self._classical.check_releasable()
        else:
            self._lattice()

    @property
    def needed_for_secure_noise(self) -> str:
        """Coordinates that a double can hold; in the classical case, a lattice that the noise fits on."""
        return "a larger eta" if self.sensitivity.eta > 0 else super().needed_for_secure_noise

    def hardest_pair(self, epsilon: float) -> Pair:
        """Rotation, which decoding keeps; radial where all answers have one sign."""
        return rotation_or_radial(self.sensitivity, self.dim)

    def score(self, pair: Pair) -> Score:
        """On the line decoding is increasing, so the output itself; else what the map says of its outputs."""
        return self.map.score(pair, self.noise_multiplier)

    def fault_scores(self, pair: Pair) -> tuple[Score, ...]:
        """The likelihood ratio of noise whose size follows the answer without noise of its own."""
        scales = (self.sensitivity.local_scale(l2_norm(answer)) for answer in (pair.first, pair.second))
        stds = (self.noise_multiplier * scale for scale in scales)
        return (GaussianLogRatio(pair.first, pair.second, *stds),)

    def _release_secure(self, value: FloatArray) -> FloatArray:
        if self.sensitivity.eta == 0:
            return self._classical.release(value)
        exponent, growth = self._lattice()
        std = self.noise_multiplier * relative_rounding(growth)
        points = round_to_lattice(self.map.encode(value), exponent)
        return self.map.estimate(lattice.add_discrete_gaussian(points, std, exponent), std)

    @property
    def _classical(self) -> Gaussian:
        """The case of eta = 0, where the answer itself is rounded."""
        bound = AbsoluteSensitivity(self.sensitivity.r, self.sensitivity.provenance)
        return Gaussian(bound, self.dim, self.noise_multiplier)

    def _lattice(self) -> tuple[int, float]:
        """The lattice's exponent, and by how much it and floating point bring neighbours further apart."""
        size = self.map.coordinates
        exponent = lattice_exponent(self.noise_multiplier, size)
        growth = rounding_distance(exponent, size) + 2 * self.map.float_error()
        if not growth <= _MOST_GROWTH:
            least = round_up(self.sensitivity.eta * growth / _MOST_GROWTH, 2)
            raise InvalidParameterError(
                "eta",
                self.sensitivity.eta,
                "large enough for a double to hold the coordinate log(M)/eta",
                f"A larger bound holds too: state eta={least}. Or use another mechanism (compare() "
                "lists them), or state the bound as an AbsoluteSensitivity.",
            )
        return exponent, growth

    def _release_simulated(self, value: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        noise = simulated.gaussian(self.noise_multiplier, (count, self.map.coordinates), rng)
        return self.map.estimate(self.map.encode(value) + noise, self.noise_multiplier)

    def _checked(self, value: ArrayLike) -> FloatArray:
        array = super()._checked(value)
        norm = self._norm(array)
        if norm == 0 and self.sensitivity.r == 0:
            raise InvalidValueError(
                "The value is zero, but r = 0 says that it never is.", "State the bound with r > 0."
            )
        if self.sensitivity.nonnegative and (array < 0).any():
            raise InvalidValueError(
                "The value is negative, but the sensitivity says that it never is.", "Drop nonnegative=True."
            )
        return array


def unit_map(
    bound: RelativeSensitivity, dim: int, noise_multiplier: float, decoder: Decoder = "standard"
) -> UnitMap:
    """The map for a bound: one of the line where there is one, else the embedding, as its form decodes it."""
    eta, r, linear = bound.eta, bound.r, bound.form == "linear"
    if decoder == "projected":
        return ProjectedEmbedding(eta, r, linear, dim)
    if eta == 0:
        return ScalingMap(r, dim)
    if dim == 1 and (eta < 2 or bound.nonnegative):
        return line_map(bound, noise_multiplier)
    if r == 0:
        return SphericalEmbedding(eta, r, linear, dim)
    return (ProductEmbedding if linear else BalancedEmbedding)(eta, r, linear, dim)
