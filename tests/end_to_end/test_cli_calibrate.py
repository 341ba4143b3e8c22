"""``relgauss calibrate`` and ``compare``, run as a user runs them."""

import math
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import relgauss as rg

TARGET = ["--dim", "10", "--epsilon", "1", "--delta", "1e-6"]
BOUND = ["--eta", "0.01", "--r", "1"]

Run = Callable[..., subprocess.CompletedProcess[str]]


# Calibrate


@pytest.mark.parametrize("mechanism", ["auto", "isometric", "relative"])
@pytest.mark.parametrize("form", ["quadratic", "linear"])
def test_calibrate_gives_the_library_s_mechanism(as_json, mechanism: str, form: str):
    found = as_json("calibrate", *BOUND, "--form", form, *TARGET, "--steps", "3", "--mechanism", mechanism)
    bound = rg.RelativeSensitivity(0.01, 1.0, form)
    expected = rg.calibrate(bound, dim=10, epsilon=1.0, delta=1e-6, steps=3, mechanism=mechanism)
    assert found["mechanism"] == expected.name
    assert found["bound"] == asdict(bound)
    assert found["epsilon"] == pytest.approx(expected.epsilon(1e-6, 3), rel=1e-12)
    assert found["error"]["relative"] == pytest.approx(expected.limiting_relative_error)
    assert found["error"]["rms"] is None
    assert found["privacy"]["charges"][0]["times"] == 3
    stated, secure = found["privacy"]["conditions"]
    assert stated == {"text": bound.describe(), "provenance": "assumed"}
    assert "noise is secure" in secure["text"]
    parameters = dict(found["parameters"])
    if expected.name == "relative":
        assert parameters.pop("alpha") == pytest.approx(expected.best_order(1e-6, 3), rel=1e-4)
    assert parameters == pytest.approx({name: getattr(expected, name) for name in parameters})
    assert len(parameters) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [*BOUND, *TARGET],
        [*BOUND, *TARGET, "--mechanism", "relative", "--form", "linear"],
        ["--eta", "0.1", "--nonnegative", "--dim", "1", "--epsilon", "2", "--delta", "1e-5"],
        ["--absolute", "0.5", *TARGET],
    ],
)
def test_the_python_code_builds_the_mechanism_again(as_json, arguments: list[str]):
    found = as_json("calibrate", *arguments)
    names: dict[str, Any] = {}
    exec(found["python"], names)
    assert names["mechanism"].name == found["mechanism"]
    assert asdict(names["bound"]) == found["bound"]
    assert names["mechanism"].epsilon(found["target"]["delta"]) == pytest.approx(found["epsilon"], rel=1e-12)


def test_calibrate_an_absolute_bound(as_json):
    found = as_json("calibrate", "--absolute", "0.5", *TARGET)
    expected = rg.calibrate(rg.AbsoluteSensitivity(0.5), dim=10, epsilon=1.0, delta=1e-6)
    assert found["mechanism"] == "gaussian"
    assert found["parameters"] == {
        "noise_multiplier": expected.noise_multiplier,
        "noise_std": expected.noise_std,
        "mu": expected.mu,
    }
    assert found["error"] == {"rms": expected.rms_error(0.0), "relative": None, "norm": None}


def test_calibrate_reads_the_error_at_a_norm(as_json):
    error = as_json("calibrate", *BOUND, *TARGET, "--norm", "200", "--mechanism", "isometric")["error"]
    bound = rg.RelativeSensitivity(0.01, 1.0)
    expected = rg.calibrate(bound, dim=10, epsilon=1.0, delta=1e-6, mechanism="isometric", norm=200.0)
    assert error == {
        "rms": expected.rms_error(200.0),
        "relative": expected.rms_error(200.0) / 200,
        "norm": 200.0,
    }


def test_calibrate_prints_mechanism_statement_and_code(relgauss: Run):
    done = relgauss("calibrate", *BOUND, *TARGET, COLUMNS="300")
    assert (done.returncode, done.stderr) == (0, "")
    mechanism = rg.calibrate(rg.RelativeSensitivity(0.01, 1.0), dim=10, epsilon=1.0, delta=1e-6)
    assert done.stdout.startswith("IsometricGaussian\n")
    assert mechanism.statement(1e-6).text() in done.stdout
    assert "mechanism = rg.IsometricGaussian(bound, dim=10, noise_multiplier=" in done.stdout


@pytest.mark.parametrize("width", [60, 120])
def test_text_stays_inside_the_terminal(relgauss: Run, width: int):
    text = relgauss("compare", *BOUND, *TARGET, "--steps", "3", COLUMNS=str(width))
    assert text.returncode == 0
    assert max(len(line) for line in text.stdout.splitlines()) <= width


def test_an_answer_that_is_mostly_noise_is_noted_once(relgauss: Run, as_json):
    arguments = ["calibrate", "--eta", "0.5", *TARGET]
    assert "mostly noise" in as_json(*arguments)["notes"][0]
    done = relgauss(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Note:") == 1


# Compare


def test_compare_agrees_with_the_library(as_json):
    rows = as_json("compare", *BOUND, *TARGET)["rows"]
    expected = rg.compare(rg.RelativeSensitivity(0.01, 1.0), dim=10, epsilon=1.0, delta=1e-6)
    mechanisms = [row for row in rows if row["name"] != "relative, paper's theorem"]
    for row, library in zip(mechanisms, expected.rows, strict=True):
        assert row["name"] == library.name
        assert row["epsilon"] == pytest.approx(library.epsilon)
        assert row["error"]["relative"] == pytest.approx(library.error)
    assert [row["best"] for row in rows] == [True, False, False]
    errors = [row["error"]["relative"] for row in rows]
    assert errors == sorted(errors)


def test_compare_shows_what_the_paper_s_accounting_costs(as_json):
    rows = {row["name"]: row for row in as_json("compare", *BOUND, *TARGET)["rows"]}
    by_theorem = rows["relative, paper's theorem"]
    mechanism = rg.RelativeGaussian(
        rg.RelativeSensitivity(0.01, 1.0), dim=10, gamma=by_theorem["parameters"]["gamma"]
    )
    assert mechanism.epsilon(1e-6, method="theorem") == pytest.approx(1.0, rel=1e-6)
    assert by_theorem["error"]["relative"] == pytest.approx(mechanism.limiting_relative_error)
    assert by_theorem["error"]["relative"] > 1.3 * rows["relative"]["error"]["relative"]


def test_compare_says_what_is_out_of_reach(as_json):
    arguments = [*BOUND, "--dim", "22", "--steps", "10", "--epsilon", "1", "--delta", "1e-6"]
    rows = {row["name"]: row for row in as_json("compare", *arguments)["rows"]}
    assert rows["isometric"]["best"]
    for name in ("relative", "relative, paper's theorem"):
        assert rows[name]["epsilon"] > 1
        assert (rows[name]["error"], rows[name]["parameters"]) == (None, None)
        assert "cannot reach" in rows[name]["note"]


def test_compare_a_relative_and_an_absolute_bound(as_json):
    rows = as_json("compare", *BOUND, "--absolute", "1.5", "--norm", "200", *TARGET)["rows"]
    assert [row["name"] for row in rows] == [
        "gaussian",
        "isometric",
        "relative",
        "relative, paper's theorem",
    ]
    assert rows[0]["error"]["rms"] == pytest.approx(
        math.sqrt(10) * 1.5 * rows[0]["parameters"]["noise_multiplier"]
    )


@pytest.mark.parametrize("bound", [["--absolute", "2"], ["--eta", "0", "--r", "2"]])
def test_compare_bounds_that_do_not_grow(as_json, bound: list[str]):
    rows = as_json("compare", *bound, *TARGET)["rows"]
    assert rows[0]["error"]["rms"] == pytest.approx(2 * math.sqrt(10) * 4.2247, rel=1e-4)
    assert rows[0]["error"]["relative"] is None


@pytest.mark.parametrize("name", ["plot.png", "plot.svg", "plot.PDF"])
def test_compare_draws(relgauss: Run, tmp_path: Path, name: str, is_picture):
    done = relgauss("compare", *BOUND, *TARGET, "--plot", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Picture: {name}" in done.stdout
    assert is_picture((tmp_path / name).rename(tmp_path / name.lower()))
