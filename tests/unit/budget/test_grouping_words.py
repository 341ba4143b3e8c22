"""Words for groups by columns: what they name, and what covers what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.budget.grouping_words import FIRST_DECIDES, covers, grouping_columns, within_groups
from relgauss.budget.statement import REPLACE_ONE
from relgauss.errors import InvalidParameterError, NoGuaranteeError

COLUMNS = st.frozensets(st.text(max_size=8), min_size=1, max_size=3)


@given(COLUMNS)
def test_the_columns_are_read_back_whatever_their_names(columns):
    words = within_groups(columns)
    assert grouping_columns(words) == columns
    assert words.isprintable()  # a name with a line break makes no second line


@given(COLUMNS, COLUMNS)
def test_fewer_columns_cover_more(mine, others):
    assert covers(within_groups(mine), within_groups(mine | others))
    assert covers(within_groups(mine), within_groups(others)) == (mine <= others)


def test_other_words_name_no_columns():
    plain = "one record replaced by another of the same group; groups and their sizes are public"
    broken = within_groups(["job"]).replace("'job'", "__import__('os')")
    for words in (plain, FIRST_DECIDES, REPLACE_ONE, "", broken):
        assert grouping_columns(words) is None
        assert not covers(words, within_groups(["job"]))
    assert covers(within_groups(["job"]), FIRST_DECIDES)
    assert not covers(within_groups(["job"]), plain)


def test_statements_by_unlike_columns_do_not_add():
    charge = rg.Charge("means", rg.GaussianDP(0.1), "proofs/x")
    by_job, by_region = (
        rg.PrivacyStatement((charge,), 1e-6, neighbours=within_groups([column]))
        for column in ("job", "region")
    )
    assert (by_job + by_job).epsilon() > by_job.epsilon()
    with pytest.raises(NoGuaranteeError, match="neighbours"):
        by_job + by_region
    for parts in ((by_job, by_region), ((by_job, 2), (by_region, 3)), (((by_job, 2), 2), by_region)):
        with pytest.raises(NoGuaranteeError, match="unlike neighbours"):
            rg.compose(*parts)


def test_groups_are_about_replaced_records():
    added = rg.Charge("means", rg.GaussianDP(0.1, "add-or-remove"), "proofs/x")
    with pytest.raises(InvalidParameterError, match="neighbours"):
        rg.PrivacyStatement((added,), 1e-6, neighbours=within_groups(["job"]))
