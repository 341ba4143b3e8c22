"""The central value of the library: an answer that carries the bound it was clipped to."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.arrays import FloatArray
from relgauss.sensitivity import AbsoluteSensitivity


@dataclass(frozen=True, eq=False)
class BoundedAnswer:
    """An answer and how far replacing one record can move it: made together, to be passed on together."""

    value: FloatArray
    sensitivity: AbsoluteSensitivity

    def __post_init__(self) -> None:
        self.value.flags.writeable = False
