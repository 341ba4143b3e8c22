"""Numbers as people read them: no exponent where there is next to nothing."""

import pytest

from relgauss.report.wording import counted, percent


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0 %"),
        (1e-12, "below 0.0001 %"),
        (9.9e-7, "below 0.0001 %"),
        (1e-6, "0.0001 %"),
        (0.00114, "0.11 %"),
        (0.0995, "10 %"),
        (17.1, "1,710 %"),
        (3.2e7, "3.2e+09 %"),
    ],
)
def test_a_share_has_two_digits_that_matter(share: float, words: str):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 entries"), (1, "one entry"), (2, "2 entries"), (1234, "1,234 entries")]
)
def test_one_of_a_thing_is_not_several(number: int, words: str):
    assert counted(number, "entry", "entries") == words
    assert counted(number, "row") == words.replace("entries", "rows").replace("entry", "row")
