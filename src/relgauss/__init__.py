"""Differential privacy when bounds are known only relative to the answer.

>>> import relgauss as rg
>>> s = rg.RelativeSensitivity(eta=0.01, r=1.0)          # one record moves the answer by about 1 %
>>> m = rg.calibrate(s, dim=10, epsilon=1.0, delta=1e-6)  # the mechanism of least error
>>> m.release(answer)                                     # secure noise
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        for_group,
    )
    from relgauss.accounting.compose import compose
    from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
    from relgauss.errors import RelgaussError
    from relgauss.forecast import forecast_fit, forecast_means, forecast_table
    from relgauss.mechanisms import (
        Gaussian,
        IsometricGaussian,
        Mechanism,
        RelativeGaussian,
    )
    from relgauss.mechanisms.calibrate import calibrate
    from relgauss.mechanisms.compare import compare
    from relgauss.mechanisms.sensitivity import AbsoluteSensitivity, RelativeSensitivity

    __version__: str

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
    "forecast_fit",
    "forecast_means",
    "forecast_table",
]

# Where each name lives: NumPy and SciPy are imported with the first that is used.
_PACKAGES = {
    "relgauss.accounting": (
        "ApproximateDP",
        "Batches",
        "Failure",
        "GaussianDP",
        "Parallel",
        "PoissonSampled",
        "PoissonSamples",
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
    ),
    "relgauss.budget": ("Budget", "Charge", "Condition", "PrivacyStatement"),
    "relgauss.errors": ("RelgaussError",),
    "relgauss.forecast": ("forecast_fit", "forecast_means", "forecast_table"),
    "relgauss.mechanisms": (
        "Gaussian",
        "IsometricGaussian",
        "Mechanism",
        "RelativeGaussian",
        "calibrate",
        "compare",
    ),
    "relgauss.mechanisms.sensitivity": ("AbsoluteSensitivity", "RelativeSensitivity"),
}
_HOMES = {name: package for package, names in _PACKAGES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A public name, a package that holds some, or the version: found when it is asked for."""
    if name in _HOMES:
        value = getattr(_import_module(_HOMES[name]), name)
    elif f"relgauss.{name}" in _PACKAGES:
        return _import_module(f"relgauss.{name}")
    elif name == "__version__":
        from importlib.metadata import version

        value = version("relgauss")
    else:
        raise AttributeError(f"module 'relgauss' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
