"""A mechanism as a weaker accounting would calibrate it, to show what the exact one gains."""

from __future__ import annotations

from relgauss.errors import UnreachableTargetError
from relgauss.mechanisms import Mechanism
from relgauss.mechanisms.search import largest_signal
from relgauss.mechanisms.self_description import Sensitivity
from relgauss.report.question import Question

_SPAN = 1e6  # times more noise than a Gaussian needs: still more changes epsilon in no digit that matters
_PRECISION = 1e-12


def full_name(kind: type[Mechanism], accounting: str) -> str:
    """What a mechanism is called when it is accounted for in another way than the exact one."""
    return f"{kind.name}, {accounting}"


def calibrate_by(
    kind: type[Mechanism], accounting: str, sensitivity: Sensitivity, question: Question
) -> Mechanism:
    """The least noise for which this accounting proves the target.

    Epsilon falls as the noise grows, down to a floor: a target below it is out of reach.
    """
    target, mu = question.target, question.target.mu_per_step

    def mechanism(signal: float) -> Mechanism:
        return kind.with_noise(sensitivity, question.dim, 1 / signal)

    def unreachable(least: float) -> UnreachableTargetError:
        return UnreachableTargetError(
            f"The {accounting} cannot reach epsilon={target.epsilon:g} at delta={target.delta:g}: "
            f"its least epsilon is {least:.6g}, whatever the noise.",
            "Use exact accounting or another mechanism.",
            least,
        )

    signal = largest_signal(
        lambda signal: mechanism(signal).epsilon_by(accounting, target.delta, target.steps),
        target.epsilon,
        mu / _SPAN,
        mu,
        unreachable,
        _PRECISION,
    )
    return mechanism(signal)
