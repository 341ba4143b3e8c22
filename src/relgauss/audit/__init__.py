"""Audits: lower bounds on epsilon from a mechanism's own outputs, beside what it claims."""

from relgauss.audit.auditor import audit, audit_samplers
from relgauss.audit.lower_bound import LowerBound, lower_bound
from relgauss.audit.pairs import worst_pair
from relgauss.audit.report import AuditReport
from relgauss.mechanisms.neighbours import Pair
from relgauss.mechanisms.scores import Projection, Score

__all__ = [
    "AuditReport",
    "LowerBound",
    "Pair",
    "Projection",
    "Score",
    "audit",
    "audit_samplers",
    "lower_bound",
    "worst_pair",
]
