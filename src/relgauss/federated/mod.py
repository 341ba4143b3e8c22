"""A client mod that makes a Flower app private: gradients come from a node, with its noise, or not at all."""

from __future__ import annotations

import logging
from collections.abc import Callable

from flwr.app import Context, Message, MessageType, RecordDict
from flwr.clientapp.typing import ClientAppCallable

from relgauss.errors import InvalidValueError, RefusedReleaseError
from relgauss.federated.messages import GRADIENT, NODE, flat, introduction, like, refuse, request_of
from relgauss.federated.refusals import kind_while_answering, kind_while_set_up
from relgauss.nodes.participant import Participant, Released

_LOG = logging.getLogger(__name__)


class PrivateGradients:
    """Puts the node's release at the message's model into the message, as ``gradient``, and calls the app.

    It is made from a participant, which owns bound and noise together; no sensitivity is ever passed. The app
    behind it must work with the message alone: what it returns is sent. In place of a release, only the kind
    of a refusal goes out; the error itself, with its traceback, goes to the node's log. Only training is
    answered; "query" is answered with public facts. Proof: proofs/durable-record.md.

    Parameters
    ----------
    participant_of
        Makes the participant from Flower's context. It is called for each message.
    """

    def __init__(self, participant_of: Callable[[Context], Participant]) -> None:
        self._participant_of = participant_of

    def __call__(self, msg: Message, ctxt: Context, call_next: ClientAppCallable) -> Message:
        """Answer a message of the server's."""
        try:
            participant = self._participant_of(ctxt)
        except Exception as error:  # noqa: BLE001 - Flower would send its text, which may hold records
            _LOG.exception("The node cannot be set up.")
            return refuse(msg, kind_while_set_up(error), str(ctxt.node_config.get("name", "")))
        try:
            return self._answer(participant, msg, ctxt, call_next)
        except Exception as error:  # noqa: BLE001 - as above
            _LOG.exception("The node %s does not answer.", participant.name)
            return refuse(msg, kind_while_answering(type(error).__name__), participant.name)

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
            why = (reply.kind, reply.reason, reply.fix)
            _LOG.warning("The node %s does not answer (%s): %s %s", participant.name, *why)
            return refuse(msg, kind_while_answering(reply.kind), participant.name)
        msg.content[GRADIENT] = like(reply.gradient, arrays)
        answer = call_next(msg, ctxt)
        answer.content[NODE] = introduction(participant)
        return answer
