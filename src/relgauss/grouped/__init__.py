"""Private means of the groups of a table, when nobody knows the scale of their values."""

from relgauss.grouped.release import release_means
from relgauss.grouped.result import GroupedRelease

__all__ = ["GroupedRelease", "release_means"]
