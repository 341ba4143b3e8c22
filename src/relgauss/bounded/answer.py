"""The central value of the library: an answer that carries the bound it was clipped to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from relgauss.arrays import FloatArray
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity


@dataclass(frozen=True, eq=False)
class BoundedAnswer:
    """An answer and how far replacing one record can move it: made together, to be passed on together.

    Attributes
    ----------
    value : array
        The exact answer: private until a mechanism releases it. It is made read-only.
    sensitivity : AbsoluteSensitivity
        How far replacing one record can move the value, in L2 norm.
    """

    value: FloatArray
    sensitivity: AbsoluteSensitivity

    def __post_init__(self) -> None:
        self.value.flags.writeable = False

    @classmethod
    def enforced(cls, value: FloatArray, moved: float) -> Self:
        """An answer of which clipping enforced that replacing one record moves it by at most ``moved``."""
        return cls(value, AbsoluteSensitivity(moved, "enforced"))
