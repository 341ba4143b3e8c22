"""`relgauss audit` as a user runs it: its verdict, its exit code, its picture."""

import json
import sys
from functools import partial
from pathlib import Path

import pytest

import relgauss as rg

TARGET = ["--dim", "2", "--epsilon", "4", "--delta", "1e-3"]
BOUND = ["--eta", "0.1", "--r", "1"]


@pytest.fixture
def audit(relgauss):
    return partial(relgauss, "audit")


@pytest.mark.parametrize("mechanism", ["isometric", "relative"])
def test_a_simulated_audit_is_marked_and_consistent(audit, mechanism: str):
    done = audit(*BOUND, *TARGET, "--mechanism", mechanism, "--seed", "1", "--samples", "100000")
    assert (done.returncode, done.stderr) == (0, "")
    assert "SIMULATED" in done.stdout
    assert "Audit: consistent" in done.stdout
    assert f"Mechanism  {mechanism}" in done.stdout


def test_json_says_what_the_text_says(audit):
    arguments = ["--absolute", "2", *TARGET, "--seed", "3", "--samples", "100000", "--confidence", "0.95"]
    found = json.loads(audit(*arguments, "--json").stdout)
    assert found["mechanism"] == "gaussian"
    assert found["verdict"] == "consistent"
    assert found["simulated"] is True
    assert (found["samples"], found["confidence"]) == (100_000, 0.95)
    mu = found["parameters"]["mu"]
    exact = rg.Gaussian(rg.AbsoluteSensitivity(2.0), 2, 1 / mu).epsilon(found["delta"])
    assert found["epsilon_claimed"] == pytest.approx(exact)
    assert 0.8 * exact < found["epsilon_lower"] < exact
    assert len(found["curve"]["epsilon"]) == len(found["curve"]["delta_lower"])
    assert found["bound"]["r"] == 2
    again = json.loads(audit(*arguments, "--json").stdout)
    assert again == found


def test_secure_noise_is_the_default(audit):
    arguments = [*BOUND, *TARGET, "--samples", "2000", "--confidence", "0.999999999"]
    done = audit(*arguments)
    assert done.returncode == 0
    assert "SIMULATED" not in done.stdout
    assert "of the claim" in done.stdout  # so few samples find little, and the command says so


def test_the_delta_and_the_picture_that_were_asked_for(audit, tmp_path: Path):
    done = audit(
        *BOUND,
        *TARGET,
        "--seed",
        "1",
        "--samples",
        "20000",
        "--audit-delta",
        "0.1",
        "--plot",
        "a.png",
    )
    assert done.returncode == 0
    assert "at delta 0.1" in done.stdout
    assert "Picture: a.png" in done.stdout
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_a_conviction_exits_with_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """No mechanism of the library is convicted, so one is broken on purpose."""
    from relgauss.cli import main
    from relgauss.mechanisms import Gaussian

    monkeypatch.setattr(Gaussian, "noise_std", property(lambda self: self.noise_multiplier / 2))
    arguments = ["audit", "--absolute", "1", *TARGET, "--seed", "1", "--samples", "20000", "--json"]
    monkeypatch.setattr(sys, "argv", ["relgauss", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "convicted"


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ([*TARGET], "No bound is stated"),
        ([*BOUND, *TARGET, "--samples", "10"], "at least 1000"),
        ([*BOUND, *TARGET, "--confidence", "95"], "confidence"),
        ([*BOUND, *TARGET, "--audit-delta", "1"], "delta"),
        ([*BOUND, *TARGET, "--seed", "-1"], "--seed"),
        ([*BOUND, *TARGET, "--plot", "a.txt"], ".png"),
        ([*BOUND, *TARGET, "--mechanism", "gaussian"], "absolute"),
        (["--eta", "0.01", *TARGET, "--mechanism", "relative"], "r = 0"),
    ],
)
def test_a_mistake_is_one_line_and_exits_with_two(audit, arguments: list[str], cause: str):
    done = audit(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert cause in done.stderr
