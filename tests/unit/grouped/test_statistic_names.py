"""Names of statistics: what they mean, and what is offered for other words."""

import pytest

from relgauss.errors import InvalidParameterError
from relgauss.grouped.statistic_names import check_statistic, quantile_level


def test_levels():
    levels = {"median": 0.5, "q5": 0.05, "q90": 0.9, "q97.5": 0.975, "q00.25": 0.0025}
    for name, level in levels.items():
        assert quantile_level(name) == pytest.approx(level)
        assert check_statistic(name, leaves_out_missing=True) == name
    for name in ("mean", "q0", "q100", "Q5", "p5"):
        assert quantile_level(name) is None


@pytest.mark.parametrize(
    ("written", "fix"),
    [
        ("avg", "Write mean;"),
        ("Average", "Write mean;"),
        ("Mean", "Write mean;"),
        ("stddev", "Write std;"),
        ("variance", "Write std, its root;"),
        ("p95", "Write q95;"),
        ("p50", "Write median;"),
        ("q0.9", "Write q90: levels are in per cent. For 0.9 % write q00.9."),
        ("q.25", "Write q25: levels are in per cent."),
        ("min", "Write q1, the extreme is one person's value;"),
        ("nulls", "Write missing;"),
        ("mode", "Choose from count, sum, mean,"),
        ("q0.0", "Choose from count, sum, mean,"),
    ],
)
def test_other_words_are_told_what_to_write(written: str, fix: str):
    with pytest.raises(InvalidParameterError, match="the name of a statistic") as refused:
        check_statistic(written, leaves_out_missing=True)
    assert fix in str(refused.value)


def test_a_share_of_missing_values_needs_that_they_are_left_out():
    with pytest.raises(InvalidParameterError, match="leave out"):
        check_statistic("missing", leaves_out_missing=False)
