"""Formats of the durable record: the first still opens, unknown ones are refused, terms have their own."""

import sqlite3
from pathlib import Path

import pytest

import relgauss as rg
from relgauss.accounting import ApproximateDP, Failure, GaussianDP, GaussianPairDP, Guarantee
from relgauss.budget import Charge
from relgauss.budget.agreement import Agreement
from relgauss.errors import LostReleaseError, NoGuaranteeError, RecordError, SpentError
from relgauss.ledger.accounts import Reserved, Stored
from relgauss.ledger.spend_record import SpendRecord

FIRST_FORMAT = (
    "CREATE TABLE account (name TEXT PRIMARY KEY, terms TEXT NOT NULL, allowed INTEGER NOT NULL)",
    """CREATE TABLE spend (
        account TEXT NOT NULL REFERENCES account (name), position INTEGER NOT NULL, request TEXT NOT NULL,
        question TEXT NOT NULL, release TEXT,
        PRIMARY KEY (account, position), UNIQUE (account, request))""",
)


def first_record(file: Path, terms: str) -> None:
    """A file as the first version wrote it."""
    with sqlite3.connect(file) as connection:
        for statement in FIRST_FORMAT:
            connection.execute(statement)
        connection.executemany(
            "INSERT INTO account VALUES (?, ?, ?)", [("a/setup", "mu 1.0", 1), ("a", terms, 3)]
        )
        spends = [
            ("a/setup", 0, "setup", "9 × 2", "[1]"),
            ("a", 0, "m0", "q0", "[0.5]"),
            ("a", 1, "m1", "q1", None),
        ]
        connection.executemany("INSERT INTO spend VALUES (?, ?, ?, ?, ?)", spends)
    connection.close()


AGREEMENT = Agreement(GaussianDP(0.5), 3, 1e-6, (Charge("setup", GaussianDP(0.1), "page"),))
FIRST_TERMS = "GaussianDP(mu=0.5) × 3 after [('setup', GaussianDP(mu=0.1), 1)]"


def test_a_record_of_the_first_format_opens_with_all_its_spends(tmp_path):
    file = tmp_path / "spends.db"
    first_record(file, FIRST_TERMS)
    for _ in range(2):  # brought up to date once, then as any other
        record = SpendRecord.open(file)
        record.open_account("a", AGREEMENT.terms, 3, formerly=AGREEMENT.first_terms)
        assert record.reserve("a", "m0", "q0") == Stored("[0.5]")
        assert record.reserve("a/setup", "setup", "9 × 2") == Stored("[1]")
        with pytest.raises(LostReleaseError):
            record.reserve("a", "m1", "q1")
    with pytest.raises(RecordError, match="another agreement"):
        record.open_account("a", Agreement(GaussianDP(0.5), 3, 1e-6).terms, 3)
    assert record.reserve("a", "m2", "q2") == Reserved(2)
    with pytest.raises(SpentError):
        record.reserve("a", "m3", "q3")
    with sqlite3.connect(file) as older:  # what the first version does when it opens a record
        older.execute(FIRST_FORMAT[0].replace("TABLE", "TABLE IF NOT EXISTS"))
        with pytest.raises(sqlite3.OperationalError):
            older.execute("INSERT OR IGNORE INTO account VALUES ('a', 'terms', 3)")


def test_a_gap_in_a_record_of_the_first_format_is_refused(tmp_path):
    file = tmp_path / "spends.db"
    first_record(file, FIRST_TERMS)
    with sqlite3.connect(file) as connection:
        connection.execute("DELETE FROM spend WHERE request = 'm0'")
    with pytest.raises(RecordError, match="damaged"):
        SpendRecord.open(file)


def test_a_format_that_is_not_known_is_refused_by_its_number(tmp_path):
    file = SpendRecord.create(tmp_path / "spends.db").file
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 7")
    with pytest.raises(RecordError, match="of format 7"):
        SpendRecord.open(file)


GUARANTEES = [GaussianDP(0.1), GaussianPairDP(0.1, 0.02, 3), ApproximateDP(1.5, 1e-7), Failure(1e-7)]


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_the_first_terms_are_what_the_first_version_wrote(guarantee):
    setup = (Charge("setup", guarantee, "page"), Charge("certificate", Failure(1e-8), "page", (), 2))
    agreement = Agreement(guarantee, 4, 1e-6, setup)
    stages = [(charge.stage, charge.guarantee, charge.times) for charge in setup]
    # The first version knew replaced records only, and did not name them.
    written = f"{guarantee!r} × 4 after {stages!r}".replace(", neighbours='replace-one'", "")
    assert agreement.first_terms == written


def test_terms_are_a_stated_format():
    assert AGREEMENT.terms == (
        '{"format": 1, "per round": {"kind": "gaussian", "mu": 0.5}, "rounds": 3, '
        '"setup": [{"guarantee": {"kind": "gaussian", "mu": 0.1}, "stage": "setup", "times": 1}]}'
    )
    texts = {Agreement(each, rounds, 1e-6).terms for each in GUARANTEES for rounds in (1, 2)}
    assert len(texts) == 2 * len(GUARANTEES)


def test_a_guarantee_without_a_form_is_refused():
    class Homemade(rg.GaussianDP):
        pass

    made: Guarantee = Homemade(1.0)
    with pytest.raises(NoGuaranteeError, match="Homemade"):
        _ = Agreement(made, 1, 1e-6).terms
