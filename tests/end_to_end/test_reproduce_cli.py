"""``relgauss reproduce`` as a user runs it: files, JSON, and one clear line for every mistake."""

import csv
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

QUICK = ("--quick", "--seed", "1", "--panel", "random")


@pytest.fixture
def reproduce(relgauss, monkeypatch: pytest.MonkeyPatch):
    """On the embedded data."""
    monkeypatch.delenv("RELGAUSS_DATA", raising=False)
    return partial(relgauss, "reproduce")


def assert_one_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert all(word in done.stderr for word in words), done.stderr


def test_it_runs_anywhere_and_says_which_data_it_used(reproduce, tmp_path: Path):
    done = reproduce(*QUICK)
    assert (done.returncode, done.stderr) == (0, "")
    assert "data: synthetic stand-in for ijcnn1, 141,691 rows" in done.stdout
    assert "illustrative: constants read from the data" in done.stdout
    written = {file.name for file in (tmp_path / "relgauss-paper").iterdir()}
    assert written == {"random.png", "curves.csv"}
    assert (tmp_path / "relgauss-paper/random.png").read_bytes().startswith(b"\x89PNG")


def test_json_and_csv_hold_every_curve(reproduce, tmp_path: Path):
    done = reproduce(
        "--quick", "--seed", "1", "--panel", "label-small", "--panel", "bias", "--out", "o", "--json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    small, bias = found["panels"]
    assert set(small["missing"]) == {"rgm", "rgm-exact"}
    assert "the least is 0.00" in small["missing"]["rgm"]
    assert not bias["strict"]
    assert {Path(file).name for file in found["files"]} == {
        "label-small.png",
        "bias.png",
        "panels.png",
        "curves.csv",
    }
    with (tmp_path / "o/curves.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    last = [row for row in rows if row["panel"] == "bias" and row["step"] == "40"]
    assert {row["method"]: float(row["error"]) for row in last} == {
        name: each["final_error"][0] for name, each in bias["methods"].items()
    }
    assert {row["kind"] for row in last} == {"illustrative: constants read from the data", "not private"}
    assert len(rows) == 41 * (len(small["methods"]) + len(bias["methods"]))


def test_a_seed_repeats_everything(reproduce):
    first, second = (json.loads(reproduce(*QUICK, "--force", "--json").stdout) for _ in range(2))
    assert first == second


def npz(file: Path, rows: int = 49_990, dim: int = 22, positive: float = 1.0) -> str:
    rng = np.random.default_rng(0)
    labels = np.where(rng.random(rows) < 0.1, positive, -1)
    np.savez(file, X=rng.normal(size=(rows, dim)).astype(np.float32), y=labels)
    return str(file)


def test_a_given_file_is_used(reproduce, tmp_path: Path):
    file = npz(tmp_path / "mine.npz")
    for done in (
        reproduce(*QUICK, "--data", file, "--json"),
        reproduce(*QUICK, "--force", "--json", RELGAUSS_DATA=file),
    ):
        (panel,) = json.loads(done.stdout)["panels"]
        assert panel["data"] == "mine.npz"
        assert panel["methods"]["noiseless"]["final_error"][0] == 0  # so that nothing has a ratio to it
        assert panel["methods"]["noiseless"]["over_noiseless"][0] is None
        assert done.stderr == ""


def test_wrong_paths_are_one_line(reproduce, tmp_path: Path):
    assert_one_line(reproduce(*QUICK, "--data", "gone.npz"), "gone.npz", "does not exist", "--data")
    assert_one_line(reproduce(*QUICK, RELGAUSS_DATA="gone"), "gone", "RELGAUSS_DATA")
    assert_one_line(reproduce(*QUICK, "--data", str(tmp_path)), "holds none", "ijcnn1.npz")


def test_a_truncated_file_is_one_line(reproduce, tmp_path: Path):
    whole = Path(npz(tmp_path / "whole.npz")).read_bytes()
    (tmp_path / "cut.npz").write_bytes(whole[: len(whole) // 2])
    assert_one_line(reproduce(*QUICK, "--data", "cut.npz"), "cut.npz", "truncated")
    assert_one_line(
        reproduce(*QUICK, "--data", npz(tmp_path / "short.npz", rows=40_000)), "40,000 rows", "141,691"
    )


def test_wrong_features_and_labels_are_one_line(reproduce, tmp_path: Path):
    assert_one_line(
        reproduce(*QUICK, "--data", npz(tmp_path / "wide.npz", dim=23)), "23 features", "22 (ijcnn1)"
    )
    assert_one_line(reproduce(*QUICK, "--data", npz(tmp_path / "odd.npz", positive=2.0)), "labels", "+1")


def test_wrong_options_are_one_line(reproduce, tmp_path: Path):
    assert_one_line(reproduce("--panel", "left"), "left", "random, label, bias")
    assert_one_line(reproduce("--seed", "-1"), "--seed")
    (tmp_path / "file").write_text("")
    assert_one_line(reproduce(*QUICK, "--out", "file"), "file", "--out")


@pytest.mark.usefixtures("no_matplotlib")
def test_no_picture_without_matplotlib(reproduce):
    assert_one_line(reproduce(*QUICK), "pip install 'relgauss[plot]'")


def test_nothing_is_loaded_before_it_is_needed():
    script = "import sys, relgauss.cli.reproduce; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not {"matplotlib", "opendp", "scipy.stats", "sklearn"} & set(loaded.split())


def test_claims_are_a_table_and_a_page(reproduce, tmp_path: Path):
    done = reproduce("--claims", "--out", "pages")
    assert (done.returncode, done.stderr) == (0, "")
    assert "does not hold" in done.stdout
    page = (tmp_path / "pages/claims.md").read_text(encoding="utf-8")
    found = json.loads(reproduce("--claims", "--json").stdout)["claims"]
    assert page.count("| **") == 2 * len(found)
    assert {claim["verdict"] for claim in found} == {"holds", "holds corrected", "does not hold"}


def test_a_page_that_cannot_be_written_is_one_line(reproduce, tmp_path: Path):
    (tmp_path / "file").write_text("")
    assert_one_line(reproduce("--claims", "--out", "file"), "file", "--out")


def test_strict_mode_states_a_proven_epsilon_and_how_the_noise_was_drawn(reproduce, tmp_path: Path):
    options = ("--strict", "--quick", "--panel", "random", "--out", "o")
    done = reproduce(*options, "--seed", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "strict: nothing is read from the data outside the budget" in done.stdout
    assert "noise simulated, so nothing is private" in " ".join(done.stdout.split())
    assert {file.name for file in (tmp_path / "o").iterdir()} == {"strict-random.png", "strict-curves.csv"}
    secure = json.loads(reproduce(*options, "--force", "--json").stdout)["panels"][0]
    assert (secure["strict"], secure["simulated"]) == (True, False)
    assert all(each["epsilon"] > 11 for name, each in secure["methods"].items() if name != "noiseless")
