"""What was spent, durably, across runs and processes."""

from relgauss.ledger.spend_record import SpendRecord

__all__ = ["SpendRecord"]
