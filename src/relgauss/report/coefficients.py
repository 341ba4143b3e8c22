"""The picture behind ``relgauss fit``: how far each feature moves the prediction."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.records.columns import zero_or_one_by_rules
from relgauss.report import style
from relgauss.report.predicted_constant import predicted_constant
from relgauss.report.wording import in_picture, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from relgauss.linear_model.saved import Model

_MOST_ROWS = 40
_MOST_NAMED = 5  # of the ignored
_MOST_PANELS = 6  # of the classes
_LONGEST, _LONGEST_LINE = 32, 90  # letters of a name, of a line
_HALF_A_STEP = 0.5  # half of the range from 0 to 1


def plot_coefficients(model: Model, names: list[str], target: str, file: Path) -> None:
    """Draw coefficient times half-width, with its 95 % interval, the largest on top.

    So features of unlike units compare: each grows by half of its range, or from 0 to 1 if it is nothing
    else, and moves the target in the target's own unit, or log-odds. Of more than two classes each has a
    panel. Of a constant there is nothing to draw, and it is said what it is.
    """
    from relgauss.linear_model import Degraded

    outcome = model.outcome_
    if isinstance(outcome, Degraded):
        _draw_constant(model, target, outcome.reason, file)
        return
    are_steps = _are_steps(model, names)
    widths = np.where(are_steps, 1.0, outcome.half_widths)
    effects = (np.atleast_2d(model.coef_) * widths)[:_MOST_PANELS]
    low, high = (
        end.reshape(-1, len(names) + 1)[:_MOST_PANELS, :-1] * widths for end in model.intervals_
    )  # NaN, and not drawn, where there is none
    order = np.argsort(-np.abs(effects).max(axis=0), kind="stable")
    rows = np.array([row for row in order if row not in outcome.ignored][:_MOST_ROWS], dtype=np.intp)
    figure = style.new_figure(5.0 + 2.6 * len(effects), 1.9 + 0.27 * max(len(rows), 4))
    panels = figure.subplots(1, len(effects), sharex=True, sharey=True, squeeze=False)[0]
    for panel, axes in enumerate(panels):
        _draw(axes, effects[panel][rows], low[panel][rows], high[panel][rows])
        if len(panels) > 1:
            axes.set_title(in_picture(model.classes_[panel]), loc="left", fontsize=10)
    panels[0].set_yticks(
        np.arange(len(rows)), [_tick(names[row], widths[row], is_step=are_steps[row]) for row in rows]
    )
    panels[0].set_ylim(max(len(rows), 1) - 0.4, -0.6)
    figure.suptitle(_title(model, target), x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.supxlabel(_note(model, names, target, len(rows)), color=style.GREY, fontsize=8)
    style.save(figure, file)


def _draw_constant(model: Model, target: str, reason: str, file: Path) -> None:
    """What a constant predicts, and why it is one, in words."""
    shown = [f"{in_picture(name)} {value}" for name, value in predicted_constant(model).items()]
    more = f" and {len(shown) - _MOST_PANELS} more" if len(shown) > _MOST_PANELS else ""
    told = (
        f"Nothing that can be seen. Predicted whatever the features: {', '.join(shown[:_MOST_PANELS])}{more}."
    )
    lines = [*wrap(told, _LONGEST_LINE), *wrap(in_picture(reason), _LONGEST_LINE)]
    figure = style.new_figure(7.6, 1.0 + 0.2 * len(lines))
    figure.text(0.01, 0.5, "\n".join(lines), va="center", fontsize=10)
    figure.suptitle(_title(model, target), x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.supxlabel(f"{_cost(model)}; degraded to a constant", color=style.GREY, fontsize=8)
    style.save(figure, file)


def _are_steps(model: Model, names: list[str]) -> NDArray[np.bool_]:
    """Which features are 0 or 1 by the rules that they were read by, and neither is cut off."""
    by_rule = zero_or_one_by_rules(getattr(model, "reading_", None))
    half_widths = np.asarray(getattr(model.outcome_, "half_widths", ()))
    are_by_rule = np.array([name in by_rule for name in names])
    return np.asarray(are_by_rule & (half_widths == _HALF_A_STEP), dtype=bool)


def _draw(axes: Axes, effects: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """A point and its interval for each row; grey where the interval holds zero, or is not known."""
    heights = np.arange(len(effects))
    axes.axvline(0, color=style.GREY, linewidth=1)
    is_clear: NDArray[np.bool_] = (low > 0) | (high < 0)
    for colour, which in ((style.BLUE, is_clear), (style.GREY, ~is_clear)):
        axes.hlines(heights[which], 0, effects[which], color=colour, linewidth=1.2)
        axes.plot(effects[which], heights[which], "o", color=colour, markersize=4.5)
        axes.hlines(heights[which], low[which], high[which], color=colour, linewidth=6, alpha=0.35)
    style.tidy(axes)
    axes.tick_params(axis="y", length=0, labelsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.margins(x=0.08)
    axes.locator_params(axis="x", nbins=6)
    axes.xaxis.set_major_formatter("{x:,g}")


def _tick(name: str, width: float, *, is_step: bool) -> str:
    """What a feature is called, and by how much it grows."""
    shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    grows = "0 → 1" if is_step else f"+{number(float(f'{width:.3g}'))}"
    return f"{in_picture(shown)}  {grows}"


def _title(model: Model, target: str) -> str:
    mark = "SIMULATED, not private: " if model.privacy_.simulated else ""
    return f"{mark}what moves {in_picture(target)}"


def _note(model: Model, names: list[str], target: str, shown: int) -> str:
    """What the axis means, what it cost, and which features are not there."""
    from relgauss.linear_model import Fitted, PrivateRidge

    plain, outcome = in_picture(target), model.outcome_
    assert isinstance(outcome, Fitted)
    what = f"change of {plain}"
    if not isinstance(model, PrivateRidge):
        what = f"change of the log-odds of {in_picture(model.classes_[-1])}"
        if len(model.classes_) > 2:
            what = "change of each class's score"
    step = ", or from 0 to 1" if _are_steps(model, names).any() else ""
    axis = f"{what} when a feature grows as written: half of its range{step}"
    if np.isfinite(model.standard_errors_).any():
        axis += "\nband: 95 % interval, grey if it holds 0 or is not known"
        if outcome.robust_beyond is not None:
            axis += f"; for a robust line, records at most {outcome.robust_beyond:.3g} off it"
    cost = _cost(model)
    if outcome.ignored:
        listed = ", ".join(in_picture(names[row]) for row in outcome.ignored[:_MOST_NAMED])
        cost += f"; no spread seen: {listed}{' …' if len(outcome.ignored) > _MOST_NAMED else ''}"
    if outcome.no_intervals:
        axis += f"\nno intervals, so all are grey: {outcome.no_intervals}"
    left_out = len(names) - len(outcome.ignored) - shown
    if left_out:
        cost += f"; {left_out:,} smaller ones are not drawn"
    hidden = len(getattr(model, "classes_", ())) - _MOST_PANELS
    if hidden > 0:
        cost += f"; {hidden} classes are not drawn"
    return f"{axis}\n{cost}"


def _cost(model: Model) -> str:
    return f"ε = {number(model.privacy_.epsilon())}, δ = {number(model.privacy_.delta)}"
