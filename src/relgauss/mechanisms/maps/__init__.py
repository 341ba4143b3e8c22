"""Maps under which neighbours lie at most 1 apart, so that plain Gaussian noise protects them."""

from relgauss.mechanisms.maps.base import UnitMap

__all__ = ["UnitMap"]
