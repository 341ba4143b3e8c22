"""Exact accounting: divergences, conversions, composition."""

from relgauss.accounting.approximate import ApproximateDP, Failure, PureDP
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.group import as_replace_one, for_group
from relgauss.accounting.guarantees import GaussianDP, GaussianPairDP, Guarantee
from relgauss.accounting.parallel import Parallel
from relgauss.accounting.poisson import PoissonSampled
from relgauss.accounting.renyi import RenyiDP
from relgauss.accounting.renyi_curves import RenyiFunction, RenyiTable
from relgauss.accounting.subsample import Subsampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP, ZeroConcentratedDP

__all__ = [
    "ApproximateDP",
    "Composition",
    "Failure",
    "GaussianDP",
    "GaussianPairDP",
    "Guarantee",
    "Parallel",
    "PoissonSampled",
    "PureDP",
    "RenyiDP",
    "RenyiFunction",
    "RenyiTable",
    "Subsampled",
    "TruncatedConcentratedDP",
    "ZeroConcentratedDP",
    "as_replace_one",
    "compose",
    "for_group",
]
