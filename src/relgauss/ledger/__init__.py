"""What may be spent and what was spent, durably, across runs and processes."""

from relgauss.ledger.charged import charged
from relgauss.ledger.ledger import Ledger
from relgauss.ledger.node_record import NodeRecord
from relgauss.ledger.spend_record import SpendRecord

__all__ = ["Ledger", "NodeRecord", "SpendRecord", "charged"]
