"""A node: it owns an objective and a mechanism, and releases its gradient at public points.

It knows nothing of other nodes, nor of how its releases travel. Each record lives in one node, so all nodes
together cost what the one costs that spends most: proofs/nodes.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from relgauss.accounting import Guarantee
from relgauss.arrays import FloatArray
from relgauss.budget import Charge, Condition
from relgauss.errors import InvalidValueError, NoGuaranteeError
from relgauss.mechanisms import Mechanism

STAYS = Condition(
    "which node holds a record is public, and a record is replaced by one of its node", "assumed"
)

FARTHEST = 1e9
"""The largest norm of a point that is answered, in the node's own coordinates. Rows there have a size of
about one in each coordinate and labels are at most 1e3, so no useful point is near it; scores, gradients and
sums at points up to it are far from overflow for all records (proofs/node-points.md)."""


@dataclass(frozen=True, eq=False)
class Answer:
    """A gradient and the mechanism that may release it: made together, passed on together.

    Attributes
    ----------
    gradient
        The exact gradient: private.
    mechanism
        Its sensitivity bounds how far one record moves this gradient.
    """

    gradient: FloatArray
    mechanism: Mechanism


class GradientQuery(ABC):
    """What a node is asked: its gradient at a public point. Whatever it knows of its records stays inside.

    At every point that ``admit`` lets pass, ``answer`` must succeed whatever the records hold: an error, a
    warning or a NaN would tell of them without noise (proofs/node-points.md).
    """

    def admit(self, theta: FloatArray) -> None:
        """Refuse a point ``theta`` by public numbers alone; asked before anything is charged or read."""
        refuse_far(theta)

    @abstractmethod
    def answer(self, theta: FloatArray) -> Answer:
        """The gradient at ``theta``, bounded for the mechanism that comes with it."""

    def finish(self, theta: FloatArray, released: FloatArray) -> FloatArray:
        """What is made in public of what was ``released`` at ``theta``: in other coordinates, penalised."""
        return released


def refuse_far(point: FloatArray) -> None:
    """Refuse a point beyond ``FARTHEST``, and one whose coordinates overflowed on the way here."""
    with np.errstate(all="ignore"):
        norm = float(np.linalg.norm(point))
    if not norm <= FARTHEST:  # NaN fails this too
        raise InvalidValueError(
            f"The point lies further than {FARTHEST:g} from the origin of the node's coordinates.",
            "Ask at a point of a usual size: make steps smaller if the descent diverges.",
        )


@dataclass(frozen=True)
class Node:
    """Answers ``query`` at public points; every release keeps ``guarantee``, fixed before the first one.

    Attributes
    ----------
    query
        What computes the gradient, with its bound.
    guarantee
        What each release promises; one that would promise anything else is refused.
    rng
        Asks for simulated noise; None, for secure noise.
    """

    query: GradientQuery
    guarantee: Guarantee
    rng: np.random.Generator | None = None

    def release(self, theta: FloatArray) -> FloatArray:
        """The node's gradient at ``theta``, with noise."""
        self.query.admit(theta)
        with np.errstate(all="ignore"):  # whatever the process asked for: a warning would tell of a record
            answer = self.query.answer(theta)
            if answer.mechanism.guarantee != self.guarantee:
                raise NoGuaranteeError(
                    f"A step would cost {answer.mechanism.guarantee.describe()}, not the "
                    f"{self.guarantee.describe()} that was fixed in advance.",
                    "Fix the cost of a step first and let its noise follow the sensitivity.",
                )
            released = answer.mechanism.release(answer.gradient, rng=self.rng)
        return self.query.finish(theta, released)

    def charge(self, theorem: str, conditions: tuple[Condition, ...], steps: int) -> Charge:
        """What ``steps`` releases spend by a ``theorem``, on ``conditions`` and that of proofs/nodes.md."""
        return Charge("descent", self.guarantee, theorem, (*conditions, STAYS), steps)
