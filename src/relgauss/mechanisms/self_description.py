"""What a mechanism says of itself, so that nothing else has to know it: how it is built, shown and audited.

What has a default here may be left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from relgauss import validate
from relgauss.accounting.guarantees import Guarantee
from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms.neighbours import Pair, farthest
from relgauss.mechanisms.scores import Projection, Score
from relgauss.mechanisms.search import largest_signal_near
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity
from relgauss.mechanisms.target import Target

Sensitivity = RelativeSensitivity | AbsoluteSensitivity


class SelfDescription(ABC):
    """How a mechanism is built, shown and audited.

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
    """

    sensitivity: Sensitivity
    dim: int
    name: ClassVar[str]
    title: ClassVar[str]
    theorem: ClassVar[str]
    bound_kind: ClassVar[type[Sensitivity]]
    other_accountings: ClassVar[tuple[str, ...]] = ()

    # Building one

    @classmethod
    @abstractmethod
    def with_noise(cls, sensitivity: Any, dim: int, multiplier: float) -> Self:
        """The mechanism for a ``sensitivity`` and ``dim`` whose noise is about ``multiplier`` local scales.

        A local scale is how far a neighbour can be.
        """

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

        signal = largest_signal_near(
            lambda signal: target.spent_by(cls.with_noise(sensitivity, dim, 1 / signal)),
            target.epsilon,
            target.guessed_signal,
            lambda least: cls.unreachable(sensitivity, dim, target, least),
        )
        return cls.with_noise(sensitivity, dim, 1 / signal)

    @classmethod
    def unreachable(
        cls, sensitivity: Sensitivity, dim: int, target: Target, least: float
    ) -> UnreachableTargetError:
        """The error for a ``target`` below the ``least`` epsilon for this ``sensitivity`` and ``dim``."""
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

    @abstractmethod
    def epsilon(self, delta: float, steps: int = 1) -> float:
        """The least proven epsilon of ``steps`` releases at this ``delta``."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What one release promises."""

    def accounted_at(self, delta: float, steps: int) -> dict[str, float]:
        """Numbers of the accounting of ``steps`` releases at ``delta`` that are worth showing, by name."""
        return {}

    def epsilon_by(self, accounting: str, delta: float, steps: int) -> float:
        """Epsilon of ``steps`` releases at ``delta`` by an ``accounting`` of ``other_accountings``."""
        validate.choice("accounting", accounting, self.other_accountings)
        return self.epsilon(delta, steps)

    @property
    def caution(self) -> str | None:
        """What a user should know before a release, or None: that answers are mostly noise."""
        return None

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
        """Neighbouring answers whose outputs show the most of delta at ``epsilon``, near the first axes."""
        return farthest(self.sensitivity, self.dim)

    def score(self, pair: Pair) -> Score:
        """The score that tells the outputs on the answers of a ``pair`` apart best, or nearly so."""
        return Projection(pair.difference)

    def fault_scores(self, pair: Pair) -> tuple[Score, ...]:
        """More scores of a ``pair``, in which a faulty implementation of this mechanism would show."""
        return ()
