"""The picture of a table: an axis at every range, long names wrapped, one wide bar squashes nothing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas
import pytest
from matplotlib.figure import Figure

from relgauss.grouped import release_means, release_table
from relgauss.grouped.group_counts import GroupCounts
from relgauss.report import style
from relgauss.report.bars import Bars, axis_of, chosen_rows, draw_bars, wrapped
from relgauss.report.group_means import plot_group_means
from relgauss.report.table_picture import plot_table


def bars(estimate: list[float], width: list[float], usable: int) -> Bars:
    centre, half = np.array(estimate), np.array(width) / 2
    return Bars([f"group {n}" for n in range(len(estimate))], centre, centre - half, centre + half, usable)


@pytest.mark.parametrize(
    ("usable", "words"),
    [
        (2, "an arrow goes on"),
        (1, "below the line: of little use (1)"),
        (0, "goes on; all of little use"),
    ],
)
def test_a_legend_speaks_of_a_line_only_where_there_is_one(usable: int, words: str):
    assert bars([1.0, 2.0], [0.1, 0.1], usable).legend(2).endswith(words)


def labels(drawn: Bars) -> list[str]:
    """The numbers that the axis shows inside of its ends."""
    figure = Figure(figsize=(8, 4))
    axes = figure.add_subplot()
    draw_bars(axes, drawn)
    figure.canvas.draw()
    left, right = axes.get_xlim()
    ticks = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    return [label.get_text() for place, label in ticks if left <= place <= right and label.get_text()]


@pytest.mark.parametrize("scale", [1e-5, 1.0, 1e4, 1e9])
@pytest.mark.parametrize("spread", [1.0, 1.0001, 1.5, 30.0, 1e4, 1e9])
def test_the_axis_has_numbers_at_every_range(scale: float, spread: float):
    estimate = [scale, scale * spread]
    shown = labels(bars(estimate, [0.1 * each for each in estimate], 2))
    assert len(shown) >= 2
    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize("estimate", [[0.0, 0.0], [-5.0, 5.0], [-1e6, 3.0], [0.2, 0.6]])
def test_the_axis_has_numbers_on_both_sides_of_zero(estimate: list[float]):
    assert len(labels(bars(estimate, [0.1, 0.1], 2))) >= 2


def test_one_wide_bar_does_not_squash_the_rest():
    """Unusable or not, a bar that is a thousand times wider leaves the others most of the axis."""
    narrow = [100.0, 110.0, 120.0, 130.0, 140.0]
    for usable in (5, 6):
        left, right, _ = axis_of(bars([*narrow, 120.0], [4.0] * 5 + [1e6], usable))
        assert right - left < 4 * (140 - 100)
        assert left < 100 - 2
        assert right > 140 + 2


def test_groups_of_many_decades_get_a_logarithmic_axis():
    assert axis_of(bars([10.0, 1e5], [1.0, 1e4], 2))[2]
    assert not axis_of(bars([10.0, 20.0], [1.0, 1.0], 2))[2]
    assert not axis_of(bars([-10.0, 1e5], [1.0, 1.0], 2))[2]


def test_no_group_at_all_is_an_empty_picture():
    assert axis_of(bars([], [], 0)) == (0.0, 1.0, False)
    draw_bars(Figure().add_subplot(), bars([], [], 0))


def test_usable_groups_come_first_and_what_has_no_interval_is_left_out():
    estimate, nothing = np.array([1.0, 9.0, np.nan, 5.0]), np.full(4, np.nan)
    usable, sizes = np.array([True, False, False, True]), np.array([10, 20, 30, 40])
    assert chosen_rows(estimate, estimate - 1, estimate + 1, usable, sizes) == ([3, 0, 1], 2)
    assert chosen_rows(nothing, nothing, nothing, usable, sizes) == ([], 0)


def test_where_no_estimate_is_shown_none_is_drawn_and_the_bar_comes_last():
    estimate, sizes = np.array([np.nan, 1.0, 3.0, np.nan]), np.array([90, 20, 30, 99])
    ends, usable = (np.zeros(4), np.full(4, 10.0)), np.zeros(4, dtype=bool)
    rows, _ = chosen_rows(estimate, *ends, usable, sizes)
    assert rows == [2, 1, 3, 0]
    axes = Figure().add_subplot()
    draw_bars(axes, Bars(list("abcd"), estimate[rows], *ends, 0))
    marks = [point for line in axes.lines if line.get_marker() == "|" for point in line.get_xdata()]
    assert marks == [3.0, 1.0]
    nothing = Bars(["a"], np.full(1, np.nan), np.zeros(1), np.full(1, 8.0), 0)
    left, right, _ = axis_of(nothing)
    assert left < 0
    assert right > 8


def test_pictures_of_releases_show_no_estimate_and_no_size_that_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
):
    figures: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda figure, _file: figures.append(figure))
    frame = pandas.DataFrame({"job": ["many"] * 4_000 + ["some"] * 31, "pay": 5e4})
    known = {"by": "job", "epsilon": 0.2, "delta": 1e-6, "value_range": (1e3, 1e6)}
    means = release_means(frame, value="pay", rng=np.random.default_rng(2), **known)
    only = {"signs": "positive", "totals": False}
    table = release_table(frame, values={"pay": ["mean"]}, rng=np.random.default_rng(2), **known, **only)
    plot_group_means(means, Path("means.png"))
    counts = GroupCounts(np.array([4_000, 31]), np.array([3_900.0, 0.0]), np.array([4_100.0, 90.0]), True)
    plot_table(replace(table, counts=counts), Path("table.png"))
    names = [label.get_text() for label in figures[-1].axes[0].get_yticklabels()]
    assert names == ["many (about 4,000)", "some (0 to 90)"]
    assert means.columns()["flag"] == table.data()["pay_mean_flag"] == [None, "unknown"]
    assert means.columns()["estimate"][1] is None
    assert table.data()["pay_mean"][1] is None
    for figure in figures:
        (axes,) = figure.axes
        marks = [height for line in axes.lines if line.get_marker() == "|" for height in line.get_ydata()]
        assert marks == [0]
        assert len(axes.get_yticks()) == 2


def test_a_simulated_picture_says_so_once_and_not_in_every_name(monkeypatch: pytest.MonkeyPatch):
    figures: list[Figure] = []
    monkeypatch.setattr(style, "save", lambda figure, _file: figures.append(figure))
    frame = pandas.DataFrame({"job": ["many"] * 4_000 + ["some"] * 31, "pay": 5e4})
    known = {"by": "job", "epsilon": 2.0, "delta": 1e-6, "value_range": (1e3, 1e6)}
    rng = np.random.default_rng(2)
    table = release_table(frame, values={"pay": ["mean"]}, groups=["many", "some"], rng=rng, **known)
    plot_table(table, Path("table.png"))
    names = [label.get_text() for label in figures[0].axes[0].get_yticklabels()]
    assert names[0].startswith("many (about 4,0")
    assert not any("imulated" in name for name in names)
    assert "SIMULATED, not private" in figures[0].get_suptitle()


def test_long_names_are_wrapped_and_dollars_are_no_formula():
    lines = wrapped("recreation arts instructor " * 10 + "$x$").split("\n")
    assert len(lines) == 3
    assert max(map(len, lines)) <= 36
    assert wrapped("$5 $6") == r"\$5 \$6"
    assert "\x1b" not in wrapped("a\x1b[2Jb")
