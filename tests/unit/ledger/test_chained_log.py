"""Files of the durable record: made once, and refused when damaged."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from relgauss.errors import RecordError
from relgauss.ledger.accounts import Reserved
from relgauss.ledger.spend_record import SpendRecord

SPENDS = 200
PAGE = 4096


def spend(record: SpendRecord, first: int, last: int) -> None:
    for number in range(first, last):
        record.reserve("a", f"m{number}", "q")
        record.commit("a", f"m{number}", f"[{number}, 0.123456789, -7.5e-3]")


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A record with many spends, some of them reserved only."""
    record = SpendRecord.create(tmp_path_factory.mktemp("written") / "spends.db")
    record.open_account("a", "terms", 10_000)
    spend(record, 0, SPENDS - 5)
    for number in range(SPENDS - 5, SPENDS):
        record.reserve("a", f"m{number}", "q")
    return record.file


def refuses_or_knows_all(file: Path, committed: int) -> bool:
    """The law; True if the file was refused."""
    try:
        found = SpendRecord.open(file).spends("a")
    except RecordError:
        return True
    assert len(found) >= committed
    assert [each.request for each in found] == [f"m{number}" for number in range(len(found))]
    return False


def test_a_missing_record_is_not_made_in_passing(tmp_path):
    with pytest.raises(RecordError, match=r"no record spends\.db.*SpendRecord\.create"):
        SpendRecord.open(tmp_path / "spends.db")
    with pytest.raises(RecordError, match="no record"):
        SpendRecord(tmp_path / "spends.db").open_account("a", "terms", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_made_once(tmp_path):
    file = tmp_path / "spends.db"
    SpendRecord.create(file).open_account("a", "terms", 1)
    with pytest.raises(RecordError, match="already"):
        SpendRecord.create(file)
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(RecordError, match="cannot be made"):
        SpendRecord.create(tmp_path / "no folder" / "spends.db")


@pytest.mark.parametrize("left", ["spends.db-journal", "spends.db-wal"])
def test_a_record_is_not_made_beside_the_journal_of_another(tmp_path, left):
    """SQLite would write the old journal into the new file."""
    (tmp_path / left).write_bytes(b"of a record that was deleted")
    with pytest.raises(RecordError, match="already"):
        SpendRecord.create(tmp_path / "spends.db")


@pytest.mark.parametrize("size", [0, 1, 15, 16, 99, 100, 511, 512, 1024, PAGE - 1])
def test_a_record_cut_to_its_first_bytes_is_refused(tmp_path, written, size):
    file = tmp_path / "spends.db"
    file.write_bytes(written.read_bytes()[:size])
    with pytest.raises(RecordError):
        SpendRecord.open(file)
    with pytest.raises(RecordError, match="already"):  # nor is it made anew by mistake
        SpendRecord.create(file)


def test_a_record_cut_anywhere_is_refused(tmp_path, written):
    whole, rng, file = written.read_bytes(), random.Random(0), tmp_path / "spends.db"
    pages = range(PAGE, len(whole), PAGE)
    for size in (*pages, *rng.sample(range(len(whole)), 30)):
        file.write_bytes(whole[:size])
        assert refuses_or_knows_all(file, SPENDS), size


@pytest.mark.parametrize("seed", range(60))
def test_a_record_with_random_bytes_forgets_nothing(tmp_path, written, seed):
    """One byte to several pages of them, anywhere; or zeros, as a disk may leave them."""
    rng, whole, file = random.Random(seed), bytearray(written.read_bytes()), tmp_path / "spends.db"
    length = rng.choice([1, 1, 2, 8, 64, 512, PAGE, 3 * PAGE])
    start = rng.randrange(len(whole) - length)
    whole[start : start + length] = bytes(length) if seed % 3 == 0 else rng.randbytes(length)
    file.write_bytes(whole)
    refuses_or_knows_all(file, SPENDS)


def test_every_byte_of_the_header_may_change(tmp_path, written):
    whole, file, refused = written.read_bytes(), tmp_path / "spends.db", 0
    for place, value in product(range(100), (0x00, 0x01, 0xFF)):
        file.write_bytes(whole[:place] + bytes([value]) + whole[place + 1 :])
        refused += refuses_or_knows_all(file, SPENDS)
    assert refused > 100


def test_a_changed_entry_is_seen(tmp_path, written):
    """The planted violation that no check of SQLite's own can see."""
    for damage in (
        "DELETE FROM entry WHERE number > 50",
        "DELETE FROM entry WHERE number > 50; UPDATE head SET entries = 50",
        "UPDATE entry SET content = replace(content, 'm7', 'm8') WHERE number = 16",
        "DELETE FROM head",
    ):
        file = tmp_path / "spends.db"
        shutil.copy(written, file)
        with sqlite3.connect(file) as connection:
            connection.executescript(f"DROP TRIGGER entry_stays; DROP TRIGGER entry_remains; {damage}")
        with pytest.raises(RecordError, match="damaged"):
            SpendRecord.open(file)


def test_entries_cannot_be_changed_in_passing(tmp_path, written):
    file = tmp_path / "spends.db"
    shutil.copy(written, file)
    with sqlite3.connect(file) as connection:
        for change in ("DELETE FROM entry", "UPDATE entry SET kind = 'agree'"):
            with pytest.raises(sqlite3.Error, match="append-only"):
                connection.execute(change)


def test_a_write_that_tore_is_refused_or_knows_all(tmp_path, written):
    """Without its journal, a file may hold some pages from before a transaction and some from after it."""
    file = tmp_path / "spends.db"
    shutil.copy(written, file)
    before, record = file.read_bytes(), SpendRecord.open(file)
    spend(record, SPENDS, SPENDS + 12)
    after = file.read_bytes()
    pages = [
        place
        for place in range(0, len(after), PAGE)
        if before[place : place + PAGE] != after[place : place + PAGE]
    ]
    assert 3 <= len(pages) <= 8
    for choice in product([False, True], repeat=len(pages)):
        mixed = bytearray(after)
        for place, is_old in zip(pages, choice, strict=True):
            if is_old and place < len(before):
                mixed[place : place + PAGE] = before[place : place + PAGE]
        file.write_bytes(mixed)
        refuses_or_knows_all(file, SPENDS)


def test_who_read_the_log_before_reads_what_came_since(written, tmp_path):
    """Damage to what it knows hides nothing from it; who opens the file anew refuses it."""
    file = tmp_path / "spends.db"
    shutil.copy(written, file)
    record, other = SpendRecord.open(file), SpendRecord.open(file)
    spend(other, SPENDS, SPENDS + 3)
    with sqlite3.connect(file) as connection:
        connection.executescript("DROP TRIGGER entry_remains; DELETE FROM entry WHERE number BETWEEN 5 AND 9")
    assert len(record.spends("a")) == SPENDS + 3
    with pytest.raises(RecordError, match="damaged"):
        SpendRecord.open(file)


def test_a_log_that_was_put_back_is_noticed_by_who_knew_more(written, tmp_path):
    file = tmp_path / "spends.db"
    shutil.copy(written, file)
    record = SpendRecord.open(file)
    spend(record, SPENDS, SPENDS + 1)
    shutil.copy(written, file)
    with pytest.raises(RecordError, match="not the one that was read before"):
        record.reserve("a", "next", "q")
    assert len(SpendRecord.open(file).spends("a")) == SPENDS  # what nobody else can notice


@pytest.mark.parametrize("damage", ["DELETE FROM entry WHERE number = 402", "UPDATE head SET entries = 401"])
def test_damage_to_what_came_since_is_refused(written, tmp_path, damage):
    file = tmp_path / "spends.db"
    shutil.copy(written, file)
    record, other = SpendRecord.open(file), SpendRecord.open(file)
    entries = len(record.checked_entries()[0])
    spend(other, SPENDS, SPENDS + 2)
    with sqlite3.connect(file) as connection:
        connection.executescript(
            f"DROP TRIGGER entry_remains; {damage}".replace("402", str(entries + 2)).replace(
                "401", str(entries + 1)
            )
        )
    with pytest.raises(RecordError, match="damaged"):
        record.reserve("a", "next", "q")


def test_what_was_rolled_back_is_not_taken_as_known(tmp_path):
    record = SpendRecord.create(tmp_path / "spends.db")
    record.open_account("a", "terms", 5)
    with pytest.raises(RecordError), record._log() as log:
        log.append("reserve", account="a", request="lost", question=len)  # no JSON
    assert record.spends("a") == ()
    record.reserve("a", "kept", "q")
    assert [each.request for each in SpendRecord.open(record.file).spends("a")] == ["kept"]


KILLED = """
import os, signal, sys
from pathlib import Path
from relgauss.ledger import chained_log
from relgauss.ledger.spend_record import SpendRecord
moment, file = sys.argv[1:]
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if moment == "written":
    os.link = die
elif moment == "begun":
    chained_log.write_schema = die
elif moment == "linked":
    os.unlink = die
SpendRecord.create(Path(file))
"""


@pytest.mark.parametrize(("moment", "is_made"), [("begun", False), ("written", False), ("linked", True)])
def test_a_kill_while_the_record_is_made(tmp_path, moment, is_made):
    """There is none, and it can be made; or it is whole, and can be opened."""
    file = tmp_path / "spends.db"
    done = subprocess.run([sys.executable, "-c", KILLED, moment, str(file)], check=False, env=os.environ)
    assert done.returncode == -signal.SIGKILL
    assert file.exists() == is_made
    record = SpendRecord.open(file) if is_made else SpendRecord.create(file)
    record.open_account("a", "terms", 1)
    assert SpendRecord.open(file).reserve("a", "m", "q") == Reserved(0)
