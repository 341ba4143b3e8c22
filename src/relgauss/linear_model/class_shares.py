"""How large each of several classes is: released before a fit, and what a constant predicts.

Proof: proofs/regression.md.
"""

from __future__ import annotations

from dataclasses import replace

from relgauss.arrays import FloatArray
from relgauss.bounded.histogram import count_cells
from relgauss.descent.softmax import Softmax
from relgauss.linear_model.problem import Problem
from relgauss.spending import Spending

CLASS_SHARES = "class shares"
_SHARE = 0.02  # of mu²


def with_class_shares(problem: Problem, objective: Softmax, spending: Spending) -> Problem:
    """The problem, whose objective then knows released shares of its classes."""
    shares = release_shares(problem, objective, spending, _SHARE)
    return replace(problem, objective=objective.informed(shares))


def release_shares(problem: Problem, objective: Softmax, spending: Spending, share: float) -> FloatArray:
    """Noisy shares of the classes; labels are numbers from 0 to K - 1, a count of which moves by sqrt(2)."""
    answer = count_cells(
        problem.records, lambda block: [objective.numbered(block.labels)], 1, objective.classes
    )
    shares: FloatArray = spending.release(CLASS_SHARES, answer, share).value / problem.records.count
    return shares
