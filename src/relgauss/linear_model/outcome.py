"""How a fit ended: with a model, or with a constant and why; and the warnings that tell of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from relgauss.arrays import FloatArray


@dataclass(frozen=True)
class Fitted:
    """A fit ended with a model of all features that showed a spread.

    Attributes
    ----------
    ignored
        The positions of the other features, whose coefficients are zero.
    half_widths
        The public or released half-widths of the features' ranges: coefficient times half-width compares
        features of unlike units.
    ignored_names
        What the ignored features are called.
    unseen_classes
        The classes of more than two of which hardly any record was seen: they may be misspelt.
    no_class_share
        The part of the labels that are none of the stated classes, and count as the first; 0 where it does
        not stand out of its noise.
    no_intervals
        Why no coefficient has an interval; empty if they have.
    outside
        The parts of the records that were seen outside of the stated bounds of each feature and, last, of
        the label, and count as their ends; 0 where they are below 5 %, or do not stand out of the noise.
        Empty if all are.
    robust_beyond
        How far off the line a record counts at most, if its features are as usual, where intervals speak of
        a robust line; in the label's units. None where they speak of least squares.
    part_beyond
        At most this part of the records lies farther off, and would pull least squares away from that line.
    """

    ignored: tuple[int, ...] = ()
    half_widths: tuple[float, ...] = field(default=(), repr=False)
    ignored_names: tuple[str, ...] = ()
    unseen_classes: tuple[Any, ...] = ()
    no_class_share: float = 0.0
    no_intervals: str = ""
    outside: tuple[float, ...] = ()
    robust_beyond: float | None = None
    part_beyond: float = 0.0

    @property
    def about_line(self) -> str:
        """Which line intervals speak of, where it is not that of least squares; empty where it is."""
        if self.robust_beyond is None:
            return ""
        return (
            "Intervals are for a robust line, as this budget shows too little of records far off it: where "
            f"features are as usual, one counts as at most {self.robust_beyond:.3g} off, and as less where "
            f"they are not. Up to {self.part_beyond:.2g} of the records may lie farther; least squares "
            "follows those, and may lie outside of the intervals."
        )


@dataclass(frozen=True)
class Degraded:
    """A fit ended with a constant prediction, privately estimated.

    Attributes
    ----------
    reason
        Why there is no model, in a sentence.
    fix
        What would give one.
    ignored
        The positions of features that showed no spread, where that was looked at.
    outside
        The parts of the records outside of stated bounds, as for ``Fitted``, where that was looked at.
    give_or_take
        How far the constant may be from the mean of the clipped labels or, for classes, a probability from
        the share of its class: noise goes no farther in 95 % of fits. None where nothing was released.
    clipped_to
        The ends that labels were clipped to for that mean: many may lie beyond them. None for classes, or
        where nothing was released.
    is_placed
        Whether labels were seen anywhere; if not, or if all that was seen is 0, the constant is 0 and says
        nothing.
    """

    reason: str
    fix: str
    ignored: tuple[int, ...] = ()
    outside: tuple[float, ...] = ()
    give_or_take: float | None = None
    is_placed: bool = True
    clipped_to: tuple[float, float] | None = None

    @property
    def about_constant(self) -> str:
        """How far the constant is to be trusted, as a sentence; empty where noise has no part in it."""
        if not self.is_placed:
            return (
                "No label was seen away from 0, at this budget: the constant is 0, and does not say where "
                "labels lie. State label_bounds: a constant is then found within them."
            )
        if self.give_or_take is None:
            return ""
        right = f"The constant is right give or take {self.give_or_take:.3g} (95 %)"
        if self.clipped_to is None:
            return f"{right}."
        low, high = self.clipped_to
        return f"{right} for labels clipped to {low:.3g} to {high:.3g}: how many lie beyond is not known."

    @property
    def in_words(self) -> str:
        """Why there is but a constant, how far it is to be trusted, and what would give a model."""
        return " ".join(filter(None, [self.reason, self.about_constant, self.fix]))


def parts_outside(features: FloatArray | None, columns: int, label: float) -> tuple[float, ...]:
    """``outside`` of an outcome: nothing if there are none, or if nobody looked at so many features."""
    parts = np.zeros(columns) if features is None else features
    return (*parts.tolist(), label) if parts.any() or label else ()


class DegradedFitWarning(UserWarning):
    """A fit ended with a constant prediction."""


class HopelessFitWarning(DegradedFitWarning):
    """Public numbers show, before anything is spent, that a fit will end with a constant.

    Made an error (``warnings.simplefilter("error", HopelessFitWarning)``), it stops the fit there.

    Parameters
    ----------
    why
        How the fit will end: the reason, and what would give a model.
    """

    def __init__(self, why: Degraded) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return (
            f"{self.why.reason} The model will be a constant, which is all that is paid for. {self.why.fix}"
        )


class IgnoredFeaturesWarning(UserWarning):
    """Features showed no spread that the budget could see: their coefficients are zero."""


class UnseenClassWarning(UserWarning):
    """Hardly any record was seen of a class, or many are of none: a class may be misspelt."""


class WrongBoundsWarning(UserWarning):
    """Many records lie outside of stated bounds, and count as their ends."""


class PlainModelWarning(UserWarning):
    """A model was fitted with ``clip_features=False``: its check speaks of predictions within the label's
    usual range, and a record far out may be predicted as wrongly as one likes.
    """
