"""The picture of a model: what it draws, in which order, and what it names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge
from relgauss.report import coefficients, style
from relgauss.report.coefficients import plot_coefficients

N = 6_000
RNG = np.random.default_rng(0)
FEATURES = np.column_stack([RNG.normal(size=N), 1000 * RNG.normal(size=N), RNG.normal(size=N), np.ones(N)])
LABELS = FEATURES @ [1.0, 0.004, 0.0, 0.0] + RNG.normal(size=N)
NAMES = ["small $unit$", "large unit", "no effect", "no spread"]


def drawn(model: Any, monkeypatch: pytest.MonkeyPatch, names: list[str] = NAMES, target: str = "pay") -> Any:
    figures: list[Any] = []
    monkeypatch.setattr(style, "save", lambda figure, file: figures.append(figure))
    plot_coefficients(model, names, target, Path("unused.png"))
    figures[0].draw_without_rendering()
    return figures[0]


def ticks(axes: Any) -> list[str]:
    return [tick.get_text() for tick in axes.get_yticklabels()]


def bands(axes: Any) -> dict[float, tuple[float, float]]:
    """The intervals, by the height that each is drawn at."""
    found = {}
    for lines in axes.collections:
        for segment in lines.get_segments() if lines.get_linewidth()[0] == 6 else []:
            found[segment[0, 1]] = segment[0, 0], segment[1, 0]
    return found


def test_steps_of_unlike_units_are_sorted_with_intervals_in_the_labels_unit(monkeypatch: pytest.MonkeyPatch):
    model = PrivateRidge(3.0, random_state=0).fit(FEATURES, LABELS)
    figure = drawn(model, monkeypatch)
    (axes,) = figure.axes
    first, second, third = ticks(axes)
    assert first.startswith("large unit  +")
    assert second.startswith(r"small \$unit\$  +")
    assert third.startswith("no effect  +")
    step = model.outcome_.half_widths[1]
    low, high = bands(axes)[0.0]
    assert (low, high) == pytest.approx(tuple(model.intervals_[:, 1] * step))
    note = figure._supxlabel.get_text()
    assert "change of pay" in note
    assert "no spread seen: no spread" in note
    assert figure._suptitle.get_text() == "SIMULATED, not private: what moves pay"


def test_every_class_has_a_panel_on_one_scale(monkeypatch: pytest.MonkeyPatch):
    classes = np.digitize(LABELS + 5 * np.random.default_rng(1).normal(size=N), [-2.0, 2.0])
    model = PrivateLogisticRegression(3.0, random_state=0, classes=[0, 1, 2]).fit(FEATURES, classes)
    panels = drawn(model, monkeypatch).axes
    assert [each.get_title(loc="left") for each in panels] == ["0", "1", "2"]
    assert len({each.get_xlim() for each in panels}) == 1
    low, high = bands(panels[2])[0.0]
    assert low < model.coef_[2, 1] * model.outcome_.half_widths[1] < high


def test_two_classes_speak_of_the_second(monkeypatch: pytest.MonkeyPatch):
    model = PrivateLogisticRegression(3.0, random_state=0).fit(FEATURES, np.where(LABELS > 0, "yes", "no"))
    figure = drawn(model, monkeypatch)
    assert len(figure.axes) == 1
    assert "log-odds of yes" in figure._supxlabel.get_text()


def test_a_constant_and_many_features_are_said_to_be_so(monkeypatch: pytest.MonkeyPatch):
    with pytest.warns(UserWarning, match="too few"):
        constant = PrivateRidge(random_state=0).fit(FEATURES[:50], LABELS[:50])
    assert "degraded to a constant" in drawn(constant, monkeypatch)._supxlabel.get_text()
    monkeypatch.setattr(coefficients, "_MOST_ROWS", 2)
    model = PrivateRidge(3.0, random_state=0).fit(FEATURES, LABELS)
    figure = drawn(model, monkeypatch)
    assert len(ticks(figure.axes[0])) == 2
    assert "1 smaller ones are not drawn" in figure._supxlabel.get_text()
