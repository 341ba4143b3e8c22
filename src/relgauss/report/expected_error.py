"""How wrong a mechanism's answers are, in the units that its bound allows."""

from __future__ import annotations

from dataclasses import dataclass

from relgauss.mechanisms import Mechanism
from relgauss.report.wording import percent


@dataclass(frozen=True)
class ExpectedError:
    """The root-mean-square error, in the answer's unit and relative to its norm, where it has a value."""

    rms: float | None
    relative: float | None
    norm: float | None

    def text(self) -> str:
        """The numbers that have a value."""
        shown = [] if self.rms is None else [f"{self.rms:.4g}"]
        if self.relative is not None:
            shown.append(f"({percent(self.relative)})" if shown else percent(self.relative))
        return " ".join(shown)

    def where(self) -> str:
        """The answers that the numbers hold for."""
        if self.norm is not None:
            return f"at norm {self.norm:g}"
        return "of a large answer" if self.rms is None else "whatever the answer"


def expected_error(mechanism: Mechanism, norm: float | None) -> ExpectedError:
    """The error at an answer of this norm; for None, of a large answer, or of any if noise never grows."""
    if norm is not None:
        rms = mechanism.rms_error(norm)
        return ExpectedError(rms, rms / norm if norm > 0 else None, norm)
    if mechanism.limiting_relative_error == 0:
        return ExpectedError(mechanism.rms_error(0.0), None, norm)
    return ExpectedError(None, mechanism.limiting_relative_error, norm)
