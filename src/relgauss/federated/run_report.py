"""What a run did: who took part in which round, and what each node has promised."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from relgauss.nodes.participant import Participant
from relgauss.nodes.rounds import Round
from relgauss.writing import write_together


@dataclass(frozen=True)
class NodeFacts:
    """What a node says of itself.

    Attributes
    ----------
    name
        The node's own name.
    dim
        The number of its columns.
    rounds
        How many rounds it agreed to.
    epsilon
        Of its whole run, as agreed, set-up included.
    delta
        At which that epsilon holds.
    simulated
        Whether its noise comes from a seed, so that nothing is private.
    numbers
        Public numbers by name, such as "records" and the released "smoothness".
    """

    name: str
    dim: int
    rounds: int
    epsilon: float
    delta: float
    simulated: bool
    numbers: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, participant: Participant) -> NodeFacts:
        """What a participant may say of itself in public."""
        statement = participant.statement
        return cls(
            participant.name,
            participant.dim,
            participant.agreement.rounds,
            statement.epsilon(),
            statement.delta,
            statement.simulated,
            dict(participant.facts),
        )

    def to_json(self) -> str:
        """The facts as JSON, to be sent."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> NodeFacts:
        """From text that a node sent; anything else than facts is an error."""
        values = json.loads(text)
        return cls(
            str(values["name"]),
            int(values["dim"]),
            int(values["rounds"]),
            float(values["epsilon"]),
            float(values["delta"]),
            bool(values["simulated"]),
            {str(key): float(value) for key, value in values["numbers"].items()},
        )


@dataclass(frozen=True)
class RunReport:
    """All rounds of a job so far. It is made of releases and public facts, so it is public.

    Attributes
    ----------
    job
        The job's name.
    step_size
        The step size of all rounds; 0 before it is chosen.
    thetas
        ``thetas[t]`` is the model after t rounds.
    rounds
        Who took part in each round, and why others did not.
    nodes
        What each node says of itself, by its name.
    refused
        Nodes that did not say who they are, with their reasons.
    """

    job: str
    step_size: float
    thetas: tuple[tuple[float, ...], ...]
    rounds: tuple[Round, ...] = ()
    nodes: Mapping[str, NodeFacts] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether any node's noise was simulated: then nothing is private."""
        return any(facts.simulated for facts in self.nodes.values())

    def participation(self) -> dict[str, tuple[int, ...]]:
        """For each node the rounds that it took part in."""
        names = sorted(
            {name for each in self.rounds for name in (*each.took_part, *each.absent)} | set(self.nodes)
        )
        return {name: tuple(each.number for each in self.rounds if name in each.took_part) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, for JSON."""
        return asdict(self)

    def write(self, file: Path) -> None:
        """Replace the file as a whole: a crash leaves the old report or the new one."""
        text = json.dumps(self.to_dict(), indent=1) + "\n"
        write_together([(file, lambda path: path.write_text(text, encoding="utf-8"))])

    @classmethod
    def read(cls, file: Path) -> RunReport:
        """The report that ``write`` wrote to ``file``."""
        values: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return cls(
            values["job"],
            values["step_size"],
            tuple(tuple(theta) for theta in values["thetas"]),
            tuple(
                Round(each["number"], tuple(each["took_part"]), each["absent"]) for each in values["rounds"]
            ),
            {name: NodeFacts(**facts) for name, facts in values["nodes"].items()},
            values["refused"],
        )
