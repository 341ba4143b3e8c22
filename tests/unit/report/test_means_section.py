"""Means on a page: words for people, no estimate where nothing is known, nothing of a name is markup."""

import numpy as np
import pandas
import pytest

from relgauss.grouped import release_means
from relgauss.report.means_section import means_section


@pytest.fixture(scope="module")
def html() -> str:
    sizes = {"<b>many": 4_000, "some": 31, "one": 1}
    frame = pandas.DataFrame({"job": np.repeat(list(sizes), list(sizes.values())), "pay": 5e4})
    known = {"epsilon": 0.2, "delta": 1e-6, "value_range": (1e3, 1e6), "rng": np.random.default_rng(2)}
    return means_section(release_means(frame, by="job", value="pay", **known)).body


def row(html: str, group: str) -> list[str]:
    """The cells of a group."""
    line = next(each for each in html.split("<tr>") if f"<td>{group}</td>" in each)
    return [each.split(">")[-1] for each in line.split("</td>")[:-1]]


def test_a_group_that_is_known_has_a_mean_an_interval_and_a_yes(html: str):
    _, size, mean, interval, use = row(html, "&lt;b&gt;many")
    low, high = (float(each.replace(",", "")) for each in interval.split(" to "))
    assert (size, use) == ("4,000", "yes")
    assert low < float(mean.replace(",", "")) < high


def test_where_nothing_is_known_no_number_stands_and_the_reason_is_said(html: str):
    assert row(html, "one")[2:] == ["-", "-", "too small"]
    assert "too small: the group is too small at this budget" in html
    assert row(html, "some")[2:] == ["-", "0 to 1,000,000", "unknown"]
    assert "unknown: the mean or quantile may lie anywhere" in html
    assert "95 % each" in html
