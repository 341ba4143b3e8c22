"""What releases cost: guarantees, how they add up, and the epsilon that is proven at a delta."""

from relgauss.accounting.approximate import ApproximateDP, Failure, PureDP
from relgauss.accounting.compose import Composition, compose
from relgauss.accounting.filter import Exhausted, Left, PrivacyFilter
from relgauss.accounting.from_dp_accounting import from_dp_accounting
from relgauss.accounting.gaussian_pair_dp import GaussianPairDP
from relgauss.accounting.gdp import GaussianDP
from relgauss.accounting.group import as_replace_one, for_group
from relgauss.accounting.guarantees import Guarantee
from relgauss.accounting.meaning import bayes_advantage, trade_off, true_positive_rate
from relgauss.accounting.odometer import Odometer
from relgauss.accounting.parallel import Parallel
from relgauss.accounting.poisson import PoissonSampled
from relgauss.accounting.profile_table import ProfileTable
from relgauss.accounting.renyi import RenyiDP
from relgauss.accounting.renyi_curves import RenyiFunction, RenyiTable
from relgauss.accounting.sampling import Batches, PoissonSamples
from relgauss.accounting.subsample import Subsampled
from relgauss.accounting.tcdp import TruncatedConcentratedDP, ZeroConcentratedDP
from relgauss.accounting.to_dp_accounting import to_dp_accounting

__all__ = [
    "ApproximateDP",
    "Batches",
    "Composition",
    "Exhausted",
    "Failure",
    "GaussianDP",
    "GaussianPairDP",
    "Guarantee",
    "Left",
    "Odometer",
    "Parallel",
    "PoissonSampled",
    "PoissonSamples",
    "PrivacyFilter",
    "ProfileTable",
    "PureDP",
    "RenyiDP",
    "RenyiFunction",
    "RenyiTable",
    "Subsampled",
    "TruncatedConcentratedDP",
    "ZeroConcentratedDP",
    "as_replace_one",
    "bayes_advantage",
    "compose",
    "for_group",
    "from_dp_accounting",
    "to_dp_accounting",
    "trade_off",
    "true_positive_rate",
]
