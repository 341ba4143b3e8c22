"""The installed command, run as a user runs it."""

import json
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import relgauss as rg
from relgauss.cli.demo_data import CEILING, JOBS, SPREAD

TARGET = ["--dim", "10", "--epsilon", "1", "--delta", "1e-6"]
BOUND = ["--eta", "0.01", "--r", "1"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def no_matplotlib(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PYTHONPATH on which matplotlib cannot be imported."""
    folder = tmp_path_factory.mktemp("without")
    (folder / "matplotlib.py").write_text("raise ImportError")
    return str(folder)


def is_picture(file: Path) -> bool:
    start = file.read_bytes()[:200]
    signs = {".png": b"\x89PNG\r\n\x1a\n", ".pdf": b"%PDF-", ".svg": b"<?xml"}
    return start.startswith(signs[file.suffix])


# Help and version


def test_help_names_every_command(relgauss: Run):
    done = relgauss("--help")
    assert done.returncode == 0
    assert all(command in done.stdout for command in ("calibrate", "compare", "demo"))
    assert relgauss().stdout == done.stdout


@pytest.mark.parametrize("command", ["calibrate", "compare", "demo"])
def test_every_command_has_help_and_json(relgauss: Run, command: str):
    done = relgauss(command, "--help")
    assert done.returncode == 0
    assert "--json" in done.stdout


def test_version(relgauss: Run):
    assert relgauss("--version").stdout == f"relgauss {rg.__version__}\n"


def test_help_loads_nothing_slow():
    script = "import sys, relgauss.cli.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert not {"matplotlib", "opendp", "scipy.stats", "dp_accounting", "sklearn"} & set(loaded.split())


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
    assert found["privacy"]["conditions"] == [{"text": bound.describe(), "provenance": "assumed"}]
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
    expected = rg.calibrate(bound, dim=10, epsilon=1.0, delta=1e-6, mechanism="isometric")
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


@pytest.mark.parametrize("width", [60, 80, 120])
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
def test_compare_draws(relgauss: Run, tmp_path: Path, name: str):
    done = relgauss("compare", *BOUND, *TARGET, "--plot", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Picture: {name}" in done.stdout
    assert is_picture((tmp_path / name).rename(tmp_path / name.lower()))


# Demo


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


def test_demo_draws_beside_its_table(relgauss: Run, tmp_path: Path):
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


def test_demo_draws_where_it_is_told(as_json, tmp_path: Path):
    assert as_json("demo", "--plot", "pay.svg")["plot"] == "pay.svg"
    assert [file.name for file in tmp_path.iterdir()] == ["pay.svg"]
    assert is_picture(tmp_path / "pay.svg")


def test_demo_goes_without_a_picture_that_nobody_asked_for(relgauss: Run, no_matplotlib: str):
    done = relgauss("demo", PYTHONPATH=no_matplotlib)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No picture: " in done.stdout
    assert "relgauss[plot]" in done.stdout


# Mistakes


def assert_one_line(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """The mistake is told in one line on stderr that holds these words, and nothing else is printed."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith("\n")
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], ["nonsense", "--help"]),
        (["--nonsense"], ["--nonsense", "--help"]),
        (["calibrate"], ["--dim", "relgauss calibrate --help"]),
        (["calibrate", *BOUND, *TARGET, "extra"], ["extra"]),
        (["calibrate", "--eta", "much", *TARGET], ["--eta", "much", "float"]),
        (["calibrate", "--eta", "-1", *TARGET], ["eta=-1.0"]),
        (["calibrate", "--eta", "nan", *TARGET], ["eta=nan"]),
        (["calibrate", "--eta", "0", *TARGET], ["r=0.0"]),
        (["calibrate", *BOUND, "--form", "cubic", *TARGET], ["--form", "cubic", "quadratic"]),
        (["calibrate", *BOUND, *TARGET, "--dim", "0"], ["dim=0"]),
        (["calibrate", *BOUND, *TARGET, "--dim", "1.5"], ["--dim", "1.5"]),
        (["calibrate", *BOUND, *TARGET, "--epsilon", "0"], ["epsilon=0.0"]),
        (["calibrate", *BOUND, *TARGET, "--epsilon", "inf"], ["epsilon=inf"]),
        (["calibrate", *BOUND, *TARGET, "--delta", "1"], ["delta=1.0"]),
        (["calibrate", *BOUND, *TARGET, "--steps", "0"], ["steps=0"]),
        (["calibrate", *BOUND, *TARGET, "--norm", "-1"], ["norm=-1.0"]),
        (["calibrate", *BOUND, *TARGET, "--mechanism", "magic"], ["magic", "isometric"]),
        (["calibrate", *TARGET], ["--eta", "--absolute"]),
        (["calibrate", "--r", "1", *TARGET], ["--r", "--eta"]),
        (["calibrate", *BOUND, "--absolute", "1", *TARGET], ["--absolute", "relgauss compare"]),
        (["calibrate", "--absolute", "0", *TARGET], ["r=0.0"]),
        (["calibrate", *BOUND, *TARGET, "--mechanism", "gaussian"], ["gaussian", "--absolute"]),
        (["calibrate", "--absolute", "1", *TARGET, "--mechanism", "relative"], ["relative", "--eta"]),
        (
            ["calibrate", *BOUND, *TARGET, "--steps", "100", "--mechanism", "relative"],
            ["least epsilon is", "isometric"],
        ),
        (["compare", "--eta", "5", *TARGET, "--epsilon", "0.01"], ["nothing but noise", "spend more"]),
        (["compare", *BOUND, "--absolute", "1", *TARGET], ["--norm"]),
        (["compare", "--absolute", "1", *TARGET, "--plot", "a.png"], ["--norm"]),
        (["compare", *BOUND, *TARGET, "--norm", "0", "--plot", "a.png"], ["--norm"]),
        (["compare", *BOUND, *TARGET, "--plot", "a.bmp"], ["a.bmp", ".png"]),
        (["compare", *BOUND, *TARGET, "--plot", "absent/a.png"], ["absent/a.png", "folder"]),
        (["compare", *BOUND, *TARGET, "--json", "--plot", "absent/a.png"], ["absent/a.png"]),
        (["demo", "--plot", "absent/a.png"], ["absent/a.png", "folder"]),
        (["demo", "--plot", "plain"], ["plain", ".png"]),
        (["demo", "--seed", "-1"], ["--seed"]),
        (["demo", "--seed", "dice"], ["--seed", "dice"]),
    ],
)
def test_a_mistake_is_one_line(relgauss: Run, arguments: list[str], words: list[str]):
    assert_one_line(relgauss(*arguments), *words)


@pytest.mark.parametrize("command", [["compare", *BOUND, *TARGET], ["demo"]])
def test_a_picture_without_matplotlib_is_a_mistake(relgauss: Run, no_matplotlib: str, command: list[str]):
    done = relgauss(*command, "--plot", "a.png", PYTHONPATH=no_matplotlib)
    assert_one_line(done, "pip install 'relgauss[plot]'")


def test_a_terminal_without_unicode_is_no_mistake(relgauss: Run):
    done = relgauss("compare", *BOUND, *TARGET, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
