"""One message to one reply, whatever the node's app does: an error stays in the node's log."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from flwr.app import Context, Message, RecordDict
from flwr.clientapp import ClientApp
from flwr.supercore.task_identity import TaskIdentity

from relgauss.federated.messages import refuse
from relgauss.federated.refusals import Kind

_LOG = logging.getLogger(__name__)

Values = Mapping[str, str | int | float | bool]


def answer(app: ClientApp, msg: Message, node_id: int, node_config: Values) -> Message:
    """The app's reply, or a refusal. The app gets the node's configuration and nothing of the run's."""
    TaskIdentity.task_id = TaskIdentity.run_id = msg.metadata.run_id  # Flower marks replies by them
    TaskIdentity.node_id = node_id
    context = Context(
        run_id=msg.metadata.run_id,
        node_id=node_id,
        node_config=dict(node_config),
        state=RecordDict(),
        run_config={},
    )
    try:
        reply: Message = app(msg, context)
    except Exception:  # noqa: BLE001 - Flower would send its text, which may hold records
        _LOG.exception("The node's app failed.")
        return refuse(msg, Kind.FAILED, str(node_config.get("name", "")))
    return reply
