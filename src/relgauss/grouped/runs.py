"""Runs of neighbouring bins: what lies together shows in the sum of their counts."""

from __future__ import annotations

from relgauss.arrays import FloatArray


def run_sums(summed: FloatArray, length: int) -> FloatArray:
    """The sums of all runs of so many neighbours, from those ``summed_before``; a row for each group."""
    runs: FloatArray = summed[:, length:] - summed[:, :-length]
    return runs
