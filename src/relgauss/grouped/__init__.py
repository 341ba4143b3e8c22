"""Means by group when nobody knows the scale."""

from relgauss.grouped.release import release_means
from relgauss.grouped.result import GroupedRelease

__all__ = ["GroupedRelease", "release_means"]
