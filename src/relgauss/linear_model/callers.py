"""Who calls a fit: searches, ensembles and pipelines do more with the records than one fit can state."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType

from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

# All of scikit-learn is taken to fit again and again but these, so that what is added there warns too.
_ENCODERS = ("OneHotEncoder", "OrdinalEncoder", "ColumnTransformer")
_FIT_ONCE = ("base", "callback", "compose", "pipeline", "utils")
_CHOOSE = ("model_selection", "feature_selection")  # by scores


class RepeatedSpendWarning(UserWarning):
    """A search, a cross-validation or an ensemble fits the same records again; each fit spends epsilon."""


class EarlierStepsWarning(UserWarning):
    """A pipeline fitted other steps to the same records, without noise: no epsilon covers what they learned,
    if they did.
    """


class UnprotectedScoreWarning(UserWarning):
    """A score is an exact number about records: on private ones it is not protected."""


def warn_of_score(stacklevel: int = 3) -> None:
    """Say that a score is not private, to who asked for it: so many calls up from here."""
    warnings.warn(
        "A score is exact, and no epsilon covers it: on private records it tells of them. Score on public "
        "records, or keep the number. warnings.simplefilter('ignore', UnprotectedScoreWarning) silences "
        "this.",
        UnprotectedScoreWarning,
        stacklevel=stacklevel,
    )


def warn_of_callers(epsilon: float) -> None:
    """Look up the stack for what scikit-learn does with the same records beside this fit."""
    frames = list(_frames())
    again = {package for frame in frames if (package := _package(frame)) and package not in _FIT_ONCE}
    if again:
        advice = (
            ", and a score on held-out records is not private. Choose parameters and columns on public data "
            "instead, and fit one model."
            if again & {*_CHOOSE}
            else ". Give each a part of the epsilon that all may spend together, or fit one model."
        )
        warnings.warn(
            f"This fit is one of several on the same records: each spends epsilon={epsilon:g} anew{advice}",
            RepeatedSpendWarning,
            stacklevel=4,
        )
    learnt = dict.fromkeys(type(step).__name__ for frame in frames for step in _fitted_before(frame))
    if learnt:
        of_categories = [name for name in learnt if name in _ENCODERS]
        instead = (
            f" Instead of {of_categories[0]} pass a data frame, and the values that a column of text may "
            "have: categories={'city': ['Bern', 'Rome']}."
            if of_categories
            else ""
        )
        warnings.warn(
            f"{', '.join(learnt)}: fitted to the same records without noise, and may have learned from them, "
            f"which cannot be seen from here. epsilon={epsilon:g} covers nothing of what such a step learns, "
            "neither in it nor in the columns that come from it: leave it out, since the model finds every "
            "column's scale privately, or takes feature_bounds that you know. A step that learns nothing "
            f"does no harm, such as powers of columns, or a constant that you chose for gaps.{instead}",
            EarlierStepsWarning,
            stacklevel=4,
        )


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _package(frame: FrameType) -> str:
    """The package of scikit-learn that a frame runs in; nothing, if it is none of these."""
    package, _, rest = str(frame.f_globals.get("__name__", "")).partition(".")
    return rest.split(".")[0] if package == "sklearn" else ""


def _fitted_before(frame: FrameType) -> list[BaseEstimator]:
    """The steps that the method of this frame has fitted, if it is a pipeline's."""
    if frame.f_code.co_name != "fit" and not frame.f_code.co_name.startswith("fit_"):
        return []
    caller = frame.f_locals.get("self")
    if isinstance(caller, Pipeline):
        return [step for _, step in caller.steps[:-1] if _learns(step)]
    if isinstance(caller, TransformedTargetRegressor):
        return [caller.transformer] if _learns(caller.transformer) else []
    return []


def _learns(step: object) -> bool:
    """Whether a step may keep something of the records that it is fitted to; its tags may say no."""
    if isinstance(step, Pipeline):
        return any(_learns(each) for _, each in step.steps)
    return isinstance(step, BaseEstimator) and bool(get_tags(step).requires_fit)
