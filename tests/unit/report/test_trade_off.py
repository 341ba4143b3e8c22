"""The picture of what tests for a record can find."""

import pytest

import relgauss as rg
from relgauss.report import trade_off
from relgauss.report.question import Question

QUESTION = Question(3, 2.0, 1e-6, 1, None)


@pytest.fixture
def axes(tmp_path, monkeypatch):
    """The axes of a picture of two mechanisms, and the file."""
    figures = []
    monkeypatch.setattr(trade_off.style, "save", lambda figure, file: figures.append(figure))
    parts = {"weak": rg.GaussianDP(0.4), "$strong$": rg.GaussianDP(0.1)}
    trade_off.plot_trade_off(parts, QUESTION, tmp_path / "guesses.png")
    return figures[0].axes[0]


def curve(axes, label: str):
    (line,) = (each for each in axes.get_lines() if str(each.get_label()).startswith(label))
    return line.get_xdata(), line.get_ydata()


def test_curves_lie_between_blind_guesses_and_what_the_target_rules_out(axes):
    rates, blind = curve(axes, "blind")
    _, weak = curve(axes, "weak")
    _, strong = curve(axes, r"\$strong\$")
    allowed = [trade_off._allowed(rate, QUESTION) for rate in rates]
    assert (blind <= strong).all()
    assert (strong <= weak).all()
    assert (weak <= [each * (1 + 1e-9) for each in allowed]).all()


def test_the_legend_reads_the_curve_at_one_percent(axes):
    labels = [str(each.get_label()) for each in axes.get_lines()]
    assert "weak: 2.71 % at 1 %" in labels


def test_the_picture_is_written(tmp_path):
    trade_off.plot_trade_off({"one": rg.GaussianDP(0.2)}, QUESTION, tmp_path / "guesses.svg")
    assert (
        "ruled out by" in (tmp_path / "guesses.svg").read_text(encoding="utf-8")
        or (tmp_path / "guesses.svg").stat().st_size > 1000
    )
