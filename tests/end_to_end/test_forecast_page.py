"""The page of a forecast in a browser: the sliders move the table, the picture and the command."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from relgauss.forecast import forecast_fit, forecast_means, forecast_table
from relgauss.forecast.words import share_text
from relgauss.report.forecast_page import fit_page, means_page, table_page

from .browser import Browser, programs, started

pytestmark = pytest.mark.skipif(programs() is None, reason="needs chromium and chromedriver")

LEFT, RIGHT = "\ue012", "\ue014"  # keys, as WebDriver writes them
NAME = "</script><script>document.title='broken'</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with started(tmp_path_factory.mktemp("browser"), width=1000, height=1400) as browser:
        yield browser


def written(folder: Path, html: str) -> Path:
    file = folder / "page.html"
    file.write_text(html, encoding="utf-8")
    return file


def cells(browser: Browser) -> list[list[str]]:
    script = "return [...document.querySelectorAll('#expected tbody tr')]"
    return browser.run(script + ".map((row) => [...row.children].map((cell) => cell.textContent))")


def test_the_table_and_the_command_follow_the_slider(browser: Browser, tmp_path: Path):
    sizes = {NAME: 900, "pilot": 60, "judge": 7}
    forecast = forecast_means(sizes, epsilon=1.0, delta=1e-6, value_range=(1e3, 1e6))
    browser.open(written(tmp_path, means_page(forecast, NAME, f"relgauss means '{NAME}' --by job")))
    assert browser.run("return document.title") == NAME
    static = [[share_text(forecast.error[row]), forecast.interval_text(row)] for row in range(3)]
    assert static[2][1] == "whole range"
    assert [row[2:4] for row in cells(browser)] == static  # the script computes what Python does
    before = cells(browser)
    browser.press("#epsilon", RIGHT * 12)
    epsilon = browser.text("#epsilon-now")
    assert float(epsilon) > 2
    better = forecast.at(float(epsilon))
    assert cells(browser) != before
    assert [row[4] for row in cells(browser)] == ["yes" if each else "no" for each in better.usable]
    assert cells(browser)[0][3] == share_text(better.width[0])
    assert browser.text("#command") == f"relgauss means '{NAME}' --by job --epsilon {epsilon} --delta 1e-6"
    assert f"usable from {better.smallest_usable} rows on" in browser.text("#summary")
    browser.press("#delta", LEFT)
    assert browser.text("#delta-now") == "1e-5"
    assert browser.run("return document.querySelectorAll('#picture polyline, #picture circle').length") == 2
    assert browser.errors() == []


def test_the_table_follows_the_statistic_that_is_chosen(browser: Browser, tmp_path: Path):
    asked = {"pay": ["mean", "q90"], NAME: "zeros"}
    weights = {"pay": 3.0, NAME: 1.0}
    known = {"value_range": (1e3, 1e6), "zeros": 0.2, "weights": weights}
    forecast = forecast_table([3_000, 60], values=asked, epsilon=1.0, delta=1e-6, **known)
    browser.open(written(tmp_path, table_page(forecast, "Table", "relgauss table FILE")))
    choose = (
        "const s = document.querySelector('#statistic'); s.value = '{}'; s.dispatchEvent(new Event('change'))"
    )
    for place, each in enumerate(forecast.statistics.values()):
        browser.run(choose.format(place))
        found = [[share_text(each.error[row]), each.interval_text(row)] for row in range(2)]
        assert [row[2:4] for row in cells(browser)] == found
        assert [row[4] for row in cells(browser)] == ["yes" if usable else "no" for usable in each.usable]
    browser.press("#epsilon", RIGHT * 12)
    better = forecast.at(float(browser.text("#epsilon-now")))[NAME, "zeros"]
    assert cells(browser)[0][3] == share_text(better.width[0])
    assert browser.run("return document.title") == "Table"
    assert browser.errors() == []


def test_a_fit_degrades_as_the_slider_goes_down(browser: Browser, tmp_path: Path):
    forecast = forecast_fit(4_000, 3, epsilon=1.0, delta=1e-6)
    browser.open(written(tmp_path, fit_page(forecast, "Fit", "relgauss fit FILE --target y")))
    assert "A model is likely" in browser.text("#summary")
    assert cells(browser)[0][3] == share_text(forecast.width)
    browser.press("#epsilon", LEFT * 60)
    assert browser.text("#epsilon-now") == "0.05"
    assert "Degraded" in browser.text("#summary")
    assert cells(browser)[0][3] == "-"
    assert browser.errors() == []


@pytest.mark.parametrize("make", [means_page, fit_page], ids=["means", "fit"])
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, tmp_path: Path, make: Callable[..., Any]):
    budget = {"epsilon": 1.0, "delta": 1e-6}
    made = (
        forecast_means([50], value_range=(1, 4), **budget)
        if make is means_page
        else forecast_fit(900, 1, **budget)
    )
    browser.open(
        written(tmp_path, make(made, "A long title of a forecast " * 4, "relgauss means " + "x" * 200))
    )
    browser.run("document.body.style.width = '340px'")
    assert browser.run("return document.querySelector('main').scrollWidth") <= 341
