"""The protocol of a mechanism: what it promises, how wrong its answers are, and how it releases one.

To add a mechanism, implement the abstract members, prove ``guarantee`` in proofs/ and register the class in
``registry``: calibration, comparison, audit and the command line ask it for all that they show.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.guarantees import Guarantee
from relgauss.arrays import FloatArray, l2_norm
from relgauss.budget import Charge, Condition, PrivacyStatement
from relgauss.errors import InvalidValueError, RelgaussError, UnreachableTargetError
from relgauss.mechanisms.checks import Sensitivity
from relgauss.mechanisms.exact import exact_doubles
from relgauss.mechanisms.neighbours import Pair, farthest
from relgauss.mechanisms.scores import Projection, Score
from relgauss.mechanisms.search import largest_signal
from relgauss.mechanisms.target import Target
from relgauss.noise import simulated

SECURE = Condition("the noise is secure: a release that was given an rng is not private", "assumed")

_NORM_RANGE = (1e-150, 1e150)  # norms whose squares stay representable
_SPAN = 1e6  # times more noise than a Gaussian needs, or less: what a search looks through


class Mechanism(ABC):
    """A query's sensitivity, its dimension and a noise level: everything is public but the value.

    Attributes
    ----------
    sensitivity
        How far one record can move the answer.
    dim
        The number of coordinates of the answer.
    name
        What the mechanism is called in ``calibrate``, ``compare`` and on the command line.
    title
        What a picture calls it.
    theorem
        The page in proofs/ that its guarantee rests on.
    bound_kind
        The kind of bound that it takes.
    other_accountings
        Names of weaker accountings of the same noise that comparisons show beside it: ``epsilon_by``.
    whole_numbers
        Whether every answer consists of whole numbers.
    """

    sensitivity: Sensitivity
    dim: int
    name: ClassVar[str]
    title: ClassVar[str]
    theorem: ClassVar[str]
    bound_kind: ClassVar[type[Sensitivity]]
    other_accountings: ClassVar[tuple[str, ...]] = ()
    whole_numbers: ClassVar[bool] = False

    # Building one

    @classmethod
    @abstractmethod
    def with_noise(cls, sensitivity: Any, dim: int, multiplier: float) -> Self:
        """The mechanism whose noise is about this many times the local scale: how far a neighbour can be."""

    @classmethod
    def calibrated(cls, sensitivity: Any, dim: int, target: Target) -> Self:
        """The least noise that meets a target.

        Parameters
        ----------
        sensitivity
            The bound, of the kind that this mechanism takes.
        dim
            The number of coordinates of the answer.
        target
            What the releases may cost.
        """

        def epsilon(signal: float) -> float:
            return cls.with_noise(sensitivity, dim, 1 / signal).epsilon(target.delta, target.steps)

        signal = largest_signal(
            epsilon,
            target.epsilon,
            target.mu_per_step / _SPAN,
            target.mu_per_step * _SPAN,
            lambda least: cls.unreachable(sensitivity, dim, target, least),
        )
        return cls.with_noise(sensitivity, dim, 1 / signal)

    @classmethod
    def unreachable(
        cls, sensitivity: Sensitivity, dim: int, target: Target, least: float
    ) -> UnreachableTargetError:
        """The error for a target below the least epsilon that this mechanism reaches."""
        eta = f"eta={eta:g}, " if (eta := getattr(sensitivity, "eta", None)) is not None else ""
        return UnreachableTargetError(
            f"{cls.__name__} with {eta}dim={dim}, steps={target.steps} cannot reach "
            f"epsilon={target.epsilon:g} at delta={target.delta:g}: its least epsilon is {least:.6g}, "
            "whatever the noise.",
            "Use another mechanism; compare() lists them.",
            least,
        )

    def tuned_to(self, norm: float | None) -> Self:
        """The same noise, decoded for the least error at this public norm; None is a large answer."""
        return self

    # What it says of itself

    @property
    @abstractmethod
    def parameters(self) -> dict[str, float]:
        """The numbers that size the noise, by name."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What one release promises."""

    @abstractmethod
    def rms_error(self, norm: float) -> float:
        """Root-mean-square error ||release - q|| at an answer of this norm."""

    @property
    @abstractmethod
    def limiting_relative_error(self) -> float:
        """rms_error(norm)/norm as the norm grows: the scale-dominated limit."""

    def accounted_at(self, delta: float, steps: int) -> dict[str, float]:
        """Numbers of the accounting that are worth showing beside the parameters, by name."""
        return {}

    def epsilon_by(self, accounting: str, delta: float, steps: int) -> float:
        """Epsilon by one of ``other_accountings``."""
        validate.choice("accounting", accounting, self.other_accountings)
        return self.epsilon(delta, steps)

    @property
    def caution(self) -> str | None:
        """What a user should know before a release, or None: that answers are mostly noise."""
        return None

    # Secure noise

    def check_releasable(self) -> None:  # noqa: B027 - a mechanism without limits has nothing to refuse
        """Refuse, by public numbers alone, what secure noise cannot serve: it can only be simulated."""

    @property
    def releasable(self) -> bool:
        """Whether secure noise can serve this mechanism."""
        try:
            self.check_releasable()
        except RelgaussError:
            return False
        return True

    @property
    def needed_for_secure_noise(self) -> str:
        """What ``check_releasable`` asks for, in a few words."""
        return "other units"

    @property
    def only_simulated(self) -> bool:
        """Whether secure noise serves no noise level at this bound: then calibration does not refuse it."""
        return False

    # Audits

    def hardest_pair(self, epsilon: float) -> Pair:
        """Neighbouring answers whose outputs show the most of delta at this epsilon, near the first axes."""
        return farthest(self.sensitivity, self.dim)

    def score(self, pair: Pair) -> Score:
        """The score that tells the outputs on these answers apart best, or nearly so."""
        return Projection(pair.difference)

    def fault_scores(self, pair: Pair) -> tuple[Score, ...]:
        """More scores, in which a faulty implementation of this mechanism would show."""
        return ()

    # Releases

    @abstractmethod
    def event(self) -> Any:
        """A dp_accounting event for one release, for other accountants."""

    @abstractmethod
    def _release_secure(self, value: FloatArray) -> FloatArray:
        """Release with noise from the operating system."""

    @abstractmethod
    def _release_simulated(self, value: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` releases, a row each, with noise from a seeded generator."""

    def epsilon(self, delta: float, steps: int = 1) -> float:
        """The least proven epsilon of this many releases at this delta, rounded up."""
        return self.composed(steps).epsilon(delta)

    def delta(self, epsilon: float, steps: int = 1) -> float:
        """The least proven delta of this many releases at this epsilon, rounded up."""
        return self.composed(steps).delta(epsilon)

    def rdp(self, alpha: float) -> float:
        """The Rényi divergence bound of one release; infinite past the mechanism's largest order."""
        return self.composed(1).rdp(alpha)

    def composed(self, steps: int) -> Composition:
        """This many adaptive releases together."""
        return compose((self.guarantee, validate.count("steps", steps)))

    def release(self, value: ArrayLike, *, rng: np.random.Generator | None = None) -> FloatArray:
        """Release a value: with secure noise, or, given ``rng``, simulated and marked so.

        The result has the value's shape. Nothing is drawn and nothing is charged if the value is refused.
        What is released of a simulated value stays marked, whatever the noise.
        """
        if rng is not None:
            return self.simulate(value, 1, rng).reshape(np.shape(value))
        released = self._release_secure(self._checked(value)).reshape(np.shape(value))
        return simulated.mark(released) if isinstance(value, simulated.SimulatedArray) else released

    def simulate(self, value: ArrayLike, count: int, rng: np.random.Generator) -> simulated.SimulatedArray:
        """``count`` simulated releases of the same value, a row each: for audits and studies of the error."""
        array = self._checked(value)
        return simulated.mark(self._release_simulated(array, validate.count("count", count), rng))

    def charge(self, stage: str = "release", steps: int = 1) -> Charge:
        """What this many releases with secure noise spend: a mechanism does not know how it was released."""
        bound = Condition(self.sensitivity.describe(), self.sensitivity.provenance)
        return Charge(stage, self.guarantee, self.theorem, (bound, SECURE), validate.count("steps", steps))

    def statement(self, delta: float, steps: int = 1, *, is_simulated: bool = False) -> PrivacyStatement:
        """The privacy statement of this many releases; pass ``is_simulated`` if any was given an ``rng``."""
        delta = validate.probability("delta", delta)
        return PrivacyStatement((self.charge(steps=steps),), delta, simulated=is_simulated)

    def _checked(self, value: ArrayLike) -> FloatArray:
        """The value as a finite vector of this dimension; messages never show it."""
        array = exact_doubles(value, "Pass finite floats: bound the records before the query.")
        if array.shape != (self.dim,) and not (self.dim == 1 and array.shape == ()):
            raise InvalidValueError(
                f"The value has shape {array.shape}, the mechanism has dim={self.dim}.",
                f"Pass an array of shape ({self.dim},).",
            )
        return array.reshape(self.dim).copy()

    def _norm(self, value: FloatArray) -> float:
        """The norm of a value, inside the range in which relative noise is computed."""
        norm = l2_norm(value)
        least, most = _NORM_RANGE
        if not norm <= most or (norm == 0 and np.any(value)) or 0 < norm < least:
            raise InvalidValueError(
                f"The value's norm is outside [{least}, {most}].", "Express the query in other units."
            )
        return norm
