"""A mechanism that is written here and registered goes through everything, and nothing in src knows of it."""

import json
import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pytest
from typer.testing import CliRunner

import relgauss as rg
from relgauss.accounting import Guarantee
from relgauss.audit import audit
from relgauss.cli.app import app
from relgauss.mechanisms import register, registry
from relgauss.mechanisms.sensitivity import AbsoluteSensitivity
from relgauss.report.curves import epsilon_error_curves
from relgauss.report.question import Question

TARGET = {"dim": 3, "epsilon": 1.0, "delta": 1e-3}
OPTIONS = ["--absolute", "2", "--dim", "3", "--epsilon", "1", "--delta", "1e-3"]


@dataclass(frozen=True)
class Laplace(rg.Mechanism):
    """q + Laplace noise of scale b on each coordinate: sqrt(d) r/b-DP, as ||.||_1 <= sqrt(d) ||.||_2.

    Its noise is numpy's: a toy that only simulates.
    """

    sensitivity: AbsoluteSensitivity
    dim: int
    scale: float

    name = "laplace"
    title = "Laplace"
    theorem = "proofs/conversions.md"
    bound_kind = AbsoluteSensitivity

    @classmethod
    def with_noise(cls, sensitivity: AbsoluteSensitivity, dim: int, multiplier: float) -> Self:
        return cls(sensitivity, dim, multiplier * sensitivity.r)

    @property
    def parameters(self) -> dict[str, float]:
        return {"scale": self.scale}

    @property
    def guarantee(self) -> Guarantee:
        return rg.PureDP(math.sqrt(self.dim) * self.sensitivity.r / self.scale * (1 + 1e-12))

    def rms_error(self, norm: float) -> float:
        return math.sqrt(2 * self.dim) * self.scale

    @property
    def limiting_relative_error(self) -> float:
        return 0.0

    @property
    def only_simulated(self) -> bool:
        return True

    def check_releasable(self) -> None:
        raise rg.RelgaussError("A toy has no secure noise.", "Simulate it.")

    @property
    def needed_for_secure_noise(self) -> str:
        return "a real mechanism"

    def event(self) -> Any:
        raise rg.RelgaussError("A toy has no event.", "Use its epsilon.")

    def _release_secure(self, value: np.ndarray) -> np.ndarray:
        raise AssertionError("never reached")

    def _release_simulated(self, value: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
        return value + rng.laplace(0.0, self.scale, (count, self.dim))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_BY_NAME", dict(registry._BY_NAME))
    register(Laplace)


def run(*arguments: str) -> Any:
    done = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    return json.loads(done.stdout)


def test_calibrate_finds_its_least_noise():
    found = rg.calibrate(AbsoluteSensitivity(2.0), mechanism="laplace", **TARGET)
    assert isinstance(found, Laplace)
    assert 0.999 <= found.epsilon(1e-3) <= 1
    with pytest.raises(rg.RelgaussError, match="AbsoluteSensitivity"):
        rg.calibrate(rg.RelativeSensitivity(0.1, 1.0), mechanism="laplace", **TARGET)
    assert (
        rg.calibrate(AbsoluteSensitivity(2.0), **TARGET).name == "gaussian"
    )  # auto takes what can be released


def test_compare_shows_it():
    table = rg.compare(AbsoluteSensitivity(2.0), **TARGET)
    assert [row.name for row in table.rows] == ["gaussian", "laplace"]
    assert table.rows[1].note == "simulation only: secure noise needs a real mechanism"


def test_the_auditor_clears_it_and_convicts_a_quarter_of_its_noise():
    honest = rg.calibrate(AbsoluteSensitivity(2.0), mechanism="laplace", **TARGET)
    report = audit(honest, samples=100_000, rng=np.random.default_rng(0))
    assert report.verdict == "consistent"
    assert report.share > 0.3

    class QuarterNoise(Laplace):
        def _release_simulated(self, value: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
            return value + rng.laplace(0.0, self.scale / 4, (count, self.dim))

    faulty = QuarterNoise(honest.sensitivity, 3, honest.scale)
    assert audit(faulty, samples=100_000, rng=np.random.default_rng(0)).verdict == "convicted"


def test_the_command_line_takes_it():
    found = run("calibrate", *OPTIONS, "--mechanism", "laplace")
    assert found["mechanism"] == "laplace"
    assert list(found["parameters"]) == ["scale"]
    assert found["notes"] == ["Simulation only: secure noise needs a real mechanism."]
    assert "Laplace(bound, dim=3, scale=" in found["python"]
    assert "rg.Laplace" not in found["python"]
    rows = run("compare", *OPTIONS)["rows"]
    assert [row["name"] for row in rows] == ["gaussian", "laplace"]
    audited = run("audit", *OPTIONS, "--mechanism", "laplace", "--seed", "1", "--samples", "20000")
    assert (audited["mechanism"], audited["verdict"]) == ("laplace", "consistent")


def test_the_picture_draws_it(tmp_path):
    file = tmp_path / "curves.svg"
    run("compare", *OPTIONS, "--norm", "100", "--plot", str(file))
    assert file.read_bytes().startswith(b"<?xml")
    curves = epsilon_error_curves(AbsoluteSensitivity(2.0), Question(**TARGET, norm=100.0))
    assert [curve.label for curve in curves] == ["Laplace", "Gaussian, absolute bound"]


def test_a_name_is_taken_once():
    with pytest.raises(rg.RelgaussError, match="laplace"):
        register(Laplace)
