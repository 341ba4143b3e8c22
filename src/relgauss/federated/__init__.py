"""The same nodes on Flower: a client mod, a ClientApp, a strategy, a ServerApp, and nodes that pin their app.

Needs the extra ``federated``. What a node spends and what it refuses is decided by its participant, in
``relgauss.nodes``; here it only travels. Proofs: proofs/nodes.md, proofs/durable-record.md.
"""

from relgauss.errors import MissingExtraError

try:
    import flwr  # noqa: F401
except ImportError:
    raise MissingExtraError("Federated training", "federated") from None

from relgauss.budget import Budget
from relgauss.federated.client import private_client
from relgauss.federated.mod import PrivateGradients
from relgauss.federated.run_report import NodeFacts, RunReport
from relgauss.federated.server import ServerPlan, private_server, run_server
from relgauss.federated.strategy import PrivateDescent
from relgauss.ledger import SpendRecord
from relgauss.nodes import Participant, logistic_participant, ridge_participant

__all__ = [
    "Budget",
    "NodeFacts",
    "Participant",
    "PrivateDescent",
    "PrivateGradients",
    "RunReport",
    "ServerPlan",
    "SpendRecord",
    "logistic_participant",
    "private_client",
    "private_server",
    "ridge_participant",
    "run_server",
]
