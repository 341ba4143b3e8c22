"""From bytes to rows: files, folders, databases, frames, streams and clusters."""

from relgauss.records.read import read_records

__all__ = ["read_records"]
