"""Pages: nothing from outside, nothing in a name is markup, the promise in words and numbers."""

import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import relgauss as rg
from relgauss.accounting import true_positive_rate
from relgauss.budget.guesses import percent_at_most
from relgauss.errors import UnwrittenError
from relgauss.report.page import Section, page, paragraph, table, write_page
from relgauss.report.page_privacy import in_plain_words, privacy_sections
from relgauss.report.wording import percent


class Tags(HTMLParser):
    """Every tag that is opened, and whether all are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.attributes: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


def statement(simulated: bool = False) -> rg.PrivacyStatement:
    conditions = (rg.Condition("<b>bold</b> claims", "assumed"), rg.Condition("clipped", "enforced"))
    charges = (
        rg.Charge("ranges", rg.GaussianDP(0.1), "proofs/regression.md", conditions),
        rg.Charge("gradients", rg.GaussianDP(0.05), "proofs/regression.md", (), 20),
    )
    return rg.PrivacyStatement(charges, 1e-6, simulated=simulated)


def test_a_page_is_whole_and_asks_nothing_from_outside():
    html = page("A title", in_plain_words(statement()), privacy_sections(statement()))
    tags = Tags(html)
    assert not {"script", "link", "img", "iframe"} & set(tags.opened)
    assert not {"src", "href", "onload"} & set(tags.attributes)
    assert not re.search(r"https?:|url\(|@import", html)
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", '"><img src=x>', "a\u202eb", "\x1b[31m"])
def test_a_name_from_a_table_is_no_markup(name: str):
    html = page(name, name, [Section(name, paragraph(name) + table((name, "n"), [(name, 1)]))])
    assert not {"script", "img"} & set(Tags(html).opened)
    assert name not in html


def test_the_membership_guess_is_the_accountant_s():
    html = "".join(section.body for section in privacy_sections(statement()))
    for rate in (0.01, 0.1):
        assert percent_at_most(true_positive_rate(statement(), rate)) in html


@pytest.mark.parametrize("mu", [0.01, 0.124, 0.7, 1.7, 9.0])
def test_the_guesses_of_a_page_are_no_less_than_they_are(mu: float):
    """Phi(mu/2) of a Gaussian, which rounding to the nearest number would undercut."""
    spent = rg.PrivacyStatement((rg.Charge("all", rg.GaussianDP(mu), "proofs/composition.md"),), 1e-6)
    said = float(in_plain_words(spent).split("right in at most ")[1].split(" %")[0])
    exact = 50 * (1 + math.erf(mu / 2 / math.sqrt(2)))
    assert exact - 1e-9 <= said <= exact + 0.11
    html = "".join(section.body for section in privacy_sections(spent))
    for rate in (0.01, 0.1):
        shown = re.search(rf">{percent(rate)}</td><td>([0-9.]+) %<", html)
        assert shown is not None
        assert float(shown[1]) >= 100 * true_positive_rate(spent, rate) - 1e-9


def test_stages_are_shown_by_their_share_of_the_squared_loss():
    html = "".join(section.body for section in privacy_sections(statement()))
    assert percent(0.01 / 0.06) in html
    assert percent(0.05 / 0.06) in html


def test_a_simulated_release_says_so_first():
    assert in_plain_words(statement(simulated=True)).startswith("SIMULATED")


def test_a_statement_without_charges_or_with_no_bound_has_a_page():
    nothing = rg.PrivacyStatement((), 1e-6)
    boundless = rg.PrivacyStatement((rg.Charge("all", rg.Failure(0.5), "proofs/composition.md"),), 1e-6)
    for each in (nothing, boundless):
        Tags(page("t", in_plain_words(each), privacy_sections(each)))


def test_a_curve_ends_where_deltas_tell_nobody_anything():
    pure = rg.PrivacyStatement((rg.Charge("all", rg.GaussianDP(3.0), "proofs/composition.md"),), 1e-6)
    powers = [int(each) for each in re.findall(r">1e-(\d+)<", privacy_sections(pure)[-1].body)]
    assert 6 < max(powers) <= 30


def test_the_unit_of_a_ledger_is_said_in_words():
    row = rg.PrivacyStatement((), 1e-6, unit="row")
    assert "<dd>One row is one person.</dd>" in privacy_sections(row)[0].body


def test_a_page_replaces_nothing_unasked(tmp_path: Path):
    write_page(tmp_path / "a.html", "one", replace=False)
    with pytest.raises(UnwrittenError):
        write_page(tmp_path / "a.html", "two", replace=False)
    write_page(tmp_path / "a.html", "three", replace=True)
    assert (tmp_path / "a.html").read_text() == "three"
