"""Mechanisms: a public noise level, a proven guarantee, and one release at a time."""

from relgauss.mechanisms.base import Mechanism
from relgauss.mechanisms.calibrate import calibrate
from relgauss.mechanisms.compare import Comparison, compare
from relgauss.mechanisms.gaussian import Gaussian
from relgauss.mechanisms.isometric import IsometricGaussian
from relgauss.mechanisms.registry import register
from relgauss.mechanisms.relative import RelativeGaussian
from relgauss.mechanisms.target import Target

__all__ = [
    "Comparison",
    "Gaussian",
    "IsometricGaussian",
    "Mechanism",
    "RelativeGaussian",
    "Target",
    "calibrate",
    "compare",
    "register",
]
