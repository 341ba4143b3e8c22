"""How requests, releases and refusals are written into Flower's messages, and read back."""

from __future__ import annotations

import numpy as np
from flwr.app import ArrayRecord, ConfigRecord, Error, Message, RecordDict

from relgauss.arrays import FloatArray
from relgauss.federated.refusals import Kind, from_text, to_text
from relgauss.federated.run_report import NodeFacts
from relgauss.nodes.participant import Participant, Refusal, Released, Reply

ARRAYS, GRADIENT, CONFIG, NODE = "arrays", "gradient", "config", "node"
REQUEST = "request"
REFUSED = 900  # an error code of our own: Flower's are small


def flat(arrays: ArrayRecord) -> FloatArray:
    """All arrays of a model as one vector."""
    parts = [np.asarray(part, dtype=np.float64).ravel() for part in arrays.to_numpy_ndarrays()]
    return np.concatenate(parts) if parts else np.empty(0)


def like(vector: FloatArray, arrays: ArrayRecord) -> ArrayRecord:
    """A vector in the shapes of a model's arrays."""
    shapes = [part.shape for part in arrays.to_numpy_ndarrays()]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    parts = np.split(np.asarray(vector), ends)
    return ArrayRecord([part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)])


def request_of(msg: Message) -> str:
    """The request's name: the server's own, which survives its restarts, or the message's, which does not."""
    config = msg.content.config_records.get(CONFIG, ConfigRecord())
    return str(config.get(REQUEST) or f"message {msg.metadata.message_id}")


def introduction(participant: Participant) -> ConfigRecord:
    """What a node says of itself in public."""
    facts = NodeFacts.of(participant)
    return ConfigRecord({"facts": facts.to_json()})


def refuse(msg: Message, kind: Kind, name: str = "") -> Message:
    """An error reply that Flower's own strategies leave out, and ours can read: a kind, and no text."""
    return Message(Error(REFUSED, to_text(kind, name)), reply_to=msg)


def facts_in(content: RecordDict) -> NodeFacts | None:
    """The facts that a node's reply carries; None where they cannot be read."""
    try:
        return NodeFacts.from_json(str(content.config_records[NODE]["facts"]))
    except Exception:  # noqa: BLE001 - whatever a node sends, it must not end the run of the others
        return None


def refusal_in(error: Error) -> tuple[str, Refusal]:
    """The name of the node and its refusal; an error of Flower's own names nobody and loses its text."""
    if error.code == REFUSED:
        return from_text(error.reason or "")
    return "", Refusal(f"error {error.code}", "See the node's log.", kind="Flower")


def reply_in(content: RecordDict) -> Reply:
    """The release in a reply; whether it fits the model is for the round to say."""
    found = content.array_records.get(GRADIENT)
    if found is None:
        return Refusal("its reply holds no gradient", "Use the client of relgauss.federated.", kind="Reply")
    try:
        return Released(flat(found))
    except Exception:  # noqa: BLE001 - as above
        return Refusal("its gradient cannot be read", "Use the client of relgauss.federated.", kind="Reply")
