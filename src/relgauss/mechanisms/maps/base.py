"""What every map offers that brings neighbouring answers to a distance of at most 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from relgauss.arrays import FloatArray
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.scores import Projection, Score

ULP = 2.0**-52
LOG_RANGE = 800.0  # no double's logarithm is larger than this in absolute value


class UnitMap(ABC):
    """A map of R^d into R^m that brings neighbours to a distance of at most 1.

    s is the noise multiplier: each of the m coordinates gets N(0, s²).
    """

    coordinates: int
    tunable: ClassVar[bool] = False  # whether the decoder can be made for answers of one norm

    @abstractmethod
    def encode(self, answer: FloatArray) -> FloatArray:
        """The coordinates of an answer."""

    @abstractmethod
    def decode(self, z: FloatArray) -> FloatArray:
        """The answer with these coordinates."""

    @abstractmethod
    def estimate(self, z: FloatArray, s: float) -> FloatArray:
        """The answer estimated from coordinates with noise of std s, a row of them or many rows."""

    @abstractmethod
    def mean_squared_error(self, norm: float, s: float) -> float:
        """E||estimate - q||² at an answer of this norm, exactly."""

    @abstractmethod
    def limiting_relative_error(self, s: float) -> float:
        """Root of E||estimate - q||²/||q||² as ||q|| grows."""

    def made_for(self, public_norm: float) -> UnitMap:
        """The same map, decoded for the least error at this norm; refused where there is no choice."""
        raise InvalidParameterError(
            "public_norm",
            public_norm,
            "None for this bound",
            "Only in the quadratic form with r > 0 has the decoder a choice, for two coordinates or more.",
        )

    def bias(self, norm: float, s: float) -> float:
        """The mean of the estimate, less the answer, along the answer: zero, or the map says otherwise."""
        return 0.0

    @abstractmethod
    def log_noise(self, s: float) -> float:
        """The std of the noise on the logarithm of a large answer: past 1 the answer is mostly noise."""

    @abstractmethod
    def float_error(self) -> float:
        """A public bound on how far ``encode`` in floating point lands from the exact coordinates."""

    def score(self, pair: Pair, s: float) -> Score:
        """The score that tells estimates on these answers apart, or nearly so."""
        return Projection(pair.difference)
