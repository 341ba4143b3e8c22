"""What may be spent, what was spent, and the statement of it that every result carries."""

from relgauss.budget.budget import Budget
from relgauss.budget.charge import Charge, Condition
from relgauss.budget.statement import PrivacyStatement

__all__ = ["Budget", "Charge", "Condition", "PrivacyStatement"]
