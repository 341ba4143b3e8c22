"""Differential privacy when bounds are known only relative to the answer.

>>> import relgauss as rg
>>> s = rg.RelativeSensitivity(eta=0.01, r=1.0)          # one record moves the answer by about 1 %
>>> m = rg.calibrate(s, dim=10, epsilon=1.0, delta=1e-6)  # the mechanism of least error
>>> m.release(answer)                                     # secure noise
"""

from importlib.metadata import version as _version

from relgauss.accounting import (
    ApproximateDP,
    Batches,
    Failure,
    GaussianDP,
    Parallel,
    PoissonSampled,
    PoissonSamples,
    PureDP,
    RenyiDP,
    RenyiFunction,
    RenyiTable,
    Subsampled,
    TruncatedConcentratedDP,
    ZeroConcentratedDP,
    as_replace_one,
    compose,
    for_group,
)
from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.errors import RelgaussError
from relgauss.mechanisms import (
    Gaussian,
    IsometricGaussian,
    Mechanism,
    RelativeGaussian,
    calibrate,
    compare,
)
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

__version__ = _version("relgauss")

__all__ = [
    "AbsoluteSensitivity",
    "ApproximateDP",
    "Batches",
    "Budget",
    "Charge",
    "Condition",
    "Failure",
    "Gaussian",
    "GaussianDP",
    "IsometricGaussian",
    "Mechanism",
    "Parallel",
    "PoissonSampled",
    "PoissonSamples",
    "PrivacyStatement",
    "PureDP",
    "RelativeGaussian",
    "RelativeSensitivity",
    "RelgaussError",
    "RenyiDP",
    "RenyiFunction",
    "RenyiTable",
    "Subsampled",
    "TruncatedConcentratedDP",
    "ZeroConcentratedDP",
    "as_replace_one",
    "calibrate",
    "compare",
    "compose",
    "for_group",
]
