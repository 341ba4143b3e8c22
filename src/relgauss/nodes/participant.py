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
from relgauss.arrays import FloatArray
from relgauss.budget import PrivacyStatement
from relgauss.errors import InvalidParameterError, InvalidValueError, NoGuaranteeError, RelgaussError
from relgauss.mechanisms.base import numbers
from relgauss.nodes.agreement import Agreement
from relgauss.nodes.node import Node
from relgauss.nodes.spend_record import SpendRecord, Stored
from relgauss.noise import simulated


@dataclass(frozen=True, eq=False)
class Released:
    """A gradient with noise; ``again`` says that it was released before, and charged then."""

    gradient: FloatArray
    again: bool = False


@dataclass(frozen=True)
class Refusal:
    """A node does not answer: the kind of refusal (an error's name), why, and what to do."""

    kind: str
    reason: str
    fix: str

    @classmethod
    def of(cls, error: RelgaussError) -> Refusal:
        """The refusal that an error stands for."""
        return cls(type(error).__name__, error.cause, error.fix)


Reply = Released | Refusal


@dataclass(frozen=True, eq=False)
class Participant:
    """Answers at most ``agreement.rounds`` requests for ``node``'s gradient at public points of R^dim.

    ``seed`` asks for simulation: noise is then a function of seed, name and the charge's position, so that
    a restarted node draws what it would have drawn. ``facts`` are public numbers about the node.
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
        """The release for this request, or why there is none."""
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
    """The generator of one simulated release."""
    seed = validate.count("seed + 1", seed + 1) - 1
    return np.random.default_rng([seed, position, *name.encode()])


def _digest(theta: FloatArray) -> str:
    return hashlib.sha256(theta.astype("<f8").tobytes()).hexdigest()
