"""Commands destroy nothing: an input is never replaced, another file with --force only, no result is lost."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from relgauss.cli import main
from relgauss.errors import RelgaussError
from relgauss.linear_model import load_model
from relgauss.mechanisms.base import Mechanism

BUDGET = ["--epsilon", "1", "--delta", "1e-6"]
MEANS = ["--by", "job", "--value", "pay", *BUDGET, "--seed", "1"]
FIT = ["--target", "pay", "--features", "age", *BUDGET, "--seed", "1"]
COMPARE = ["compare", "--eta", "0.1", "--dim", "2", *BUDGET]
OLD = "older than this run"


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RELGAUSS_DATA", raising=False)
    lines = [f"clerk,{30_000 + number % 100},{20 + number % 40}" for number in range(3_000)]
    (tmp_path / "pay.csv").write_text("job,pay,age\n" + "\n".join(lines) + "\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "1.csv").write_bytes((tmp_path / "pay.csv").read_bytes())
    (tmp_path / "symbolic.csv").symlink_to("pay.csv")
    (tmp_path / "parts" / "linked.csv").hardlink_to(tmp_path / "pay.csv")
    (tmp_path / "alias").symlink_to("parts")
    return tmp_path


@pytest.fixture
def relgauss(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["relgauss", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        return Done(int(str(stopped.value.code)), *capsys.readouterr())

    return run


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be drawn, so no budget be spent, before a refusal."""

    def drawn(*_: object, **__: object) -> None:
        pytest.fail("noise was drawn before the mistake was found")

    monkeypatch.setattr(Mechanism, "release", drawn)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def assert_refused(done: Done, words: str) -> None:
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    assert done.stderr.startswith("Error: ")
    assert words in done.stderr


INPUTS = [
    ["means", "pay.csv", *MEANS, "--output", "pay.csv"],
    ["means", "pay.csv", *MEANS, "--output", "./parts/../pay.csv"],
    ["means", "pay.csv", *MEANS, "--output", "symbolic.csv"],
    ["means", "symbolic.csv", *MEANS, "--output", "pay.csv"],
    ["means", "pay.csv", *MEANS, "--output", "parts/linked.csv"],
    ["means", "parts", *MEANS, "--output", "parts/means.csv"],
    ["means", "parts", *MEANS, "--output", "alias/means.json"],
    ["means", "alias", *MEANS, "--output", "parts/new.csv"],
    ["means", "parts", *MEANS, "--output", "pay.csv"],
    ["means", "parts", *MEANS, "--plot", "parts/means.png"],
    ["means", "parts/*.csv", *MEANS, "--output", "parts/means.csv"],
    ["means", "alias/*.csv", *MEANS, "--output", "parts/MEANS.csv"],
    ["means", "**/*.csv", *MEANS, "--output", "parts/means.csv"],
    ["means", "**/*.csv", *MEANS, "--output", "means.csv"],
    ["fit", "pay.csv", *FIT, "--save", "pay.csv"],
    ["fit", "pay.csv", *FIT, "--save", "symbolic.csv"],
    ["fit", "parts/1.csv", *FIT, "--public-data", "pay.csv", "--save", "pay.csv"],
    ["predict", "model.json", "pay.csv", "--output", "pay.csv"],
    ["predict", "model.csv", "pay.csv", "--output", "model.csv"],
    ["reproduce", "--data", "paper/curves.csv", "--out", "paper"],
    ["reproduce", "--data", "paper", "--out", "paper"],
]


@pytest.mark.parametrize("arguments", INPUTS, ids=" ".join)
def test_an_input_is_never_replaced(relgauss: Run, no_noise, folder: Path, arguments: list[str]):
    (folder / "paper").mkdir()
    for name in ("model.json", "model.csv", "paper/curves.csv"):
        (folder / name).write_text(OLD)
    before = snapshot(folder)
    for force in ([], ["--force"]):
        assert_refused(relgauss(*arguments, *force), "which is never replaced. Choose another file.")
    assert snapshot(folder) == before


def test_other_files_beside_an_input_are_fine(relgauss: Run, folder: Path):
    assert relgauss("means", "parts/*.csv", *MEANS, "--output", "parts/means.json").code == 0
    assert relgauss("means", "parts/1.csv", *MEANS, "--output", "parts/means.csv").code == 0


EXISTING = [
    (["means", "gone.csv", *MEANS, "--output", "old.csv"], "old.csv"),
    (["means", "gone.csv", *MEANS, "--output", "old.csv"], "old.csv.privacy.json"),
    (["means", "gone.csv", *MEANS, "--plot", "old.png"], "old.png"),
    (["fit", "gone.csv", *FIT, "--save", "old.json"], "old.json"),
    (["fit", "gone.csv", *FIT, "--plot", "old.svg"], "old.svg"),
    (["predict", "gone.json", "gone.csv", "--output", "old.csv"], "old.csv"),
    ([*COMPARE, "--plot", "old.png"], "old.png"),
    (["audit", "--absolute", "1", "--dim", "1", *BUDGET, "--seed", "1", "--plot", "old.png"], "old.png"),
    (["demo", "--plot", "old.png"], "old.png"),
    (["reproduce", "--panel", "bias", "--out", "old"], "old/curves.csv"),
    (["reproduce", "--strict", "--panel", "bias", "--out", "old"], "old/strict-bias.png"),
    (["reproduce", "--claims", "--out", "old"], "old/claims.md"),
]


@pytest.mark.parametrize(("arguments", "file"), EXISTING, ids=lambda each: " ".join(each[:1]) + str(each[-1]))
def test_a_file_is_replaced_with_force_only(
    relgauss: Run, no_noise, folder: Path, arguments: list[str], file: str
):
    """The refusal comes before the data are read: they are not even there."""
    (folder / "old").mkdir()
    (folder / file).write_text(OLD)
    before = snapshot(folder)
    assert_refused(
        relgauss(*arguments), f"{file} exists. Choose another file, or pass --force to replace it."
    )
    assert snapshot(folder) == before


def test_with_force_a_table_and_its_statement_are_replaced(relgauss: Run, folder: Path):
    for name in ("old.csv", "old.csv.privacy.json", "old.png"):
        (folder / name).write_text(OLD)
    done = relgauss("means", "pay.csv", *MEANS, "--output", "old.csv", "--plot", "old.png", "--force")
    assert (done.code, done.stderr) == (0, "")
    assert "clerk" in (folder / "old.csv").read_text()
    assert json.loads((folder / "old.csv.privacy.json").read_text())["simulated"]
    assert (folder / "old.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_keeps_what_it_finds(relgauss: Run, folder: Path):
    assert relgauss("demo", "--seed", "1").code == 0
    first = snapshot(folder)
    again = relgauss("demo", "--seed", "2")
    assert "Without assumptions: relgauss means relgauss-demo.csv" in again.stdout  # the pay is the same
    assert "No picture: relgauss-demo.png exists." in again.stdout
    assert snapshot(folder) == first
    (folder / "relgauss-demo.csv").write_text(OLD)
    assert "No file of everybody's pay: relgauss-demo.csv exists." in relgauss("demo").stdout
    assert (folder / "relgauss-demo.csv").read_text() == OLD
    assert relgauss("demo", "--seed", "1", "--force").stdout.endswith("Picture: relgauss-demo.png\n")
    assert snapshot(folder)["relgauss-demo.csv"] == first["relgauss-demo.csv"]


# A disk that is full, a file that comes during the work


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Full from when the result is there: the first flush of all, before the work, still succeeds."""
    from relgauss import writing

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for module in ("means.write_release", "fit.write_all"):
        name, function = module.split(".")
        target = sys.modules[f"relgauss.cli.{name}"]
        real = getattr(target, function)

        def then_full(*arguments: object, real=real, **options: object) -> object:
            monkeypatch.setattr(writing, "_flush", full)
            return real(*arguments, **options)

        monkeypatch.setattr(target, function, then_full)


def test_what_was_spent_on_is_printed_where_the_disk_is_full(relgauss: Run, folder: Path, full_disk):
    before = snapshot(folder)
    done = relgauss("means", "pay.csv", *MEANS, "--output", "means.csv", "--plot", "means.png")
    assert done.code == 74
    assert "clerk" in done.stdout
    assert "Table:" not in done.stdout
    assert done.stderr.count("\n") == 1
    assert "means.csv" in done.stderr
    assert "No space left on device" in done.stderr
    assert snapshot(folder) == before


def test_a_model_is_printed_where_the_disk_is_full(relgauss: Run, folder: Path, full_disk):
    before = snapshot(folder)
    done = relgauss("fit", "pay.csv", *FIT, "--save", "model.json", "--json")
    assert done.code == 74
    assert "privacy" in json.loads(done.stdout)
    assert "model.json cannot be written: No space left on device." in done.stderr
    assert snapshot(folder) == before


def test_a_file_that_comes_during_the_work_is_kept_and_so_is_the_result(
    relgauss: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    from relgauss.cli import fit

    real = fit.write_all

    def late(writes: list[Callable[[], object]]) -> RelgaussError | None:
        (folder / "model.json").write_text(OLD)
        return real(writes)

    monkeypatch.setattr(fit, "write_all", late)
    done = relgauss("fit", "pay.csv", *FIT, "--save", "model.json")
    assert done.code == 74
    assert (folder / "model.json").read_text() == OLD
    assert "model.json cannot be written: File exists. What was made is kept in" in done.stderr
    (kept,) = folder.glob(".relgauss-*.json")
    assert kept.name in done.stderr
    assert load_model(kept).privacy_.simulated


def test_a_place_that_is_lost_during_the_work_does_not_keep_the_result_back(
    relgauss: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    from relgauss.cli import fit

    real = fit.write_all

    def late(writes: list[Callable[[], object]]) -> RelgaussError | None:
        (folder / "model.json").mkdir()
        return real(writes)

    monkeypatch.setattr(fit, "write_all", late)
    done = relgauss("fit", "pay.csv", *FIT, "--save", "model.json", "--json")
    assert done.code == 2
    assert "privacy" in json.loads(done.stdout)
    assert "model.json cannot be written: it is a folder." in done.stderr


def test_a_model_is_saved_under_an_ending_in_capitals(relgauss: Run, folder: Path):
    done = relgauss("fit", "pay.csv", *FIT, "--save", "model.JSON")
    assert (done.code, done.stderr) == (3, "")  # of a constant: age says nothing of pay
    assert load_model(folder / "model.JSON").privacy_.simulated


COMMAND = Path(sys.executable).with_name("relgauss")


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["demo", "--seed", "1"], "full"),
        (["calibrate", "--absolute", "1", "--dim", "1", *BUDGET, "--json"], "closed"),
    ],
)
def test_an_output_that_takes_nothing_is_one_line(arguments: list[str], place: str):
    if place == "full":
        stdout = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, stdout = os.pipe()
        os.close(reading)
    done = subprocess.run([COMMAND, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True)
    os.close(stdout)
    assert done.returncode == 74
    assert done.stderr.startswith("Error: The output ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("place", ["full", "closed", pytest.param("read-only", marks=pytest.mark.slow)])
def test_a_result_does_not_depend_on_where_errors_go(folder: Path, place: str):
    """What a budget was spent on is not lost because a sign of life cannot be shown."""
    quickly = "--range", "1000", "1000000"
    command = [COMMAND, "means", "pay.csv", *MEANS, *quickly, "--output", "means.csv"]
    if place == "closed":
        reading, stderr = os.pipe()
        os.close(reading)
    else:
        stderr = os.open("/dev/full", os.O_WRONLY) if place == "full" else os.open("pay.csv", os.O_RDONLY)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True)
    os.close(stderr)
    assert done.returncode == 0
    assert "Privacy: epsilon" in done.stdout
    assert (folder / "means.csv").exists()


def test_predictions_into_a_closed_pipe_are_one_line(relgauss: Run, folder: Path):
    relgauss("fit", "pay.csv", *FIT, "--save", "model.json")
    done = subprocess.run(
        f"{COMMAND} predict model.json pay.csv | head -1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
    )
    assert done.stdout == "prediction\n"
    assert (done.returncode, done.stderr.count("\n")) in [(74, 1), (0, 0)]  # 3,000 short lines may fit
    assert "Traceback" not in done.stderr


def test_an_interruption_is_one_line(relgauss: Run, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("relgauss.cli.demo.release_mean_pay", interrupt)
    assert relgauss("demo") == (130, "", "Error: Interrupted.\n")
