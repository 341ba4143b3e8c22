"""A process for a node, reached by a pipe: ``python -m relgauss.federated.local_node DESCRIPTOR MODULE:APP``.

It ends as soon as the other end of the pipe is closed, also in the middle of an answer: so when its parent
ends, by whatever signal, it ends too. What it had reserved by then is spent, as after any crash.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import sys
import threading
from multiprocessing.connection import Connection

from flwr.common.serde import message_from_proto, message_to_proto
from flwr.proto.message_pb2 import Message as MessageProto

from relgauss.federated.answering import answer


def main(descriptor: int, where: str) -> None:
    """Read the node's id and configuration, then answer one message after the other."""
    pipe: Connection[bytes, bytes] = Connection(descriptor)
    start = json.loads(pipe.recv_bytes())
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(pipe, inbox), daemon=True).start()
    module, _, name = where.partition(":")
    app = getattr(importlib.import_module(module), name)
    while True:
        message = message_from_proto(MessageProto.FromString(inbox.get()))
        reply = answer(app, message, start["node_id"], start["config"])
        pipe.send_bytes(message_to_proto(reply).SerializeToString())


def _listen(pipe: Connection[bytes, bytes], inbox: queue.SimpleQueue[bytes]) -> None:
    while True:
        try:
            inbox.put(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # ends the answer that is being made, too


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
