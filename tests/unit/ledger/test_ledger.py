"""The ledger: it counts before noise is drawn, stops in time, and never forgets."""

import copy
import json
import math
import pickle
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.budget.grouping_words import within_groups
from relgauss.budget.statement import ONE_PERSON, ONE_ROW, REPLACE_ONE, PrivacyStatement
from relgauss.errors import (
    InvalidParameterError,
    NoGuaranteeError,
    OverBudgetError,
    RecordError,
    RelgaussError,
    SpentError,
)
from relgauss.ledger import Ledger, SpendRecord
from relgauss.ledger.promise import NEIGHBOURS

SAME_GROUP = within_groups(["job"])


def statement(mu: float, **changes: object) -> rg.PrivacyStatement:
    charge = rg.Charge("a mean", rg.GaussianDP(mu), "proofs/conversions.md")
    return replace(rg.PrivacyStatement((charge,), 1e-6), **changes)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "pay.ledger", dataset="pay", unit="row", epsilon=1.0, delta=1e-6)


def spend(ledger: Ledger, mu: float) -> None:
    ledger.record(ledger.reserve(statement(mu)), statement(mu))


def test_a_new_ledger_has_all_of_its_budget(ledger):
    assert ledger.left(1e-6) == pytest.approx(1.0, rel=1e-9)
    assert ledger.left() == ledger.left(1e-6) <= 1.0
    assert ledger.left(1e-9) > 1.0
    assert ledger.statement().epsilon() == 0
    assert ledger.verify().spends == 0
    assert Ledger.open(ledger.file).left() == ledger.left()


def test_spends_are_counted_until_nothing_is_left(ledger):
    budget = rg.Budget(1.0, 1e-6)
    for _ in range(4):
        spend(ledger, budget.mu / 2)
    with pytest.raises(OverBudgetError, match=r"pay\.ledger.*left of 1") as refused:
        ledger.reserve(statement(0.01))
    assert refused.value.left < 1e-3
    assert refused.value.delta == 1e-6
    assert isinstance(refused.value, SpentError)
    assert ledger.verify().entries == 9
    assert ledger.statement().epsilon() == pytest.approx(1.0, rel=1e-9)
    assert ledger.statement().epsilon() <= 1.0


def test_the_error_says_what_is_left_and_that_much_fits(ledger):
    spend(ledger, 0.2)
    with pytest.raises(OverBudgetError) as refused:
        ledger.reserve(statement(0.2))
    assert refused.value.left == ledger.left()
    ledger.reserve(statement(rg.Budget(refused.value.left, 1e-6).mu))


def test_what_is_reserved_counts_whether_or_not_it_is_recorded(ledger):
    ledger.reserve(statement(0.2))
    assert ledger.left() < 0.6
    (found,) = ledger.state().spends
    assert (found.status, found.what) == ("reserved", "a mean")
    with pytest.raises(OverBudgetError):
        ledger.reserve(statement(0.2))


def test_a_record_keeps_the_statement(ledger):
    reservation = ledger.reserve(statement(0.2), "means of jobs")
    ledger.record(reservation, statement(0.1))  # less than planned: what was planned stays spent
    (found,) = ledger.state().spends
    assert (found.status, found.what) == ("released", "means of jobs")
    assert found.charges == statement(0.2).charges
    with sqlite3.connect(ledger.file) as connection:
        ((content,),) = connection.execute("SELECT content FROM entry WHERE kind = 'release'").fetchall()
    assert rg.PrivacyStatement.from_dict(json.loads(content)["statement"]) == statement(0.1)


def test_a_release_that_cost_more_than_was_reserved_counts_in_full(ledger):
    reservation = ledger.reserve(statement(0.1))
    with pytest.raises(NoGuaranteeError, match="more than was reserved"):
        ledger.record(reservation, statement(0.15))
    assert ledger.state().budget.spent[0] == pytest.approx(0.1**2 + 0.15**2)


def test_a_reservation_is_recorded_once_and_a_second_time_counts(ledger):
    reservation = ledger.reserve(statement(0.1))
    ledger.record(reservation, statement(0.1))
    with pytest.raises(NoGuaranteeError, match="recorded twice"):
        ledger.record(reservation, statement(0.1))
    assert ledger.state().budget.spent[0] == pytest.approx(2 * 0.1**2)


def test_what_was_reserved_is_read_in_the_ledger_and_not_in_the_reservation(ledger):
    reservation = replace(ledger.reserve(statement(0.01)), planned=statement(0.2))
    with pytest.raises(NoGuaranteeError, match="more than was reserved"):
        ledger.record(reservation, statement(0.2))
    assert ledger.state().budget.spent[0] == pytest.approx(0.01**2 + 0.2**2)


def test_a_reservation_of_another_ledger_is_refused_and_harms_none(ledger, tmp_path):
    other = Ledger.create(tmp_path / "other", dataset="b", unit="row", epsilon=1.0, delta=1e-6)
    with pytest.raises(RecordError, match="no such reservation"):
        other.record(ledger.reserve(statement(0.1)), statement(0.1))
    assert other.verify().spends == 0


@pytest.mark.parametrize(
    "cost",
    [
        rg.GaussianDP(0.1, "add-or-remove"),
        rg.RenyiDP(rg.RenyiFunction(lambda order: 9.0 * order, 50.0)),
    ],
    ids=["another promise", "no entry can hold it"],
)
def test_a_cost_that_cannot_be_counted_uses_up_the_budget(ledger, cost):
    reservation = ledger.reserve(statement(0.1))
    drawn = rg.PrivacyStatement((rg.Charge("a mean", cost, "proofs/renyi.md"),), 1e-6)
    with pytest.raises(RelgaussError):
        ledger.record(reservation, drawn)
    with pytest.raises(OverBudgetError):
        ledger.reserve(statement(0.001))


def test_a_ledger_that_drew_more_than_its_budget_is_not_verified(ledger):
    with pytest.raises(NoGuaranteeError):
        ledger.record(ledger.reserve(statement(0.05)), statement(5.0))
    with pytest.raises(RecordError, match="beyond its budget"):
        ledger.verify()


def test_a_ledger_stays_the_same_file_where_the_process_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = Ledger.create("l", dataset="a", unit="row", epsilon=1.0, delta=1e-6)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    here.reserve(statement(0.1))
    assert not (tmp_path / "elsewhere" / "l").exists()


def test_unlike_units_and_neighbours_are_refused(ledger):
    with pytest.raises(NoGuaranteeError, match=r"unit 'row'.*one person"):
        ledger.reserve(statement(0.1, unit=ONE_PERSON))
    ledger.reserve(statement(0.1))  # the first decides on neighbours
    with pytest.raises(NoGuaranteeError, match="keeps apart less"):
        ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    assert len(ledger.state().spends) == 1


@pytest.mark.parametrize(("first", "second"), [(ONE_ROW, ONE_PERSON), (ONE_PERSON, ONE_ROW)])
def test_persons_have_one_row_or_all_of_them_but_not_both(tmp_path, first, second):
    ledger = Ledger.create(tmp_path / "p", dataset="visits", unit="person", epsilon=1, delta=1e-6)
    ledger.add_outside((0.01, 0.0), "a survey")  # for the ledger's own unit
    ledger.reserve(statement(0.05, unit=first))
    with pytest.raises(NoGuaranteeError, match="is no row"):
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


def test_simulated_releases_are_refused(ledger):
    with pytest.raises(InvalidParameterError, match=r"simulated.*leave out the seed"):
        ledger.reserve(statement(0.1, simulated=True))


def test_leaks_and_failures_need_their_part_of_delta(ledger, tmp_path):
    leaky = replace(statement(0.1), charges=(rg.Charge("test", rg.ApproximateDP(0.1, 1e-8), "proofs/x"),))
    with pytest.raises(OverBudgetError, match="for_failures"):
        ledger.reserve(leaky)
    other = Ledger.create(tmp_path / "b", dataset="pay", unit="row", epsilon=1, delta=1e-6, for_failures=1e-7)
    other.reserve(leaky)
    assert other.export()["left"]["failures"] == pytest.approx(9e-8)


def test_what_is_not_gaussian_needs_orders(ledger, tmp_path):
    pair = replace(statement(0.1), charges=(rg.Charge("g", GaussianPairDP(0.05, 0.01, 2), "proofs/x"),))
    with pytest.raises(OverBudgetError, match="orders="):
        ledger.reserve(pair)
    Ledger.create(tmp_path / "c", dataset="pay", unit="row", epsilon=1, delta=1e-6, orders=(16, 32)).reserve(
        pair
    )


def test_outside_spends_count(ledger, tmp_path):
    ledger.add_outside(rg.GaussianDP(0.1), "a survey")
    ledger.add_outside(rg.PureDP(0.05), "a count")
    ledger.add_outside(statement(0.05), "means")
    assert [spend.status for spend in ledger.state().spends] == ["outside"] * 3
    mu = math.sqrt(0.1**2 + 0.05**2 + (1.2533 * 0.05) ** 2)
    left = math.sqrt(rg.Budget(1, 1e-6).mu ** 2 - mu**2)
    assert ledger.state().budget.left.mu == pytest.approx(left, rel=1e-3)
    with pytest.raises(OverBudgetError):
        ledger.add_outside((0.5, 1e-7), "another release")
    with pytest.raises(NoGuaranteeError, match="unit"):
        ledger.add_outside(statement(0.1, unit="household"), "other people")
    for nonsense in (None, 0.5, (1, 2, 3), (math.nan, 0.0), (1.0, -1.0), "epsilon 1"):
        with pytest.raises(RelgaussError):
            ledger.add_outside(nonsense, "nonsense")


def test_a_number_from_outside_does_not_decide_on_neighbours(ledger):
    ledger.add_outside((0.01, 0.0), "a survey")
    assert ledger.state().neighbours is None
    ledger.reserve(statement(0.1, neighbours=SAME_GROUP))
    assert ledger.state().neighbours == SAME_GROUP


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


def test_plain_numbers_are_for_the_neighbours_that_a_ledger_says(tmp_path):
    """Also before its first spend."""
    for word in NEIGHBOURS:
        given = {"dataset": "x", "unit": "row", "epsilon": 1, "delta": 1e-6, "neighbours": word}
        ledger = Ledger.create(tmp_path / word, **given)
        ledger.add_outside((0.01, 0.0), "a count")
        kind = "add-or-remove" if word == "add-or-remove" else "replace-one"
        ledger.reserve(PrivacyStatement((rg.Charge("noise", rg.GaussianDP(0.05, kind), "proofs/x"),), 1e-6))
        assert ledger.state().budget.neighbours == kind


def test_an_outside_spend_beyond_the_budget_ends_it_if_that_is_said(ledger):
    ledger.add_outside((8.0, 1e-5), "a careless release", beyond=True)
    assert ledger.left() == 0
    with pytest.raises(OverBudgetError, match="Nothing more can be released"):
        ledger.reserve(statement(1e-6))
    assert ledger.verify().spends == 1


def test_plain_epsilon_and_delta_come_in_where_delta_has_a_part(tmp_path):
    aside = {"for_pure": 0.6, "for_failures": 2e-7}
    ledger = Ledger.create(tmp_path / "d", dataset="x", unit="row", epsilon=2, delta=1e-6, **aside)
    ledger.add_outside((0.5, 1e-7), "the census")
    exported = ledger.export()
    assert exported["spends"][0]["charges"][0]["guarantee"] == {
        "kind": "epsilon-delta",
        "epsilon": 0.5,
        "delta": 1e-7,
    }
    assert exported["left"]["pure"] == pytest.approx(0.1)
    assert exported["left"]["epsilon"] == pytest.approx(1.4, abs=0.02)
    json.dumps(exported, allow_nan=False)


def test_an_export_holds_a_statement_that_can_be_read(ledger):
    spend(ledger, 0.1)
    exported = json.loads(json.dumps(ledger.export(), allow_nan=False))
    assert rg.PrivacyStatement.from_dict(exported["statement"]) == ledger.statement()
    assert exported["spends"][0]["status"] == "released"
    assert exported["left"]["epsilon"] == ledger.left()


def test_a_ledger_is_made_once_and_never_in_passing(tmp_path, ledger):
    with pytest.raises(RecordError, match="already"):
        Ledger.create(ledger.file, dataset="pay", unit="row", epsilon=9, delta=1e-6)
    with pytest.raises(RecordError, match="no ledger"):
        Ledger.open(tmp_path / "absent")
    with pytest.raises(RecordError, match="no ledger"):
        Ledger(tmp_path / "absent").reserve(statement(0.1))
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 0),
        ("epsilon", math.nan),
        ("delta", 1),
        ("dataset", ""),
        ("dataset", None),
        ("unit", " "),
        ("neighbours", 3),
        ("for_failures", 1e-6),
        ("for_pure", 1.0),
        ("orders", (0.5,)),
    ],
)
def test_hostile_numbers_are_refused_and_no_file_is_made(tmp_path, name, value):
    given = {"dataset": "d", "unit": "row", "epsilon": 1.0, "delta": 1e-6} | {name: value}
    with pytest.raises(InvalidParameterError, match=name):
        Ledger.create(tmp_path / "x", **given)
    assert list(tmp_path.iterdir()) == []


def test_the_record_of_a_node_and_a_ledger_are_not_taken_for_each_other(tmp_path, ledger):
    SpendRecord.create(tmp_path / "node").open_account("a", "terms", 3)
    with pytest.raises(RecordError, match="no ledger"):
        Ledger.open(tmp_path / "node")
    with pytest.raises(RecordError, match=r"Ledger\.open"):
        SpendRecord.open(ledger.file).spends("a")


def test_an_overspent_ledger_is_found(ledger):
    """The planted violation: an entry that is well chained, and that no filter admitted."""
    spend(ledger, 0.2)
    with ledger._log() as log:
        (before,) = (entry for entry in log.entries if entry.kind == "reserve")
        log.append("reserve", **before.content | {"id": "forged"})
    with pytest.raises(RecordError, match="beyond its budget"):
        ledger.verify()
    assert ledger.left() == 0


def test_unknown_formats_and_kinds_fail_closed(tmp_path, ledger):
    with ledger._log() as log:
        log.append("refund", id="x")
    with pytest.raises(RecordError, match="newer relgauss"):
        ledger.left()


def test_a_ledger_travels(ledger):
    for other in (copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):
        assert other.left() == ledger.left()
        spend(other, 0.05)
    assert len(ledger.state().spends) == 2


def test_an_error_of_a_ledger_travels(ledger):
    with pytest.raises(OverBudgetError) as refused:
        ledger.reserve(statement(3.0))
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.left, str(again)) == (refused.value.left, str(refused.value))
