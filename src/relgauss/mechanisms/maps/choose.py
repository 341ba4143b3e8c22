"""Which map serves which bound."""

from __future__ import annotations

from relgauss.mechanisms.maps.balanced import BalancedEmbedding
from relgauss.mechanisms.maps.base import UnitMap
from relgauss.mechanisms.maps.line import AsinhMap, Log1pMap, LogMap, SignedLog1pMap, SignedLogMap
from relgauss.mechanisms.maps.product import ProductEmbedding
from relgauss.mechanisms.maps.scaling import ScalingMap
from relgauss.mechanisms.maps.spherical import SphericalEmbedding
from relgauss.sensitivity import RelativeSensitivity

_MARKER = 64.0  # standard deviations of noise


def unit_map(sensitivity: RelativeSensitivity, dim: int, noise_multiplier: float) -> UnitMap:
    """The map for this bound: a map of the line where one exists, the embedding else."""
    eta, r, linear = sensitivity.eta, sensitivity.r, sensitivity.form == "linear"
    if eta == 0:
        return ScalingMap(r, dim)
    if dim > 1 or (eta >= 2 and not sensitivity.nonnegative):
        kind = SphericalEmbedding if r == 0 else ProductEmbedding if linear else BalancedEmbedding
        return kind(eta, r, linear, dim)
    if r == 0:
        return LogMap(eta) if sensitivity.nonnegative else SignedLogMap(eta, _MARKER * noise_multiplier)
    if not linear:
        return AsinhMap(eta, r, sensitivity.nonnegative)
    return Log1pMap(eta, r) if sensitivity.nonnegative else SignedLog1pMap(eta, r)
