"""The protocol of a mechanism: what it promises, how wrong its answers are, and how it releases one.

To add a mechanism, implement the abstract members, prove ``guarantee`` in proofs/ and register the class in
``registry``: calibration, comparison, audit and the command line ask it for all that they show.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.sampling import Sampling
from relgauss.accounting.to_dp_accounting import to_dp_accounting
from relgauss.arrays import FloatArray, l2_norm, simulated
from relgauss.budget import Charge, Condition, PrivacyStatement
from relgauss.errors import InvalidParameterError, InvalidValueError, RelgaussError
from relgauss.mechanisms.self_description import SelfDescription, Sensitivity
from relgauss.validate.answers import as_array, exact_doubles, finite_doubles

SECURE = Condition("the noise is secure: a release that was given an rng is not private", "assumed")

_NORM_RANGE = (1e-150, 1e150)  # norms whose squares stay representable


class Mechanism(SelfDescription):
    """A query's sensitivity, its dimension and a noise level: everything is public but the value."""

    @abstractmethod
    def rms_error(self, norm: float) -> float:
        """Root-mean-square error ||release - q|| at an answer of this norm."""

    @property
    @abstractmethod
    def limiting_relative_error(self) -> float:
        """rms_error(norm)/norm as the norm grows: the scale-dominated limit."""

    def check_releasable(self) -> None:
        """Refuse, by public numbers alone, what secure noise cannot serve: it can only be simulated."""

    @property
    def releasable(self) -> bool:
        """Whether secure noise can serve this mechanism."""
        try:
            self.check_releasable()
        except RelgaussError:
            return False
        return True

    @abstractmethod
    def event(self) -> Any:
        """A dp_accounting event for one release, for other accountants."""

    def to_dp_accounting(self, steps: int = 1, *, discretization: float = 1e-4) -> Any:
        """``steps`` releases as an event of dp_accounting or, without one, as a privacy-loss distribution.

        That has losses in multiples of ``discretization``.
        """
        return to_dp_accounting(self.composed(steps), discretization=discretization)

    @abstractmethod
    def _release_secure(self, value: FloatArray) -> FloatArray:
        """Release with noise from the operating system."""

    @abstractmethod
    def _release_simulated(self, value: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` releases, a row each, with noise from a seeded generator."""

    def epsilon(self, delta: float, steps: int = 1, *, sampling: Sampling | None = None) -> float:
        """The least proven epsilon of ``steps`` releases at this ``delta``, rounded up.

        ``sampling`` is how the records of each release are drawn, None if all of them count.
        """
        return self.composed(steps, sampling).epsilon(delta)

    def delta(self, epsilon: float, steps: int = 1, *, sampling: Sampling | None = None) -> float:
        """The least proven delta of ``steps`` releases at this ``epsilon``; ``sampling`` as for that."""
        return self.composed(steps, sampling).delta(epsilon)

    def rdp(self, alpha: float) -> float:
        """The Rényi divergence bound of one release at order ``alpha``; infinite past the largest order."""
        return self.composed(1).rdp(alpha)

    def composed(self, steps: int, sampling: Sampling | None = None) -> Composition:
        """The guarantee of ``steps`` releases together, each chosen after those before; on a ``sampling``."""
        once = self.guarantee if sampling is None else self.on_draws(sampling)
        return compose((once, validate.count("steps", steps)))

    def on_draws(self, sampling: Sampling) -> Guarantee:
        """What one release promises on records that are drawn anew, as ``sampling`` says.

        Refused unless the bound was stated for every draw (``on_batches=True``) and for the neighbours that
        this way of drawing is about.
        """
        return check_draws(self.sensitivity, sampling).of(self.guarantee)

    def release(self, value: ArrayLike, *, rng: np.random.Generator | None = None) -> FloatArray:
        """Release a value: with secure noise, or, given ``rng``, simulated and marked so.

        The result has the value's shape. Nothing is drawn and nothing is charged if the value is refused.
        What is released of a simulated value, or of a list that holds one, stays marked, whatever the noise.
        """
        if rng is not None:
            return self.simulate(value, 1, rng).reshape(np.shape(value))
        with np.errstate(all="ignore"):  # whatever the process asked for: a warning would tell of the answer
            released = self._release_secure(self._checked(value)).reshape(np.shape(value))
        return simulated.mark(released) if simulated.is_marked(value) else released

    def simulate(self, value: ArrayLike, count: int, rng: np.random.Generator) -> simulated.SimulatedArray:
        """``count`` releases of the same value with noise of ``rng``, a row each: for audits and studies."""
        array = self._checked(value)
        return simulated.mark(self._release_simulated(array, validate.count("count", count), rng))

    def charge(self, stage: str = "release", steps: int = 1, *, sampling: Sampling | None = None) -> Charge:
        """What ``steps`` releases with secure noise spend; ``stage`` says what was released, in a few words.

        A mechanism does not know how it was released, so that the noise was secure is *assumed*; so is,
        with ``sampling``, that each release drew its records anew and in secret.
        """
        bound = Condition(self.sensitivity.describe(), self.sensitivity.provenance)
        times = validate.count("steps", steps)
        if sampling is None:
            return Charge(stage, self.guarantee, self.theorem, (bound, SECURE), times)
        drawn = Condition(sampling.condition, "assumed")
        return Charge(stage, self.on_draws(sampling), sampling.theorem, (bound, SECURE, drawn), times)

    def statement(
        self,
        delta: float,
        steps: int = 1,
        *,
        sampling: Sampling | None = None,
        is_simulated: bool = False,
    ) -> PrivacyStatement:
        """The privacy statement of ``steps`` releases, each on records drawn as ``sampling`` says.

        It is read at ``delta``. Pass ``is_simulated`` if any was given an ``rng``.
        """
        delta = validate.probability("delta", delta)
        charge = self.charge(steps=steps, sampling=sampling)
        return PrivacyStatement((charge,), delta, simulated=is_simulated)

    def _checked(self, value: ArrayLike) -> FloatArray:
        """The value as a finite vector of this dimension; messages never show it."""
        array = exact_doubles(value, "Pass finite floats: bound the records before the query.")
        if array.shape != (self.dim,) and not (self.dim == 1 and array.shape == ()):
            raise InvalidValueError(
                f"The value has shape {array.shape}, the mechanism has dim={self.dim}.",
                f"Pass an array of shape ({self.dim},).",
            )
        return array.reshape(self.dim)

    def _norm(self, value: FloatArray) -> float:
        """The norm of a value, inside the range in which relative noise is computed."""
        norm = l2_norm(value)
        least, most = _NORM_RANGE
        if not norm <= most or (norm == 0 and np.any(value)) or 0 < norm < least:
            raise InvalidValueError(
                f"The value's norm is outside [{least}, {most}].", "Express the query in other units."
            )
        return norm


def bound_of_kind(kind: type[Sensitivity], sensitivity: object) -> None:
    """Refuse a bound of another kind than the one that a mechanism takes."""
    if not isinstance(sensitivity, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise InvalidParameterError(
            "sensitivity",
            sensitivity,
            f"{article} {kind.__name__}",
            "For another kind of bound use another mechanism; calibrate() finds it.",
        )


def check_draws(sensitivity: Sensitivity, sampling: Sampling) -> Sampling:
    """Refuse a bound that was not stated for what a step sees: a draw, and these neighbours."""
    if not sensitivity.on_batches:
        raise InvalidParameterError(
            "on_batches",
            sensitivity.on_batches,
            "True for steps on drawn records",
            "A bound that holds on the table says nothing about its batches: state one that holds on every "
            "batch with on_batches=True.",
        )
    if sensitivity.neighbours != sampling.neighbours:
        raise InvalidParameterError(
            "neighbours",
            sensitivity.neighbours,
            f"{sampling.neighbours!r} for {type(sampling).__name__}",
            "State the bound for these neighbours, or draw the other way.",
        )
    return sampling


def numbers(name: str, value: ArrayLike, fix: str) -> FloatArray:
    """An array of finite real numbers; messages never show it.

    Texts, dates, complex numbers and masked arrays are refused rather than made into numbers.
    """
    return finite_doubles(name, as_array(name, value, "iuf", fix), fix).copy()


def validated_norm(norm: float) -> float:
    """A norm at which an error is asked for."""
    return validate.nonnegative("norm", norm, "Pass the norm of the answer to read the error at.")


def noise_multiplier(value: object) -> float:
    """A noise multiplier in a range whose inverse and square are representable."""
    fix = "Pass noise std / sensitivity; mu is its inverse."
    result = validate.positive("noise_multiplier", value, fix)
    if not 1e-100 < result < 1e100:
        raise InvalidParameterError("noise_multiplier", value, "between 1e-100 and 1e100", fix)
    return result


def relative_rounding(distance: float) -> float:
    """The factor on noise for a unit sensitivity grown by this distance, on a lattice: proofs/lattice.md."""
    return (1 + distance) * (1 + 2.0**-40)


def root_mean(square: float) -> float:
    """A root that keeps an overflow infinite."""
    return math.sqrt(square) if math.isfinite(square) else math.inf
