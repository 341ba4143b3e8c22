"""A ClientApp that answers with a node's releases and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from relgauss.federated.messages import GRADIENT
from relgauss.federated.mod import PrivateGradients
from relgauss.nodes.participant import Participant


def private_client(participant_of: Callable[[Context], Participant]) -> ClientApp:
    """For ridge, logistic regression or any other node: ``participant_of`` makes it from Flower's context."""
    app = ClientApp(mods=[PrivateGradients(participant_of)])
    for kind in (app.train, app.query, app.evaluate):  # Flower asks for a handler of each
        kind()(_send_release)  # reached in training only: the mod answers queries and refuses to evaluate
    return app


def _send_release(msg: Message, _: Context) -> Message:
    return Message(RecordDict({GRADIENT: msg.content[GRADIENT]}), reply_to=msg)
