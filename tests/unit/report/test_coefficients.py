"""The picture of a model: what it draws, in which order, and what it names."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize("kind", [PrivateRidge, PrivateLogisticRegression])
def test_without_intervals_nothing_has_the_colour_of_what_is_clear(
    kind: type, monkeypatch: pytest.MonkeyPatch
):
    labels = LABELS if kind is PrivateRidge else LABELS > 0
    model: Any = kind(0.3, random_state=0).fit(FEATURES[:3_000, :2], labels[:3_000])
    assert model.outcome_.no_intervals
    figure = drawn(model, monkeypatch, NAMES[:2])
    dots = [line for line in figure.axes[0].get_lines() if line.get_marker() == "o"]
    assert [len(dot.get_xdata()) for dot in dots if dot.get_color() == style.BLUE] == [0]
    assert [len(dot.get_xdata()) for dot in dots if dot.get_color() == style.GREY] == [2]
    assert "no intervals, so all are grey" in figure._supxlabel.get_text()


def test_what_is_0_or_1_goes_all_the_way(monkeypatch: pytest.MonkeyPatch):
    frame = pd.DataFrame({"size": FEATURES[:, 0], "town": np.where(FEATURES[:, 2] > 0, "a", "b")})
    frame = frame.assign(pool=FEATURES[:, 1] > 0)
    model = PrivateRidge(9.0, random_state=0, categories={"town": ["a", "b"]})
    model.fit(frame, LABELS + 12 * (frame.town == "b"))
    figure = drawn(model, monkeypatch, model.feature_names_in_.tolist())
    (axes,) = figure.axes
    assert ticks(axes)[:2] == ["town=b  0 → 1", "pool  0 → 1"]
    assert bands(axes)[0.0] == pytest.approx(tuple(model.intervals_[:, 1]))
    assert "half of its range, or from 0 to 1" in figure._supxlabel.get_text()


def test_two_classes_speak_of_the_second(monkeypatch: pytest.MonkeyPatch):
    model = PrivateLogisticRegression(3.0, random_state=0).fit(FEATURES, np.where(LABELS > 0, "yes", "no"))
    figure = drawn(model, monkeypatch)
    assert len(figure.axes) == 1
    assert "log-odds of yes" in figure._supxlabel.get_text()


def test_a_constant_and_many_features_are_said_to_be_so(monkeypatch: pytest.MonkeyPatch):
    with pytest.warns(UserWarning, match="too few"):
        constant = PrivateRidge(random_state=0).fit(FEATURES[:50], LABELS[:50])
    figure = drawn(constant, monkeypatch)
    assert "degraded to a constant" in figure._supxlabel.get_text()
    assert not figure.axes
    told = " ".join(text.get_text() for text in figure.texts)
    assert f"whatever the features: constant {constant.intercept_:.6g}" in told
    assert "too few" in told
    monkeypatch.setattr(coefficients, "_MOST_ROWS", 2)
    model = PrivateRidge(3.0, random_state=0).fit(FEATURES, LABELS)
    figure = drawn(model, monkeypatch)
    assert len(ticks(figure.axes[0])) == 2
    assert "1 smaller ones are not drawn" in figure._supxlabel.get_text()
