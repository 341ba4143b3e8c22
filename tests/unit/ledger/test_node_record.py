"""The record of nodes inside a ledger: nothing is drawn that the ledger did not reserve."""

import pytest

from relgauss.errors import InvalidParameterError, LostReleaseError, OverBudgetError, RecordError, SpentError
from relgauss.ledger import Ledger, NodeRecord
from relgauss.ledger.accounts import Reserved, Stored

from .spends import spend, statement


@pytest.fixture
def record(ledger: Ledger) -> NodeRecord:
    return NodeRecord(ledger)


def test_what_a_node_agreed_on_is_reserved_once(ledger, record):
    record.fund("a", statement(0.1))
    for again in (record, NodeRecord(Ledger.open(ledger.file))):
        again.fund("a", statement(0.1))
        again.fund("a", statement(0.05))  # fewer rounds, after a set-up that was lost
    (found,) = ledger.state().spends
    assert (found.what, found.status) == ("federated node a", "reserved")
    assert ledger.standing().budget.spent[0] == pytest.approx(0.1**2)
    with pytest.raises(RecordError, match="reserved less for the node 'a'"):
        record.fund("a", statement(0.11))


def test_the_budget_is_shared_with_everything_else(ledger, record):
    spend(ledger, 0.15)
    record.fund("a", statement(0.1))
    with pytest.raises(OverBudgetError, match="is left"):
        record.fund("b", statement(0.2))
    with pytest.raises(OverBudgetError):
        ledger.reserve(statement(0.2))
    with pytest.raises(RecordError, match="Nothing is reserved"):
        record.open_account("b", "terms", 1)


def test_rounds_are_charged_committed_and_answered_again(ledger, record):
    record.fund("a", statement(0.1))
    record.open_account("a", "terms", 2)
    assert record.reserve("a", "r1", "q") == Reserved(0)
    with pytest.raises(LostReleaseError):
        record.reserve("a", "r1", "q")
    record.commit("a", "r1", "[1.0]")
    again = NodeRecord(Ledger.open(ledger.file))
    assert again.reserve("a", "r1", "q") == Stored("[1.0]")
    again.reserve("a", "r2", "q")
    again.abandon("a", "r2")
    with pytest.raises(SpentError):
        record.reserve("a", "r3", "q")
    assert [each.released for each in record.spends("a")] == [True, False]
    spend(ledger, 0.01)  # the ledger goes on
    assert ledger.verify().spends == 2
    assert len(ledger.state().spends) == 2


def test_only_a_set_up_shares_an_agreement(record):
    record.fund("a", statement(0.1))
    record.open_account("a/setup", "terms", 1)
    record.open_account("a/setup 2", "terms", 1)
    for account, allowed in (("a/setup 3", 2), ("a/other", 1), ("b/setup", 1)):
        with pytest.raises(RecordError, match="Nothing is reserved"):
            record.open_account(account, "terms", allowed)


def test_simulated_nodes_do_not_count(record):
    with pytest.raises(InvalidParameterError, match="simulated"):
        record.fund("a", statement(0.1, simulated=True))


def test_a_ledger_is_needed(tmp_path):
    with pytest.raises(RecordError, match="no record"):
        NodeRecord(Ledger(tmp_path / "absent")).fund("a", statement(0.1))
