"""One check for both kinds of files."""

import pytest

import relgauss as rg
from relgauss.errors import RecordError
from relgauss.ledger import Ledger, SpendRecord
from relgauss.ledger.verify import verify_file


def test_a_ledger_and_a_record_of_a_node_are_checked(tmp_path):
    ledger = Ledger.create(tmp_path / "x", dataset="x", unit="row", epsilon=1, delta=1e-6)
    ledger.reserve(rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 20.0).statement(1e-6))
    assert verify_file(ledger.file) == ledger.verify()
    node = SpendRecord.create(tmp_path / "node")
    assert verify_file(node.file).entries == 0
    node.open_account("a", "terms", 3)
    node.reserve("a", "m", "q")
    found = verify_file(node.file)
    assert (found.entries, found.spends) == (2, 1)


def test_what_was_spent_outside_beyond_the_budget_is_said(tmp_path):
    ledger = Ledger.create(tmp_path / "x", dataset="x", unit="row", epsilon=1, delta=1e-6)
    assert verify_file(ledger.file).within_budget
    ledger.add_outside(rg.GaussianDP(5.0), "before the ledger", beyond=True)
    found = verify_file(ledger.file)
    assert found.within_budget is False
    assert found.spends == 1
    assert ledger.export()["within_budget"] is False
    node = SpendRecord.create(tmp_path / "node")
    assert verify_file(node.file).within_budget is None


@pytest.mark.parametrize("kind", ["ledger", "node"])
def test_damage_is_found_in_both(tmp_path, kind):
    file = tmp_path / "x"
    if kind == "ledger":
        Ledger.create(file, dataset="damage", unit="row", epsilon=1, delta=1e-6)
    else:
        SpendRecord.create(file).open_account("a", "damage", 3)
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"damage", b"DAMAGE"))
    with pytest.raises(RecordError, match="damaged"):
        verify_file(file)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RecordError, match=r"There is no file gone\.ledger\. Pass a ledger"):
        verify_file(tmp_path / "gone.ledger")
