"""Private statistics of the groups of a table, when nobody knows the scale of their values."""

from relgauss.grouped.release import release_means
from relgauss.grouped.release_table import release_table
from relgauss.grouped.result import GroupedRelease
from relgauss.grouped.table_result import TableRelease

__all__ = ["GroupedRelease", "TableRelease", "release_means", "release_table"]
