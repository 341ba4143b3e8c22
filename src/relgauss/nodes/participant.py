"""A node that takes part in rounds: its agreement, and the durable record of what it spent.

It knows nothing of how requests reach it. Each request has a name; asked again, it gets the release that it
got before, never new noise. Proof: proofs/durable-record.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from relgauss import validate
from relgauss.arrays import FloatArray, simulated
from relgauss.budget import PrivacyStatement
from relgauss.budget.agreement import Agreement
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError, RelgaussError
from relgauss.ledger.accounts import Stored
from relgauss.ledger.spend_record import SpendRecord
from relgauss.mechanisms.base import numbers
from relgauss.nodes.node import Node
from relgauss.refused import Refused


@dataclass(frozen=True, eq=False)
class Released:
    """A node's answer to a request: its gradient at a public point, with noise.

    Attributes
    ----------
    gradient
        The gradient with its noise.
    again
        Whether it was released before, and charged then.
    """

    gradient: FloatArray
    again: bool = False


@dataclass(frozen=True)
class Refusal(Refused):
    """A node's refusal of a request: why, and what to do about it.

    Attributes
    ----------
    kind
        The name of the error, or of what is wrong with a reply that came.
    """

    kind: str = field(kw_only=True)

    @classmethod
    def of(cls, error: RelgaussError) -> Refusal:
        """The refusal that an error stands for."""
        return cls(error.cause, error.fix, kind=type(error).__name__)


Reply = Released | Refusal


@dataclass(frozen=True, eq=False)
class Participant:
    """Answers at most ``agreement.rounds`` requests for ``node``'s gradient at public points of R^dim.

    Attributes
    ----------
    name
        The node's name: with ``record`` it stands for one set of records, also after a restart.
    dim
        The number of coordinates of a point.
    node
        What releases gradients. It has no generator of its own: see ``seed``.
    agreement
        What is promised. It is written to the record, and a later one must be the same.
    record
        The durable record of what was spent.
    seed
        Asks for simulated noise, a function of seed, name and the number of charges before, so that a
        restarted node draws what it would have drawn. None: secure noise.
    facts
        Public numbers about the node, such as its number of records.
    """

    name: str
    dim: int
    node: Node
    agreement: Agreement
    record: SpendRecord
    seed: int | None = None
    facts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.node.guarantee != self.agreement.per_round:
            raise NoGuaranteeError(
                "The node's guarantee is not the one that was agreed on.", "Make the agreement from the node."
            )
        if self.node.rng is not None:
            raise InvalidParameterError(
                "node.rng", self.node.rng, "None", "Pass a seed: a restarted node must not draw anew."
            )
        validate.count("dim", self.dim)
        self.record.fund(self.name, self.statement)
        # A simulated release must never be given out as a private one, so the two are different terms.
        mark = f", simulated by seed {self.seed}" if self.is_simulated else ""
        self.record.open_account(
            self.name,
            self.agreement.terms + mark,
            self.agreement.rounds,
            formerly=self.agreement.first_terms + mark,
        )

    @property
    def is_simulated(self) -> bool:
        """Whether noise comes from a seed, and nothing is private."""
        return self.seed is not None

    @property
    def statement(self) -> PrivacyStatement:
        """What the node has promised for the whole run."""
        return self.agreement.statement(is_simulated=self.is_simulated)

    @property
    def spent(self) -> int:
        """How many of the agreed releases are spent, lost ones included."""
        return len(self.record.spends(self.name))

    def reply(self, request: str, theta: ArrayLike) -> Reply:
        """The release for this request, or why there is none; nothing is raised.

        Parameters
        ----------
        request
            The request's name. Asked again by the same name, the node gives the release that it gave before.
        theta
            A public point: ``dim`` finite numbers.
        """
        try:
            return self._release(request, self._public_point(theta))
        except RelgaussError as error:
            return Refusal.of(error)

    def _release(self, request: str, theta: FloatArray) -> Released:
        reserved = self.record.reserve(self.name, request, _digest(theta))
        if isinstance(reserved, Stored):
            return Released(self._marked(json.loads(reserved.release)), again=True)
        rng = None if self.seed is None else simulation_rng(self.seed, self.name, 1 + reserved.position)
        gradient = np.asarray(replace(self.node, rng=rng).release(theta), dtype=np.float64)
        self.record.commit(self.name, request, json.dumps(gradient.tolist()))
        return Released(self._marked(gradient))

    def _public_point(self, theta: ArrayLike) -> FloatArray:
        """Checked before anything is charged, by public numbers only: proofs/node-points.md."""
        point = numbers("The point", theta, "Ask at finite numbers.")
        if point.shape != (self.dim,):
            raise InvalidValueError(
                f"The point has shape {point.shape}, the node has dim={self.dim}.",
                f"Ask at a point of shape ({self.dim},).",
            )
        self.node.query.admit(point)
        return point

    def _marked(self, gradient: ArrayLike) -> FloatArray:
        array = np.asarray(gradient, dtype=np.float64)
        return simulated.mark(array) if self.is_simulated else array


def simulation_rng(seed: int, name: str, position: int) -> np.random.Generator:
    """The generator of one simulated release: the same for the same node and number of charges before."""
    seed = validate.count("seed + 1", seed + 1) - 1
    return np.random.default_rng([seed, position, *name.encode()])


def _digest(theta: FloatArray) -> str:
    return hashlib.sha256(theta.astype("<f8").tobytes()).hexdigest()
