"""Only like promises add up in a ledger."""

import pytest

import relgauss as rg
from relgauss.budget.grouping_words import within_groups
from relgauss.budget.statement import ONE_PERSON, ONE_ROW, REPLACE_ONE
from relgauss.errors import (
    NoGuaranteeError,
)
from relgauss.ledger import Ledger
from relgauss.ledger.promise import NEIGHBOURS

from .spends import SAME_GROUP, statement


def test_unlike_units_and_neighbours_are_refused(ledger):
    with pytest.raises(NoGuaranteeError, match=r"unit 'row'.*one person.*ledger init FILE --unit person`"):
        ledger.reserve(statement(0.1, unit=ONE_PERSON))
    ledger.reserve(statement(0.1))  # the first decides on neighbours
    with pytest.raises(NoGuaranteeError, match="keeps apart less"):
        ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    assert len(ledger.state().spends) == 1


@pytest.mark.parametrize(
    ("first", "second", "fix"),
    [
        (ONE_ROW, ONE_PERSON, "release without person="),
        (ONE_PERSON, ONE_ROW, r"\(person=COLUMN\), as before"),
    ],
)
def test_persons_have_one_row_or_all_of_them_but_not_both(tmp_path, first, second, fix):
    ledger = Ledger.create(tmp_path / "p", dataset="visits", unit="person", epsilon=1, delta=1e-6)
    ledger.add_outside((0.01, 0.0), "a survey")  # for the ledger's own unit
    ledger.reserve(statement(0.05, unit=first))
    with pytest.raises(NoGuaranteeError, match=rf"{fix}.* its budget comes on top"):
        ledger.reserve(statement(0.05, unit=second))
    with pytest.raises(NoGuaranteeError, match="protects another"):
        ledger.reserve(statement(0.05, unit="household"))
    ledger.reserve(statement(0.05, unit=first))
    assert len(ledger.state().spends) == 3


def test_neighbours_have_short_words(tmp_path):
    for word, said in NEIGHBOURS.items():
        given = {"dataset": "x", "unit": "row", "epsilon": 1, "delta": 1e-6, "neighbours": word}
        assert Ledger.create(tmp_path / word, **given).state().neighbours == said
    table = Ledger.open(tmp_path / "replace-one")
    with pytest.raises(NoGuaranteeError, match="neighbours='within groups'"):
        table.reserve(statement(0.1, neighbours=SAME_GROUP))


def test_a_promise_that_covers_more_counts_where_less_is_promised(tmp_path):
    ledger = Ledger.create(
        tmp_path / "a", dataset="pay", unit="row", epsilon=1, delta=1e-6, neighbours=SAME_GROUP
    )
    ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    ledger.reserve(statement(0.1, neighbours=REPLACE_ONE))
    assert ledger.statement().neighbours == SAME_GROUP
    assert len(ledger.statement().charges) == 2


def test_added_records_and_replaced_ones_are_kept_apart(ledger, tmp_path):
    added = rg.GaussianDP(0.05, "add-or-remove")
    ledger.reserve(statement(0.1))
    with pytest.raises(NoGuaranteeError, match="keeps apart less, or others"):
        ledger.add_outside(added, "sampled training")
    other = Ledger.create(tmp_path / "added", dataset="pay", unit="row", epsilon=1, delta=1e-6)
    other.add_outside(added, "sampled training")
    other.add_outside((0.01, 0.0), "a count")  # taken as what the ledger is for
    with pytest.raises(NoGuaranteeError, match="keeps apart"):
        other.reserve(statement(0.1))
    assert len(other.statement().charges) == 2


def test_a_number_from_outside_does_not_decide_on_neighbours(ledger):
    ledger.add_outside((0.01, 0.0), "a survey")
    assert ledger.state().neighbours is None
    ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    assert ledger.state().neighbours == SAME_GROUP


def test_groups_by_other_columns_are_another_promise(tmp_path, ledger):
    by_region, by_both = within_groups(["region"]), within_groups(["region", "job"])
    ledger.reserve(statement(0.1, neighbours=SAME_GROUP))  # decides
    for words in (by_region, by_both):
        with pytest.raises(NoGuaranteeError, match=r"keeps apart less, or others.*by 'job', 'region'"):
            ledger.reserve(statement(0.1, neighbours=words))
    given = {"dataset": "x", "unit": "row", "epsilon": 1, "delta": 1e-6, "neighbours": by_both}
    both = Ledger.create(tmp_path / "both", **given)
    for words in (by_region, SAME_GROUP, by_both, REPLACE_ONE):
        both.reserve(statement(0.1, neighbours=words))
    assert both.statement().neighbours == by_both
    with pytest.raises(NoGuaranteeError, match="keeps apart"):
        both.reserve(statement(0.1, neighbours=within_groups(["year"])))


def test_a_ledger_within_groups_takes_the_columns_of_its_first_grouped_release(tmp_path):
    given = {"dataset": "x", "unit": "row", "epsilon": 1, "delta": 1e-6, "neighbours": "within groups"}
    ledger = Ledger.create(tmp_path / "g", **given)
    ledger.reserve(statement(0.1, neighbours=REPLACE_ONE))
    assert "columns of the first release" in ledger.state().neighbours
    ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    assert ledger.state().neighbours == SAME_GROUP
    with pytest.raises(NoGuaranteeError, match="keeps apart"):
        ledger.reserve(statement(0.1, neighbours=within_groups(["region"])))


def test_words_without_columns_cover_no_columns(tmp_path):
    """Statements of older versions did not say which columns."""
    older = "one record replaced by another of the same group; groups and their sizes are public"
    given = {"dataset": "x", "unit": "row", "epsilon": 1, "delta": 1e-6}
    ledger = Ledger.create(tmp_path / "old", **given)
    ledger.reserve(statement(0.1, neighbours=older))
    with pytest.raises(NoGuaranteeError, match="keeps apart"):
        ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    with pytest.raises(NoGuaranteeError, match="keeps apart"):
        Ledger.create(tmp_path / "new", **given, neighbours=SAME_GROUP).reserve(
            statement(0.1, neighbours=older)
        )
