"""A client mod that makes a Flower app private: gradients come from a node, with its noise, or not at all."""

from __future__ import annotations

from collections.abc import Callable

from flwr.app import Context, Message, MessageType, RecordDict
from flwr.clientapp.typing import ClientAppCallable

from relgauss.errors import InvalidValueError, RefusedReleaseError, RelgaussError
from relgauss.federated.messages import GRADIENT, NODE, flat, introduction, like, refuse, request_of
from relgauss.nodes.participant import Participant, Refusal, Released


class PrivateGradients:
    """Puts the node's release at the message's model into the message, as ``gradient``, and calls the app.

    It is made from a participant, which owns bound and noise together; no sensitivity is ever passed. The app
    behind it must work with the message alone: what it returns is sent. Refusals go back in its place, and
    no error shows more than its kind. Only training is answered; "query" is answered with public facts.
    Proof: proofs/durable-record.md.
    """

    def __init__(self, participant_of: Callable[[Context], Participant]) -> None:
        self._participant_of = participant_of

    def __call__(self, msg: Message, ctxt: Context, call_next: ClientAppCallable) -> Message:
        """Answer a message of the server's."""
        name = str(ctxt.node_config.get("name", ""))  # for a node that cannot even be made
        try:
            participant = self._participant_of(ctxt)
            name = participant.name
            return self._answer(participant, msg, ctxt, call_next)
        except RelgaussError as error:
            return refuse(msg, Refusal.of(error), name)
        except Exception as error:  # noqa: BLE001 - Flower would send its text, which may hold records
            fix = "See the node's own log."
            return refuse(msg, Refusal(type(error).__name__, "The node failed.", fix), name)

    def _answer(
        self, participant: Participant, msg: Message, ctxt: Context, call_next: ClientAppCallable
    ) -> Message:
        kind = msg.metadata.message_type
        if kind == MessageType.QUERY:
            return Message(RecordDict({NODE: introduction(participant)}), reply_to=msg)
        if kind != MessageType.TRAIN:
            raise RefusedReleaseError(
                f"A message of type {kind!r} would be answered without noise.",
                "Evaluate on public data, at the server.",
            )
        arrays = next(iter(msg.content.array_records.values()), None)
        if arrays is None:
            raise InvalidValueError("The message holds no model.", "Send the model's arrays.")
        reply = participant.reply(request_of(msg), flat(arrays))
        if not isinstance(reply, Released):
            return refuse(msg, reply, participant.name)
        msg.content[GRADIENT] = like(reply.gradient, arrays)
        answer = call_next(msg, ctxt)
        answer.content[NODE] = introduction(participant)
        return answer
