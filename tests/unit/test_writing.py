"""Files appear whole: what is there before, during and after a write that succeeds, fails or is killed."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from relgauss import writing
from relgauss.errors import RelgaussError, UnwrittenError
from relgauss.writing import check_place, write_together

Files = dict[str, str]


def text(words: str) -> writing.Write:
    return lambda path: path.write_text(words)


def contents(folder: Path) -> Files:
    """What a reader sees: hidden files are nobody's."""
    return {file.name: file.read_text() for file in folder.iterdir() if not file.name.startswith(".")}


def pair(folder: Path, words: str) -> list[tuple[Path, writing.Write]]:
    """A statement, and the table that must not be without it."""
    return [(folder / "statement", text(words)), (folder / "table", text(words))]


def test_a_file_is_written_and_replaced(tmp_path: Path):
    for words in ("old", "new"):
        write_together([(tmp_path / "a", text(words))])
        assert contents(tmp_path) == {"a": words}
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_an_existing_file_is_left_alone_and_the_new_one_is_kept(tmp_path: Path):
    (tmp_path / "table").write_text("old")
    with pytest.raises(UnwrittenError, match="table cannot be written: File exists") as refused:
        write_together(pair(tmp_path, "new"), replace=False)
    assert contents(tmp_path) == {"table": "old"}
    kept = [
        Path(word.rstrip(".")) for word in refused.value.fix.replace(",", "").split() if "relgauss-" in word
    ]
    assert [file.read_text() for file in kept] == ["new", "new"]


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def link(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "no links here")

    monkeypatch.setattr(os, "link", link)
    test_an_existing_file_is_left_alone_and_the_new_one_is_kept(tmp_path)
    (tmp_path / "table").unlink()
    write_together(pair(tmp_path, "new"), replace=False)
    assert contents(tmp_path) == {"statement": "new", "table": "new"}


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path):
    def full(path: Path) -> None:
        path.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def broken(path: Path) -> None:
        raise ZeroDivisionError

    write_together(pair(tmp_path, "old"))
    with pytest.raises(UnwrittenError, match=r"table cannot be written: No space left on device\. Free"):
        write_together([(tmp_path / "statement", text("new")), (tmp_path / "table", full)])
    with pytest.raises(ZeroDivisionError):
        write_together([(tmp_path / "statement", text("new")), (tmp_path / "table", broken)])
    assert contents(tmp_path) == {"statement": "old", "table": "old"}
    assert len(list(tmp_path.iterdir())) == 2


def test_a_failure_names_the_file_and_not_its_draft(tmp_path: Path):
    """Writers may use the writer themselves, as pictures do."""

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(UnwrittenError, match=r"a\.png cannot be written: No space") as failed:
        write_together([(tmp_path / "a.png", lambda path: write_together([(path, full)]))])
    assert ".relgauss-" not in str(failed.value)
    assert list(tmp_path.iterdir()) == []


NAMES = ("rename", "link", "replace", "unlink")


def killed_at(step: int, act: Callable[[], None]) -> bool:
    """Whether a process that acts dies as it touches a name for the step-th time, no handler running."""
    if (process := os.fork()) == 0:
        left = step

        def dying(real: Callable[..., None]) -> Callable[..., None]:
            def call(*arguments: object, **options: object) -> None:
                nonlocal left
                if left == 0:
                    os._exit(9)
                left -= 1
                real(*arguments, **options)

            return call

        for name in NAMES:
            setattr(os, name, dying(getattr(os, name)))
        act()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9


@pytest.mark.parametrize("replace", [True, False])
def test_a_kill_at_any_moment_leaves_no_table_without_its_own_statement(tmp_path: Path, replace: bool):
    seen = []
    for step in range(20):
        folder = tmp_path / str(step)
        folder.mkdir()
        if replace:
            write_together(pair(folder, "old"))
        killed = killed_at(step, lambda here=folder: write_together(pair(here, "new"), replace=replace))
        found = contents(folder)
        assert "table" not in found or found["statement"] == found["table"], (step, found)
        seen.append(found)
        if not killed:
            break
    assert not killed
    assert seen[-1] == {"statement": "new", "table": "new"}
    assert {"statement": "new"} in seen  # killed between the two


def test_a_kill_leaves_one_file_old_or_new(tmp_path: Path):
    file = tmp_path / "a"
    for step in range(5):
        file.write_text("old")
        killed = killed_at(step, lambda: write_together([(file, text("new"))]))
        assert contents(tmp_path) in ({"a": "old"}, {"a": "new"})
        if not killed:
            return
    pytest.fail("every run was killed")


@pytest.mark.parametrize("step", range(4))
def test_a_name_that_cannot_be_given_restores_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int):
    write_together(pair(tmp_path, "old"))
    left = iter(range(step, -10, -1))

    def failing(real: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: object, **options: object) -> None:
            if next(left) == 0:
                raise PermissionError(errno.EPERM, "not now")
            real(*arguments, **options)

        return call

    monkeypatch.setattr(os, "rename", failing(os.rename))
    monkeypatch.setattr(os, "link", failing(os.link))
    try:
        write_together(pair(tmp_path, "new"))
    except UnwrittenError:
        assert contents(tmp_path) == {"statement": "old", "table": "old"}
    else:  # a link that fails is done by a rename
        assert contents(tmp_path) == {"statement": "new", "table": "new"}


def test_rights_are_those_of_a_new_file_or_of_the_one_replaced(tmp_path: Path):
    file, before = tmp_path / "a", os.umask(0o027)
    try:
        write_together([(file, text("new"))])
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        file.chmod(0o600)
        write_together([(file, text("newer"))])
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_link_stays_one(tmp_path: Path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "file")
    for words in ("old", "new"):
        write_together([(tmp_path / "link", text(words))])
        assert (tmp_path / "far" / "file").read_text() == words
        assert (tmp_path / "link").is_symlink()


def test_places_where_no_file_can_be(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    for file in (tmp_path, tmp_path / "gone" / "file", tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(RelgaussError, match="cannot be written"):
            check_place(file)
        with pytest.raises(RelgaussError, match="cannot be written"):
            write_together([(file, text("new"))])
    assert Path("/dev/null").is_char_device()
    check_place(tmp_path / "file")
    assert {file.name for file in tmp_path.iterdir()} == {"pipe"}


def test_a_full_disk_is_met_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnwrittenError, match="No space left on device"):
        check_place(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
