"""The Relative Gaussian Mechanism of Hendrikx, Mangold and Bellet (2024), with exact accounting."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.accounting import pld
from relgauss.accounting.convert import rdp_to_epsilon, rdp_to_epsilon_mironov
from relgauss.accounting.gaussian_pair_dp import GaussianPairDP
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.sampling import Sampling
from relgauss.accounting.tcdp import TruncatedConcentratedDP
from relgauss.arrays import FloatArray, l2_norm
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError
from relgauss.mechanisms import dp_events as events
from relgauss.mechanisms.base import Mechanism, bound_of_kind, validated_norm
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.relative_lattice import SPLIT, relative_exponent, rounded_noise_std
from relgauss.mechanisms.relative_noise import checked_noise
from relgauss.mechanisms.relative_pair import hardest_pair
from relgauss.mechanisms.relative_theorem import eta_and_gamma, relative_tcdp, theorem_for
from relgauss.mechanisms.scores import GaussianLogRatio, Score
from relgauss.mechanisms.search import largest_signal
from relgauss.mechanisms.sensitivity import RelativeSensitivity
from relgauss.mechanisms.target import Target
from relgauss.noise import lattice, simulated
from relgauss.noise.lattice import round_to_lattice

Method = Literal["theorem", "rdp", "pld"]
METHODS: tuple[Method, ...] = ("theorem", "rdp", "pld")

_LEAST_SHIFT = 1e-6  # of the shift of a Gaussian: less changes epsilon in no digit that matters


@dataclass(frozen=True)
class RelativeGaussian(Mechanism):
    """q + N(0, noise_std² I_d) with noise_std = (sqrt(gamma)/eta) S(||q||), S the local scale:

        quadratic:  noise_std² = gamma ||q||² + sigma²,     sigma = sqrt(gamma) r/eta or larger
        linear:     noise_std  = sqrt(gamma) ||q|| + sigma

    Neighbours look like N(0, v I_d) and N(c e_1, I_d), c <= eta/sqrt(gamma), v <= (1+eta)².
    eta = 0 is the classical case: gamma = 0 and sigma is the noise. Proof: proofs/exact-pair.md.

    Parameters
    ----------
    sensitivity
        How far one record can move the answer: eta, r and the form.
    dim
        The number of coordinates of the answer.
    gamma
        The part of the noise variance that grows with the squared norm of the answer.
    sigma
        The standard deviation of the noise where the answer is zero. Left out, it is the least that protects.
    """

    sensitivity: RelativeSensitivity
    dim: int
    gamma: float
    sigma: float = None  # type: ignore[assignment]  # the constructor puts the least private value here

    name = "relative"
    title = "relative Gaussian"
    theorem = "proofs/exact-pair.md"
    bound_kind = RelativeSensitivity
    other_accountings = ("paper's theorem",)

    def __post_init__(self) -> None:
        bound_of_kind(RelativeSensitivity, self.sensitivity)
        object.__setattr__(self, "dim", validate.count("dim", self.dim))
        gamma, sigma = checked_noise(self.sensitivity, self.gamma, self.sigma)
        object.__setattr__(self, "gamma", gamma)
        object.__setattr__(self, "sigma", sigma)

    @classmethod
    def with_noise(cls, sensitivity: RelativeSensitivity, dim: int, multiplier: float) -> Self:
        """Noise of exactly this many times the local scale."""
        return cls(sensitivity, dim, (sensitivity.eta * multiplier) ** 2, sensitivity.r * multiplier)

    @classmethod
    def calibrated(cls, sensitivity: RelativeSensitivity, dim: int, target: Target) -> Self:
        """gamma = (eta/c)²: epsilon grows with c, from its floor at c = 0 to past the target at c = mu."""
        eta, mu = sensitivity.eta, target.mu_per_step
        if not target.is_plain:
            return super().calibrated(sensitivity, dim, target)
        if eta == 0:
            return cls(sensitivity, dim, 0.0, sensitivity.r / mu * (1 + 1e-15))
        c = largest_signal(
            lambda c: cls(sensitivity, dim, (eta / c) ** 2).epsilon(target.delta, target.steps),
            target.epsilon,
            _LEAST_SHIFT * mu,
            mu * (1 + 1e-9),
            lambda least: cls.unreachable(sensitivity, dim, target, least),
        )
        return cls(sensitivity, dim, (eta / c) ** 2)

    @property
    def parameters(self) -> dict[str, float]:
        """The noise level: gamma and sigma."""
        return {"gamma": self.gamma, "sigma": self.sigma}

    def accounted_at(self, delta: float, steps: int) -> dict[str, float]:
        """The Rényi order at which the paper's way of accounting is best."""
        return {"alpha": self.best_order(delta, steps)}

    def epsilon_by(self, accounting: str, delta: float, steps: int) -> float:
        """What the paper proves: Theorem 1 with Mironov's conversion."""
        validate.choice("accounting", accounting, self.other_accountings)
        return self.epsilon(delta, steps, method="theorem")

    @property
    def guarantee(self) -> Guarantee:
        """The box of Gaussian pairs that all neighbours lie in, or mu-GDP for eta = 0.

        Where the mechanism can be released (r > 0) the box includes what rounding to the lattice adds.
        """
        return self._guarantee

    @cached_property
    def _guarantee(self) -> Guarantee:
        eta = self.sensitivity.eta
        if eta == 0:
            return GaussianDP(self.sensitivity.r / self.sigma * (1 + 1e-15), self.sensitivity.neighbours)
        excess = eta * (2 + eta)
        if self.sigma > 0:  # eta grows by 1 + t; the squared ratio of two computed stds errs by 2^-48
            excess = excess * (1 + 3 * SPLIT) + 2.0**-48
        return GaussianPairDP(eta / math.sqrt(self.gamma), excess, self.dim, self.sensitivity.neighbours)

    def epsilon(
        self,
        delta: float,
        steps: int = 1,
        method: Method | None = None,
        *,
        sampling: Sampling | None = None,
    ) -> float:
        """The epsilon of this many releases; by default the least of the three proven methods.

        "theorem": the paper's Theorem 1 with Mironov's conversion; "rdp": the exact Rényi divergence with
        the tight conversion; "pld": the exact hockey-stick divergence, composed. All three are for the box
        of ``guarantee``, which includes what rounding to the lattice adds. Releases on drawn records
        (``sampling``) have one method, that of ``compose``.
        """
        if sampling is not None:
            if method is not None:
                raise InvalidParameterError(
                    "method", method, "left out with sampling", "Leave it out: the exact losses are composed."
                )
            return super().epsilon(delta, steps, sampling=sampling)
        delta = validate.probability("delta", delta)
        steps = validate.count("steps", steps)
        if method is None:
            return min(self.epsilon(delta, steps, each) for each in METHODS)
        limit = self.guarantee.order_limit
        match validate.choice("method", method, METHODS):
            case "theorem":
                curve = theorem_for(self.guarantee)
                return rdp_to_epsilon_mironov(lambda alpha: steps * curve(alpha), limit, delta)[1]
            case "rdp":
                return rdp_to_epsilon(self.composed(steps).rdp, limit, delta)[1]
            case _:
                if steps == 1 or isinstance(self.guarantee, GaussianDP):
                    return self.composed(steps).epsilon(delta)
                return pld.epsilon([(self.guarantee, steps)], delta)

    def best_order(self, delta: float, steps: int = 1) -> float:
        """The Rényi order alpha at which method "rdp" attains its epsilon, for ``steps`` and ``delta``."""
        delta = validate.probability("delta", delta)
        alpha, epsilon = rdp_to_epsilon(self.composed(steps).rdp, self.guarantee.order_limit, delta)
        if epsilon == math.inf:
            raise NoGuaranteeError("No Rényi order gives a finite epsilon.", "Take the method 'pld'.")
        return alpha

    def tcdp(self) -> TruncatedConcentratedDP:
        """The paper's truncated concentrated DP statement for one release, for the box of ``guarantee``."""
        if not isinstance(self.guarantee, GaussianPairDP):
            raise NoGuaranteeError(
                "The tCDP statement needs eta > 0.", "For eta = 0 use mu-GDP: guarantee.mu."
            )
        return relative_tcdp(*eta_and_gamma(self.guarantee), self.dim)

    def noise_std(self, norm: float) -> float:
        """The standard deviation of the noise at an answer of this norm."""
        relative = math.sqrt(self.gamma) * validated_norm(norm)
        if self.sensitivity.form == "linear":
            return relative + self.sigma
        return math.hypot(relative, self.sigma)

    def rms_error(self, norm: float) -> float:
        """The noise of all coordinates together: sqrt(d) noise_std(norm)."""
        return math.sqrt(self.dim) * self.noise_std(norm)

    @property
    def limiting_relative_error(self) -> float:
        """The limit of rms_error(norm)/norm: sqrt(d gamma)."""
        return math.sqrt(self.dim * self.gamma)

    def check_releasable(self) -> None:
        """Only with a least noise level, from which a public lattice can be chosen."""
        relative_exponent(self.sigma, self.dim)

    @property
    def needed_for_secure_noise(self) -> str:
        """A floor, or a lattice that its size fits on."""
        return "r > 0" if self.only_simulated else super().needed_for_secure_noise

    @property
    def only_simulated(self) -> bool:
        """Without a floor there is no least noise, whatever gamma is."""
        return self.sigma == 0

    def hardest_pair(self, epsilon: float) -> Pair:
        """Radial or a rotation, whichever is worse at this epsilon."""
        return hardest_pair(self, epsilon)

    def score(self, pair: Pair) -> Score:
        """The exact likelihood ratio."""
        stds = (self.noise_std(l2_norm(answer)) for answer in (pair.first, pair.second))
        return GaussianLogRatio(pair.first, pair.second, *stds)

    def event(self) -> Any:
        """Refused: no event describes noise that depends on the data."""
        raise events.none_for("RelativeGaussian")

    def _release_secure(self, value: FloatArray) -> FloatArray:
        exponent = relative_exponent(self.sigma, self.dim)
        rounded = round_to_lattice(value, exponent)
        std = rounded_noise_std(self.sensitivity, self.gamma, self.sigma, rounded, exponent)
        return lattice.add_discrete_gaussian(rounded, std, exponent)

    def _release_simulated(self, value: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        return value + simulated.gaussian(self.noise_std(l2_norm(value)), (count, self.dim), rng)

    def _checked(self, value: ArrayLike) -> FloatArray:
        array = super()._checked(value)
        if self._norm(array) == 0 and self.sigma == 0:
            raise InvalidValueError(
                "The value is zero, but r = 0 says that it never is.", "State the bound with r > 0."
            )
        return array
