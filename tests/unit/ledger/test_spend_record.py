"""The durable record: reserve, commit, and what each state answers; two processes cannot both win."""

import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relgauss.errors import (
    InvalidParameterError,
    LostReleaseError,
    OtherQuestionError,
    RecordError,
    RefusedReleaseError,
    SpentError,
)
from relgauss.ledger.accounts import Reserved, Stored
from relgauss.ledger.spend_record import SpendRecord


@pytest.fixture
def record(tmp_path: Path) -> SpendRecord:
    made = SpendRecord.create(tmp_path / "spends.db")
    made.open_account("a", "terms", 2)
    return made


def test_a_release_is_reserved_committed_and_repeated(record):
    assert record.reserve("a", "m1", "q") == Reserved(0)
    record.commit("a", "m1", "z1")
    assert record.reserve("a", "m1", "q") == Stored("z1")
    assert record.reserve("a", "m2", "q") == Reserved(1)
    assert [(each.request, each.released) for each in record.spends("a")] == [("m1", True), ("m2", False)]


def test_a_reserved_charge_is_spent_and_never_given_again(record):
    record.reserve("a", "m1", "q")
    with pytest.raises(LostReleaseError, match="m1"):
        record.reserve("a", "m1", "q")
    assert len(record.spends("a")) == 1


def test_more_than_was_agreed_is_refused_but_old_answers_stay(record):
    for name in ("m1", "m2"):
        record.reserve("a", name, "q")
        record.commit("a", name, f"release of {name}")
    with pytest.raises(SpentError, match="All 2 releases"):
        record.reserve("a", "m3", "q")
    assert record.reserve("a", "m1", "q") == Stored("release of m1")
    assert len(record.spends("a")) == 2


def test_a_request_stands_for_one_question(record):
    record.reserve("a", "m1", "q")
    record.commit("a", "m1", "z")
    with pytest.raises(OtherQuestionError):
        record.reserve("a", "m1", "another")


def test_a_commit_needs_its_reserve_and_happens_once(record):
    with pytest.raises(RecordError, match="not reserved"):
        record.commit("a", "m1", "z")
    record.reserve("a", "m1", "q")
    record.commit("a", "m1", "z")
    with pytest.raises(RecordError, match="not reserved"):
        record.commit("a", "m1", "other noise")
    assert record.reserve("a", "m1", "q") == Stored("z")


def test_another_agreement_is_refused(record):
    record.open_account("a", "terms", 2)
    for terms, allowed in (("terms", 3), ("other terms", 2)):
        with pytest.raises(RecordError, match="another agreement"):
            record.open_account("a", terms, allowed)
    with pytest.raises(InvalidParameterError):
        record.open_account("b", "terms", 0)
    with pytest.raises(RecordError, match="no account"):
        record.reserve("b", "m", "q")


def test_accounts_are_apart(record):
    record.open_account("b", "terms", 1)
    record.reserve("a", "m1", "q")
    assert record.reserve("b", "m1", "q") == Reserved(0)


def test_the_record_survives_its_process(record):
    record.reserve("a", "m1", "q")
    record.commit("a", "m1", "z")
    again = SpendRecord.open(record.file)
    assert again.reserve("a", "m1", "q") == Stored("z")
    assert len(again.spends("a")) == 1


def test_a_file_that_is_no_record_fails_closed(tmp_path):
    file = tmp_path / "spends.db"
    file.write_text("this is not a database" * 100)
    with pytest.raises(RecordError, match="cannot be used"):
        SpendRecord.open(file)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE account (name TEXT)")
    with pytest.raises(RecordError, match="no record of relgauss"):
        SpendRecord.open(tmp_path / "other.db")


def test_a_broken_transaction_leaves_nothing(record):
    def break_off() -> None:
        with record._log() as log:
            log.append("reserve", account="a", request="m", question="q")
            raise sqlite3.OperationalError("planted")

    with pytest.raises(RecordError, match="planted"):
        break_off()
    assert record.spends("a") == ()


def test_an_abandoned_charge_stays_spent_and_cannot_be_committed(record):
    with pytest.raises(RecordError, match="not reserved"):
        record.abandon("a", "m1")
    record.reserve("a", "m1", "q")
    assert not record.is_abandoned("a", "m1")
    record.abandon("a", "m1")
    assert record.is_abandoned("a", "m1")
    with pytest.raises(RecordError, match="not reserved"):
        record.commit("a", "m1", "z")
    with pytest.raises(LostReleaseError):
        record.reserve("a", "m1", "q")
    assert len(record.spends("a")) == 1


def test_a_released_charge_cannot_be_abandoned(record):
    record.reserve("a", "m1", "q")
    record.commit("a", "m1", "z")
    with pytest.raises(RecordError, match="not reserved"):
        record.abandon("a", "m1")
    assert record.reserve("a", "m1", "q") == Stored("z")


def test_of_many_that_reserve_at_once_each_charge_goes_to_one(tmp_path):
    allowed, workers = 5, 8
    record = SpendRecord.create(tmp_path / "spends.db")
    record.open_account("a", "terms", allowed)
    positions, refused = [], []

    def worker(number: int) -> None:
        own = SpendRecord.open(record.file)
        for request in range(allowed):
            try:
                reserved = own.reserve("a", f"{number % 2}/{request}", "q")
            except RefusedReleaseError as error:
                refused.append(error)
            else:
                positions.append(reserved.position)

    threads = [threading.Thread(target=worker, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(positions) == list(range(allowed))
    assert len(refused) == workers * allowed - allowed


steps = st.tuples(st.sampled_from(["reserve", "commit", "crash"]), st.integers(0, 4))


@settings(max_examples=25)
@given(st.lists(steps, min_size=3, max_size=20), st.integers(1, 3))
def test_laws_of_every_history(tmp_path_factory, history, allowed):
    """Never more charges than agreed, one draw for a charge, one release for a request, whatever happens."""
    record = SpendRecord.create(tmp_path_factory.mktemp("laws") / "spends.db")
    record.open_account("a", "terms", allowed)
    drawn, sent, open_charges = 0, {}, set()
    for what, number in history:
        request = f"m{number}"
        if what == "crash":  # what is in memory is gone
            open_charges.clear()
        elif what == "reserve":
            try:
                outcome = record.reserve("a", request, "q")
            except RefusedReleaseError:
                continue
            if isinstance(outcome, Stored):
                assert sent[request] == outcome.release
            else:
                drawn += 1
                open_charges.add((request, f"noise {drawn}"))
        else:
            for charge in [each for each in open_charges if each[0] == request]:
                record.commit("a", *charge)
                assert request not in sent
                sent[request] = charge[1]
                open_charges.remove(charge)
    assert drawn == len(record.spends("a")) <= allowed
    assert sum(each.released for each in record.spends("a")) == len(sent)
