"""Nodes in processes on this machine, as a Flower grid: messages go through pipes, and no port is opened."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from types import TracebackType
from typing import Self

from flwr.app import Message
from flwr.common.serde import message_from_proto, message_to_proto
from flwr.proto.message_pb2 import Message as MessageProto
from flwr.supercore.task_identity import TaskIdentity

from relgauss.federated.answering import Values

_RUN = 1
_STOP_TIMEOUT = 5.0


@dataclass(frozen=True)
class _Started:
    process: subprocess.Popen[bytes]
    pipe: Connection[bytes, bytes]


class LocalNodes:
    """A context in which ``start`` adds nodes; a ServerApp or ``run_server`` takes it as its grid.

    Each node runs ``app``, given as module:name, in a process of its own that ends with this one. Logs go to
    ``folder``, which nobody else should be able to read.
    """

    def __init__(self, app: str, folder: Path) -> None:
        self.app = app
        self.folder = folder
        self._nodes: dict[int, _Started] = {}
        self._started = 0
        self._sent = 0

    def __enter__(self) -> Self:
        TaskIdentity.task_id = TaskIdentity.run_id = _RUN  # Flower marks messages by them
        TaskIdentity.node_id = 0
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for node_id in list(self._nodes):
            self._stop(node_id)

    def start(self, name: str, config: Values) -> None:
        """Start a node; its app finds ``config`` in ``context.node_config``."""
        self._started += 1
        node_id = self._started
        ours, theirs = Pipe()
        with theirs, (self.folder / f"{name}.log").open("ab") as log:
            command = [sys.executable, "-P", "-m", "relgauss.federated.local_node"]
            process = subprocess.Popen(
                [*command, str(theirs.fileno()), self.app],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # a signal from the terminal ends us, and that ends the nodes
            )
        ours.send_bytes(json.dumps({"node_id": node_id, "config": dict(config)}).encode())
        self._nodes[node_id] = _Started(process, ours)

    def get_node_ids(self) -> list[int]:
        """The numbers of the nodes whose processes are running."""
        return list(self._nodes)

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> list[Message]:
        """Send a message to each of some nodes and wait for the replies; who is late or dies is left out."""
        waiting: dict[object, int] = {}
        for message in messages:
            node_id = message.metadata.dst_node_id
            self._sent += 1
            message.metadata.__dict__["_message_id"] = str(self._sent)
            node = self._nodes[node_id]
            with contextlib.suppress(BrokenPipeError):  # its end shows below
                node.pipe.send_bytes(message_to_proto(message).SerializeToString())
            waiting[node.pipe] = node_id
        until = None if timeout is None else time.monotonic() + timeout
        replies = []
        while waiting:
            left = None if until is None else max(0.0, until - time.monotonic())
            ready = wait([self._nodes[each].pipe for each in waiting.values()], left)
            if not ready:
                break
            for pipe in ready:
                node_id = waiting.pop(pipe)
                try:
                    data = self._nodes[node_id].pipe.recv_bytes()
                    replies.append(message_from_proto(MessageProto.FromString(data)))
                except (EOFError, OSError):
                    self._stop(node_id)
        for node_id in waiting.values():
            self._stop(node_id)  # a late reply would be taken for that to the next message
        return replies

    def _stop(self, node_id: int) -> None:
        node = self._nodes.pop(node_id)
        node.pipe.close()
        try:
            node.process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            node.process.kill()
            node.process.wait()
