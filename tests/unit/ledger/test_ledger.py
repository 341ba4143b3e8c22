"""The ledger: it counts before noise is drawn, stops in time, and never forgets."""

import copy
import json
import math
import pickle
from dataclasses import replace

import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP
from relgauss.errors import (
    InvalidParameterError,
    OverBudgetError,
    RecordError,
    SpentError,
)
from relgauss.ledger import Ledger, SpendRecord

from .spends import spend, statement


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


def test_a_ledger_stays_the_same_file_where_the_process_goes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = Ledger.create("l", dataset="a", unit="row", epsilon=1.0, delta=1e-6)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    here.reserve(statement(0.1))
    assert not (tmp_path / "elsewhere" / "l").exists()


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
