"""Exact accounting: divergences, conversions, composition."""

from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.guarantees import (
    ApproximateDP,
    Failure,
    GaussianDP,
    GaussianPairDP,
    Guarantee,
    PureDP,
)
from relgauss.accounting.subsample import Subsampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP

__all__ = [
    "ApproximateDP",
    "Composition",
    "Failure",
    "GaussianDP",
    "GaussianPairDP",
    "Guarantee",
    "PureDP",
    "Subsampled",
    "TruncatedConcentratedDP",
    "compose",
]
