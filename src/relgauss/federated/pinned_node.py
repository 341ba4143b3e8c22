"""A node of a Flower federation that runs its own app, whatever app a run ships.

It speaks with the SuperLink as a SuperNode does, with the same authentication, messages and heartbeats. A
SuperNode then fetches the run's app and executes it; here nothing is fetched, and nothing could execute it.
So a server can ask, and what is answered is the node's to decide. Proof: proofs/nodes.md.
"""

from __future__ import annotations

import importlib.util
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from flwr.app import Message
from flwr.clientapp import ClientApp
from flwr.supercore.inflatable.inflatable_object import (
    get_all_nested_objects,
    get_object_tree,
    no_object_id_recompute,
)
from flwr.supercore.inflatable.inflatable_utils import pull_and_inflate_object_from_tree, push_objects
from flwr.supercore.run import RunNotRunningException
from flwr.supernode.fleet_http_connection import http_request_response

from relgauss.errors import RelgaussError
from relgauss.federated.answering import Values, answer

_LOG = logging.getLogger(__name__)
_POLL = 1.0  # seconds between looks for a message
_TIME_TAKEN = 0.0  # Flower sends how long an app took; that may depend on the records


@dataclass(frozen=True)
class Link:
    """The SuperLink at ``address``, as host:port, and the private key (OpenSSH, ECDSA) that it knows us by.

    Connections are by TLS only, checked by ``root_certificates`` (PEM), or by the system's where it is None.
    """

    address: str
    key: Path
    root_certificates: Path | None = None

    def keys(self) -> tuple[ec.EllipticCurvePrivateKey, ec.EllipticCurvePublicKey]:
        """The key and its public half."""
        try:
            key = load_ssh_private_key(self.key.read_bytes(), None)
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise RelgaussError(
                f"{self.key} is not an ECDSA key without a passphrase.",
                f"Make one: ssh-keygen -t ecdsa -b 384 -N '' -f {self.key.name}",
            )
        return key, key.public_key()


def load_app(file: Path) -> ClientApp:
    """The ClientApp that a Python file calls ``app``."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.is_file():
        raise RelgaussError(f"{file} is no Python file.", "Name the file in which the node's app is defined.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    app = getattr(module, "app", None)
    if not isinstance(app, ClientApp):
        raise RelgaussError(
            f"{file} defines no ClientApp by the name 'app'.",
            "Write app = relgauss.federated.private_client(...).",
        )
    return app


def serve(app: ClientApp, link: Link, node_config: Values) -> NoReturn:
    """Answer messages until the process is stopped."""
    root = None if link.root_certificates is None else str(link.root_certificates)
    with http_request_response(link.address, False, root, link.keys()) as connection:
        # The two that are dropped would fetch a run and the app that it ships.
        node_id, receive, send, _, _, pull, push, confirm = connection
        worker = _Worker(app, node_config, node_id, receive, send, pull, push, confirm)
        _LOG.info("Connected to %s as node %d.", link.address, node_id)
        while True:
            if not worker.answer_next():
                time.sleep(_POLL)


@dataclass(frozen=True)
class _Worker:
    """Takes messages from Flower's connection and gives it replies."""

    app: ClientApp
    node_config: Values
    node_id: int
    receive: Callable[[], tuple[Message, Any] | None]
    send: Callable[[Message, Any, float], tuple[set[str], str]]
    pull: Callable[[int, str], bytes]
    push: Callable[[int, str, str, bytes], None]
    confirm: Callable[[int, str], None]

    def answer_next(self) -> bool:
        """Answer the next message; false where there is none, or none that can be had."""
        try:
            received = self.receive()
            if received is None:
                return False
            message = self._whole(*received)
            _LOG.info("A message of type %s came.", message.metadata.message_type)
            self._reply(answer(self.app, message, self.node_id, self.node_config))
        except RunNotRunningException:
            _LOG.info("The run was over before its message was answered.")
        except Exception:  # noqa: BLE001 - a message that is nonsense must not end the node
            _LOG.exception("A message was lost on its way.")
            return False
        return True

    def _whole(self, head: Message, tree: Any) -> Message:
        run = head.metadata.run_id
        message: Message = pull_and_inflate_object_from_tree(
            tree,
            lambda each: self.pull(run, each),
            lambda each: self.confirm(run, each),
            return_type=Message,
        )
        message.metadata.__dict__["_message_id"] = tree.object_id  # which is not part of what was sent
        return message

    def _reply(self, reply: Message) -> None:
        run = reply.metadata.run_id
        reply.metadata.__dict__["_message_id"] = reply.object_id
        with no_object_id_recompute():
            parts = get_all_nested_objects(reply)
            wanted, session = self.send(reply, get_object_tree(reply), _TIME_TAKEN)
            push_objects(
                parts,
                lambda each, content: self.push(run, session, each, content),
                object_ids_to_push=wanted,
            )
