"""Flower's own LocalDpMod, run as documented, and what it really guarantees.

It clips the model's update to norm C and adds noise of std S sqrt(2 log(1.25/δ))/ε for a stated sensitivity
S. Nothing bounds a single record, so replacing one moves a clipped update by up to 2 C: a round is mu-GDP
with mu = 2 C/std and no better, and T rounds are sqrt(T) mu. We state S = C.
"""

from __future__ import annotations

import logging
import math

import numpy as np

import relgauss as rg
from relgauss.arrays import FloatArray
from relgauss.paper.experiment import Trace


def true_epsilon(epsilon: float, delta: float, rounds: int) -> float:
    """Of a whole run, at the same delta, if each round is configured with (epsilon, delta) and S = C."""
    mu = 2 * epsilon / math.sqrt(2 * math.log(1.25 / delta))
    return rg.compose((rg.GaussianDP(mu), rounds)).epsilon(delta)


def final_error(trace: Trace, epsilon: float, delta: float, factor: float, rounds: int) -> float:
    """Σ f_i - min after FedAvg with the mod on every node.

    C is a multiple of the longest first update of any node, read from the data for nothing.
    """
    from flwr.app import ArrayRecord, Context, Message, MessageType, RecordDict
    from flwr.clientapp.mod import LocalDpMod
    from flwr.supercore.task_identity import TaskIdentity

    TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1  # as Flower's processes set it
    logging.getLogger("flwr").setLevel(logging.ERROR)
    context = Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config={})
    size = trace.step_size
    longest = max(float(np.linalg.norm(size * each.gradient(trace.start))) for each in trace.objectives)
    norm = factor * longest
    mod = LocalDpMod(norm, norm, epsilon, delta)

    def update(objective, theta: FloatArray) -> FloatArray:
        def train(msg: Message, _: Context) -> Message:
            moved = theta - size * objective.gradient(theta)
            return Message(RecordDict({"arrays": ArrayRecord([moved])}), reply_to=msg)

        message = Message(RecordDict({"arrays": ArrayRecord([theta])}), 1, MessageType.TRAIN)
        message.metadata.__dict__["_message_id"] = "1"
        return mod(message, context, train).content["arrays"].to_numpy_ndarrays()[0]

    theta = trace.start
    for _ in range(rounds):
        theta = np.mean([update(each, theta) for each in trace.objectives], axis=0)
    return trace.error(theta)
