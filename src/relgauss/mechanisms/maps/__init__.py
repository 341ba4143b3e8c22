"""Maps under which neighbours lie at most 1 apart, so that plain Gaussian noise protects them."""

from relgauss.mechanisms.maps.base import UnitMap
from relgauss.mechanisms.maps.choose import DECODERS, Decoder, unit_map

__all__ = ["DECODERS", "Decoder", "UnitMap", "unit_map"]
