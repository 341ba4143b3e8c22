"""Which map serves which bound: by its form, eta, r and the dimension."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from relgauss.errors import InvalidParameterError
from relgauss.mechanisms.maps.base import UnitMap
from relgauss.mechanisms.maps.embedding import BalancedEmbedding, ProductEmbedding
from relgauss.mechanisms.maps.line import AsinhMap, Log1pMap, LogMap, SignedLog1pMap, SignedLogMap
from relgauss.mechanisms.maps.projected import ProjectedEmbedding
from relgauss.mechanisms.maps.scaling import ScalingMap
from relgauss.mechanisms.maps.spherical import SphericalEmbedding
from relgauss.mechanisms.sensitivity import RelativeSensitivity

Decoder = Literal["standard", "projected"]
DECODERS: tuple[Decoder, ...] = ("standard", "projected")

_MARKER = 64.0  # standard deviations of noise


def unit_map(
    sensitivity: RelativeSensitivity,
    dim: int,
    noise_multiplier: float,
    decoder: Decoder = "standard",
    public_norm: float | None = None,
) -> UnitMap:
    """The map for this bound: a map of the line where one exists, the embedding else."""
    found = _map(sensitivity, dim, noise_multiplier, decoder)
    if public_norm is None:
        return found
    if not isinstance(found, BalancedEmbedding):
        raise InvalidParameterError(
            "public_norm",
            public_norm,
            "None for this bound",
            "Only in the quadratic form with r > 0 has the decoder a choice, for two coordinates or more.",
        )
    return replace(found, public_norm=public_norm)


def _map(sensitivity: RelativeSensitivity, dim: int, noise_multiplier: float, decoder: Decoder) -> UnitMap:
    eta, r, linear = sensitivity.eta, sensitivity.r, sensitivity.form == "linear"
    if decoder == "projected":
        if dim < 2 or linear or r == 0 or eta == 0:
            raise InvalidParameterError(
                "decoder",
                decoder,
                "'standard' for this bound",
                "The projected one is for dim >= 2 and the quadratic form with eta > 0 and r > 0.",
            )
        return ProjectedEmbedding(eta, r, linear, dim)
    if eta == 0:
        return ScalingMap(r, dim)
    if dim > 1 or (eta >= 2 and not sensitivity.nonnegative):
        return _embedding(sensitivity, dim)
    if r == 0:
        return LogMap(eta) if sensitivity.nonnegative else SignedLogMap(eta, _MARKER * noise_multiplier)
    if not linear:
        return AsinhMap(eta, r, sensitivity.nonnegative)
    return Log1pMap(eta, r) if sensitivity.nonnegative else SignedLog1pMap(eta, r)


def _embedding(sensitivity: RelativeSensitivity, dim: int) -> UnitMap:
    eta, r, linear = sensitivity.eta, sensitivity.r, sensitivity.form == "linear"
    if r == 0:
        return SphericalEmbedding(eta, r, linear, dim)
    if linear:
        return ProductEmbedding(eta, r, linear, dim)
    return BalancedEmbedding(eta, r, linear, dim)
