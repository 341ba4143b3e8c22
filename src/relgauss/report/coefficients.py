"""The picture behind ``relgauss fit``: how far each feature moves the prediction."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from relgauss.report import style
from relgauss.report.wording import in_picture, number

if TYPE_CHECKING:
    from relgauss.linear_model import PrivateRidge

_MOST_ROWS = 40
_MOST_NAMED = 5  # of the ignored


def plot_coefficients(model: PrivateRidge, names: list[str], target: str, file: Path) -> None:
    """Draw coefficient times half-width, with its 95 % interval, the largest on top.

    So features of unlike units compare.
    """
    from relgauss.linear_model import Degraded

    outcome = model.outcome_
    widths = np.zeros(len(names)) if isinstance(outcome, Degraded) else np.asarray(outcome.half_widths)
    effects = model.coef_ * widths
    rows = np.argsort(-np.abs(effects), kind="stable")[:_MOST_ROWS]
    figure = style.new_figure(7.6, 1.6 + 0.24 * max(len(rows), 4))
    axes = figure.add_subplot()
    heights = np.arange(len(rows))
    axes.axvline(0, color=style.GREY, linewidth=1)
    axes.hlines(heights, 0, effects[rows], color=style.BLUE, linewidth=3)
    axes.plot(effects[rows], heights, "o", color=style.BLUE, markersize=5)
    low, high = model.intervals_[:, :-1] * widths  # NaN, and not drawn, where there is none
    axes.hlines(heights, low[rows], high[rows], color=style.BLACK, linewidth=1)
    axes.set_yticks(heights, [in_picture(names[row]) for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    plain = in_picture(target)
    axes.set_xlabel(f"change of {plain} from the middle of a feature's range to its end, 95 % interval")
    style.tidy(axes)
    axes.tick_params(axis="y", length=0, labelsize=9)
    mark = "SIMULATED, not private: " if model.privacy_.simulated else ""
    figure.suptitle(f"{mark}what moves {plain}", x=0.01, ha="left", fontsize=12, fontweight="bold")
    note = f"ε = {number(model.privacy_.epsilon())}, δ = {number(model.privacy_.delta)}"
    if isinstance(outcome, Degraded):
        note += "; degraded to a constant"
    elif outcome.ignored:
        note += "; no spread seen: " + ", ".join(
            in_picture(names[row]) for row in outcome.ignored[:_MOST_NAMED]
        )
        note += " …" if len(outcome.ignored) > _MOST_NAMED else ""
    figure.supxlabel(note, color=style.GREY, fontsize=8)
    style.save(figure, file)
