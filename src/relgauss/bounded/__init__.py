"""Answers with the bound that they enforced: sums, means and counts of clipped records."""

from relgauss.bounded.answer import BoundedAnswer
from relgauss.bounded.exact_sum import clipped_mean, clipped_sum, lattice_total

__all__ = ["BoundedAnswer", "clipped_mean", "clipped_sum", "lattice_total"]
