"""How a fit ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fitted:
    """A model of all features that showed a spread; ``ignored`` are the others, with coefficient zero.

    ``half_widths`` are the public or released half-widths of the features' ranges: coefficient times
    half-width compares features of unlike units.
    """

    ignored: tuple[int, ...] = ()
    half_widths: tuple[float, ...] = ()


@dataclass(frozen=True)
class Degraded:
    """A constant prediction, privately estimated: why, and what would give a model."""

    reason: str
    fix: str


class DegradedFitWarning(UserWarning):
    """A fit ended with a constant prediction."""


class HopelessFitWarning(DegradedFitWarning):
    """Public numbers show, before anything is spent, that a fit will end with a constant; ``why`` says more.

    Made an error (``warnings.simplefilter("error", HopelessFitWarning)``), it stops the fit there.
    """

    def __init__(self, why: Degraded) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return (
            f"{self.why.reason} The model will be a constant, which is all that is paid for. {self.why.fix}"
        )


class PlainModelWarning(UserWarning):
    """A model was fitted with ``clip_features=False``: its check speaks of predictions within the label's
    usual range, and a record far out may be predicted as wrongly as one likes.
    """
