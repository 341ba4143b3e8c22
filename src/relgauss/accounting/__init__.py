"""Exact accounting: divergences, conversions, composition."""

from relgauss.accounting.approximate import ApproximateDP, Failure, PureDP
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.filter import Exhausted, Left, PrivacyFilter
from relgauss.accounting.guarantees import GaussianDP, GaussianPairDP, Guarantee
from relgauss.accounting.meaning import bayes_advantage, trade_off, true_positive_rate
from relgauss.accounting.odometer import Odometer
from relgauss.accounting.subsample import Subsampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP

__all__ = [
    "ApproximateDP",
    "Composition",
    "Exhausted",
    "Failure",
    "GaussianDP",
    "GaussianPairDP",
    "Guarantee",
    "Left",
    "Odometer",
    "PrivacyFilter",
    "PureDP",
    "Subsampled",
    "TruncatedConcentratedDP",
    "bayes_advantage",
    "compose",
    "trade_off",
    "true_positive_rate",
]
