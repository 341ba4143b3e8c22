"""A Grid in this process: messages go straight to a ClientApp, with the faults that a test asks for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.supercore.task_identity import TaskIdentity

TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1  # as Flower's own processes set it


@dataclass
class FlowerGrid:
    """``nodes`` maps node ids to their configuration.

    ``times`` says how often a node gets a message; the server sees the last reply, or none for 0.
    """

    app: ClientApp
    nodes: dict[int, dict[str, object]]
    times: Callable[[int, Message], int] = lambda node, message: 1
    replies: list[Message] = field(default_factory=list)
    _ids: Iterable[int] = field(default_factory=itertools.count)

    def get_node_ids(self) -> list[int]:
        return list(self.nodes)

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> list[Message]:
        heard = []
        for message in messages:
            message.metadata.__dict__["_message_id"] = str(next(self._ids))
            node = message.metadata.dst_node_id
            context = Context(
                run_id=1, node_id=node, node_config=self.nodes[node], state=RecordDict(), run_config={}
            )
            answers = [self.app(message, context) for _ in range(self.times(node, message))]
            self.replies += answers
            heard += answers[-1:]
        return heard
