"""Rounds of descent over nodes that may refuse, fail or be missing:

    theta_{t+1} = theta_t - step_size · Σ_k w_k release_k(theta_t) / Σ_k w_k

over the nodes k that took part in round t, with stated weights w. Whoever did not is named, with the reason.
What is combined here are releases, so nothing here costs anything: proofs/nodes.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from relgauss import validate
from relgauss.arrays import FloatArray
from relgauss.descent.descend import State
from relgauss.errors import InvalidParameterError
from relgauss.nodes.participant import Refusal, Reply


@dataclass(frozen=True)
class Round:
    """Who took part in a round.

    Attributes
    ----------
    number
        The round's number, from 1.
    took_part
        The names of those whose releases were used.
    absent
        Why each of the others was not, by its name.
    """

    number: int
    took_part: tuple[str, ...]
    absent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Weights:
    """How much each node's release counts.

    Attributes
    ----------
    stated
        A positive weight for each name; nodes without one are left out. None: all count the same.
    """

    stated: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        for name, weight in (self.stated or {}).items():
            validate.positive(
                f"weight of {name!r}", weight, "State a positive weight, or leave the node out."
            )

    def of(self, name: str) -> float | None:
        """The weight of the node ``name``; None for one that is left out."""
        return 1.0 if self.stated is None else self.stated.get(name)


def advance(
    state: State, replies: Mapping[str, Reply], weights: Weights, step_size: float
) -> tuple[State, Round]:
    """Make one round of the replies that came.

    Releases are added in the order of the nodes' names, so that a repeated round gives the same numbers.

    Parameters
    ----------
    state
        The model before the round.
    replies
        What each node said, by its name.
    weights
        How much each release counts.
    step_size
        How far the model moves along the mean release.

    Returns
    -------
    state, round
        The model after the round, and who took part.
    """
    absent: dict[str, str] = {}
    total, direction = 0.0, np.zeros_like(state.theta)
    took_part = []
    for name, reply in sorted(replies.items()):
        weight = weights.of(name)
        problem = _problem(reply, state.theta) if weight is not None else "no weight is stated for it"
        if problem or weight is None or isinstance(reply, Refusal):
            absent[name] = problem
            continue
        took_part.append(name)
        total += weight
        direction = direction + weight * reply.gradient
    number = state.step + 1
    theta = state.theta - step_size * direction / total if total > 0 else state.theta
    return State(theta, number), Round(number, tuple(took_part), absent)


def _problem(reply: Reply, theta: FloatArray) -> str:
    """Why a reply cannot be used; empty for one that can."""
    if isinstance(reply, Refusal):
        return f"{reply.kind}: {reply.reason}"
    if np.shape(reply.gradient) != theta.shape:
        return f"its reply has shape {np.shape(reply.gradient)}, not {theta.shape}"
    return "" if np.isfinite(reply.gradient).all() else "its reply holds NaN or infinity"


def request_name(job: str, number: int) -> str:
    """The name of a round's request: the same after a restart of the server."""
    return f"{job}/{number}"


class Respondent(Protocol):
    """Whoever can be asked for a gradient by name: a participant, or a node of one run in one process."""

    @property
    def name(self) -> str:
        """By which a round names it; no two have the same."""

    def reply(self, request: str, theta: FloatArray) -> Reply:
        """The release for the request of this name at a public point, or why there is none."""


def run_rounds(
    respondents: Sequence[Respondent],
    start: FloatArray,
    step_size: float,
    rounds: int,
    *,
    job: str,
    weights: Weights | None = None,
) -> Iterator[tuple[State, Round]]:
    """All rounds in one process, each as it is made.

    Parameters
    ----------
    respondents
        The participants, at least one, each with a name of its own.
    start
        The public point of the first round.
    step_size
        A public number above 0.
    rounds
        How many rounds to make.
    job
        A name for the run. A participant that was asked before in a job of this name repeats its releases.
    weights
        How much each release counts; by default all count the same.

    Yields
    ------
    state, round
        The model after the round, and who took part in it.
    """
    names = [each.name for each in respondents]
    if not names or len(set(names)) < len(names):
        raise InvalidParameterError(
            "respondents", names, "at least one, each with its own name", "Name them."
        )
    size = validate.positive("step_size", step_size, "Pass a public step size.")
    state = State(np.array(start, dtype=np.float64))
    for number in range(1, validate.count("rounds", rounds) + 1):
        replies = {each.name: each.reply(request_name(job, number), state.theta) for each in respondents}
        state, made = advance(state, replies, weights or Weights(), size)
        yield state, made
