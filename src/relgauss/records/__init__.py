"""From records to an answer and its sensitivity, so that no bound is stated that was not enforced."""

from relgauss.records.exact_sum import BoundedAnswer, clipped_mean, clipped_sum, lattice_total
from relgauss.records.read import read_records

__all__ = ["BoundedAnswer", "clipped_mean", "clipped_sum", "lattice_total", "read_records"]
