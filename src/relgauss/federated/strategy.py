"""Gradient descent as a Flower strategy: stated weights, and whoever is missing is named."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Message, MessageType, MetricRecord, RecordDict
from flwr.serverapp import Grid
from flwr.serverapp.strategy import Strategy

from relgauss.descent.descend import State
from relgauss.federated.messages import ARRAYS, CONFIG, REQUEST, facts_in, refusal_in, reply_in
from relgauss.federated.run_report import NodeFacts, RunReport
from relgauss.nodes.participant import Refusal, Released, Reply
from relgauss.nodes.rounds import Weights, advance, request_name

_SILENT = Refusal("no reply came in time", "See the node's log.", kind="Missing")
_POLL = 0.5  # seconds between looks at who is connected


class PrivateDescent(Strategy):  # type: ignore[misc]
    """theta_{t+1} = theta_t - step_size · (weighted mean of the releases of round t).

    Parameters
    ----------
    report
        Where the run stands: rounds go on from its last one. Requests are named by job and round, so that a
        restarted server gets the same releases again and no node pays twice.
    weights
        How much each node's release counts.
    file
        Where the report is written after each round.
    patience
        How many seconds to wait for nodes to connect.
    """

    def __init__(self, report: RunReport, weights: Weights, file: Path, patience: float) -> None:
        self.report = report
        self.weights = weights
        self.file = file
        self.patience = patience
        self._names: dict[int, str] = {}
        self._asked: list[int] = []

    @property
    def state(self) -> State:
        """The model and the number of rounds that led to it."""
        return State(np.array(self.report.thetas[-1]), len(self.report.thetas) - 1)

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Ask everybody who is connected, by the name of the job's next round."""
        config = ConfigRecord({**config, REQUEST: request_name(self.report.job, self.state.step + 1)})
        self._asked = self._connected(grid, 1)
        return [
            Message(RecordDict({ARRAYS: arrays, CONFIG: config}), each, MessageType.TRAIN)
            for each in self._asked
        ]

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Make a round of the replies that came, and write the report."""
        said: dict[str, Reply] = {}
        heard = set()
        for message in replies:
            heard.add(message.metadata.src_node_id)
            name, reply = self._read(message)
            if not isinstance(said.get(name), Released):  # of two under one name the first release counts
                said[name] = reply
        for silent in set(self._asked) - heard:
            said.setdefault(self._name(silent), _SILENT)
        state, made = advance(self.state, said, self.weights, self.report.step_size)
        theta = tuple(np.asarray(state.theta).tolist())
        self.report = replace(
            self.report, thetas=(*self.report.thetas, theta), rounds=(*self.report.rounds, made)
        )
        self.report.write(self.file)
        return ArrayRecord([np.asarray(state.theta)]), MetricRecord({"took part": len(made.took_part)})

    def _read(self, message: Message) -> tuple[str, Reply]:
        node = message.metadata.src_node_id
        if message.has_error():
            name, refusal = refusal_in(message.error)
            return name or self._name(node), refusal
        facts = facts_in(message.content)
        if facts is None:
            return self._name(node), Refusal(
                "it does not say who it is", "Use relgauss's client.", kind="Reply"
            )
        self._meet(node, facts)
        return facts.name, reply_in(message.content)

    def _connected(self, grid: Grid, least: int) -> list[int]:
        """Whoever is connected, once so many are or patience is at its end."""
        until = time.monotonic() + self.patience
        while len(found := sorted(grid.get_node_ids())) < least and time.monotonic() < until:
            time.sleep(_POLL)
        return found

    def introduce(self, grid: Grid, nodes: int, timeout: float) -> None:
        """Wait for so many nodes on the ``grid`` and ask who they are, for ``timeout`` seconds.

        Each answers with its facts or with a refusal.
        """
        found = self._connected(grid, nodes)
        questions = [Message(RecordDict(), each, MessageType.QUERY) for each in found]
        refused = {}
        for message in grid.send_and_receive(questions, timeout=timeout):
            name, reply = self._read(message)
            if message.has_error() and isinstance(reply, Refusal):
                refused[name] = f"{reply.kind}: {reply.reason} {reply.fix}"
        self.report = replace(self.report, refused=refused)

    def _meet(self, node: int, facts: NodeFacts) -> None:
        self._names[node] = facts.name
        self.report = replace(self.report, nodes={**self.report.nodes, facts.name: facts})

    def _name(self, node: int) -> str:
        return self._names.get(node, f"unknown node {node}")

    def configure_evaluate(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Ask for no evaluation: its answer would carry no noise."""
        return []

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        """Read no evaluation, as none is asked for."""
        return None

    def summary(self) -> None:
        """Print nothing: the report holds all there is to say."""


def start_arrays(strategy: PrivateDescent) -> ArrayRecord:
    """The model at which the next round asks, as Flower's arrays."""
    return ArrayRecord([np.asarray(strategy.state.theta)])
