"""What a participant in a federation does with its own records, in one process or on a network.

``ridge_participant`` and ``logistic_participant`` make a participant from a table and a budget; for any other
objective write a ``GradientQuery`` and put it into a ``Node``, an ``Agreement`` and a ``Participant``.
``run_rounds`` descends over participants in one process, without Flower.
"""

from relgauss.budget.agreement import Agreement
from relgauss.nodes.node import Answer, GradientQuery, Node
from relgauss.nodes.participant import Participant, Refusal, Released
from relgauss.nodes.regression import logistic_participant, ridge_participant
from relgauss.nodes.rounds import Round, Weights, run_rounds

__all__ = [
    "Agreement",
    "Answer",
    "GradientQuery",
    "Node",
    "Participant",
    "Refusal",
    "Released",
    "Round",
    "Weights",
    "logistic_participant",
    "ridge_participant",
    "run_rounds",
]
