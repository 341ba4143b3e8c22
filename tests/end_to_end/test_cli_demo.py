"""``relgauss demo``, run as a user runs it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from relgauss.cli.demo_data import CEILING, JOBS, SPREAD

TARGET = ["--dim", "10", "--epsilon", "1", "--delta", "1e-6"]
BOUND = ["--eta", "0.01", "--r", "1"]

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_demo_s_pay_is_what_the_demo_says():
    for job in JOBS:
        pay = job.pay()
        assert pay.max() <= (1 + SPREAD) * pay.min()
        assert pay.max() <= CEILING
    assert max(job.mean for job in JOBS) > 95 * min(job.mean for job in JOBS)


def test_demo_releases_every_job_within_the_budget(as_json, tmp_path: Path):
    found = as_json("demo")
    assert found["simulated"] is False
    assert [job["name"] for job in found["jobs"]] == [job.title for job in JOBS]
    for job in found["jobs"]:
        assert job["relative"]["value"] == pytest.approx(job["mean"], rel=10 * SPREAD * 4.3 / job["people"])
        assert job["absolute"]["rms_error"] > 10 * job["relative"]["rms_error"]
    for statement in found["privacy"].values():
        assert statement["epsilon"] <= 1
        assert statement["delta"] == 1e-6
        assert not statement["simulated"]
    assert found["privacy"]["relative"]["conditions"][0] == {
        "text": "pay within a job differs by at most 10 %",
        "provenance": "assumed",
    }
    assert list(tmp_path.iterdir()) == []


def test_demo_with_secure_noise_never_repeats(as_json):
    assert as_json("demo")["jobs"] != as_json("demo")["jobs"]


def test_demo_with_a_seed_repeats_and_is_marked(relgauss: Run, as_json):
    found = as_json("demo", "--seed", "7")
    assert found == as_json("demo", "--seed", "7")
    assert found["jobs"] != as_json("demo", "--seed", "8")["jobs"]
    assert found["simulated"] is True
    assert all(statement["simulated"] for statement in found["privacy"].values())
    text = relgauss("demo", "--seed", "7").stdout
    assert text.startswith("SIMULATED, not private\n")


def test_demo_draws_beside_its_table(relgauss: Run, tmp_path: Path, is_picture):
    done = relgauss("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "SIMULATED" not in done.stdout
    assert done.stdout.endswith("Picture: relgauss-demo.png\n")
    assert is_picture(tmp_path / "relgauss-demo.png")


def test_the_command_that_the_demo_ends_with_works(relgauss: Run, tmp_path: Path):
    _, _, command = relgauss("demo").stdout.partition("Without assumptions: relgauss ")
    done = relgauss(*command.splitlines()[0].split(), "--json", "--seed", "0")  # one run in 200 misses a job
    assert (done.returncode, done.stderr) == (0, "")
    found = {row["group"]: row for row in json.loads(done.stdout)["groups"]}
    for job in JOBS:
        assert found[job.title]["n"] == job.people
        if job.people >= 100:
            assert found[job.title]["estimate"] == pytest.approx(job.mean, rel=0.5)


def test_demo_goes_without_a_file_that_it_cannot_write(relgauss: Run, tmp_path: Path):
    (tmp_path / "relgauss-demo.csv").mkdir()
    done = relgauss("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No file of everybody's pay: " in done.stdout


def test_demo_draws_where_it_is_told(as_json, tmp_path: Path, is_picture):
    assert as_json("demo", "--plot", "pay.svg")["plot"] == "pay.svg"
    assert [file.name for file in tmp_path.iterdir()] == ["pay.svg"]
    assert is_picture(tmp_path / "pay.svg")


@pytest.mark.usefixtures("no_matplotlib")
def test_demo_goes_without_a_picture_that_nobody_asked_for(relgauss: Run):
    done = relgauss("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "No picture: " in done.stdout
    assert "relgauss[plot]" in done.stdout
