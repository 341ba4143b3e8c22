"""A ClientApp that answers with a node's releases and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp

from relgauss.federated.messages import GRADIENT
from relgauss.federated.mod import PrivateGradients
from relgauss.nodes.participant import Participant


def private_client(participant_of: Callable[[Context], Participant]) -> ClientApp:
    """A ClientApp for a node of any regression, with nothing else to write.

    Parameters
    ----------
    participant_of
        Makes the participant from Flower's context, whose ``node_config`` says which node this is. It is
        called for each message: what was released before is read back from the record.

    Returns
    -------
    ClientApp
        Answers training messages with releases and queries with public facts, and refuses all others.
    """
    app = ClientApp(mods=[PrivateGradients(participant_of)])
    for kind in (app.train, app.query, app.evaluate):  # Flower asks for a handler of each
        kind()(_send_release)  # reached in training only: the mod answers queries and refuses to evaluate
    return app


def _send_release(msg: Message, _: Context) -> Message:
    return Message(RecordDict({GRADIENT: msg.content[GRADIENT]}), reply_to=msg)
