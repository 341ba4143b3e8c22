"""The installed command: its help, and one clear line for every mistake."""

import subprocess
from collections.abc import Callable

import pytest

import relgauss as rg

TARGET = ["--dim", "10", "--epsilon", "1", "--delta", "1e-6"]
BOUND = ["--eta", "0.01", "--r", "1"]

Run = Callable[..., subprocess.CompletedProcess[str]]


def with_target(**changed: str) -> list[str]:
    """The target, with some of its numbers changed: an option can be given once only."""
    options = dict(zip(TARGET[::2], TARGET[1::2], strict=True))
    options |= {f"--{name}": value for name, value in changed.items()}
    return [each for pair in options.items() for each in pair]


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


def test_the_installed_command_is_this_one(installed: Run, relgauss: Run):
    """Version, help and a mistake are the same in a process of their own: the other tests go without one."""
    assert relgauss("--version").stdout == f"relgauss {rg.__version__}\n"
    for arguments in (["--version"], ["calibrate", "--help"], ["calibrate", *BOUND, *with_target(dim="0")]):
        own, here = installed(*arguments), relgauss(*arguments)
        assert (own.returncode, own.stdout, own.stderr) == (here.returncode, here.stdout, here.stderr)


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
        (["calibrate", "--eta", "much", *TARGET], ["--eta", "much", "no number"]),
        (["calibrate", "--eta", "-1", *TARGET], ["--eta -1.0"]),
        (["calibrate", "--eta", "nan", *TARGET], ["--eta nan"]),
        (["calibrate", "--eta", "0", *TARGET], ["r 0.0"]),
        (["calibrate", *BOUND, "--form", "cubic", *TARGET], ["--form", "cubic", "quadratic"]),
        (["calibrate", *BOUND, *with_target(dim="0")], ["--dim 0"]),
        (["calibrate", *BOUND, *with_target(dim="1.5")], ["--dim", "1.5"]),
        (["calibrate", *BOUND, *with_target(epsilon="0")], ["--epsilon 0.0"]),
        (["calibrate", *BOUND, *with_target(epsilon="inf")], ["--epsilon inf"]),
        (["calibrate", *BOUND, *with_target(delta="1")], ["--delta 1.0"]),
        (["calibrate", *BOUND, *TARGET, "--dim", "3"], ["--dim is given twice", "once"]),
        (["calibrate", "--eta", "", *TARGET], ["--eta is empty"]),
        (["calibrate", *BOUND, *TARGET, "--steps", "0"], ["--steps 0"]),
        (["calibrate", *BOUND, *TARGET, "--norm", "-1"], ["--norm -1.0"]),
        (["calibrate", *BOUND, *TARGET, "--mechanism", "magic"], ["magic", "isometric"]),
        (["calibrate", *TARGET], ["--eta", "--absolute"]),
        (["calibrate", "--r", "1", *TARGET], ["--r", "--eta"]),
        (["calibrate", *BOUND, "--absolute", "1", *TARGET], ["--absolute", "relgauss compare"]),
        (["calibrate", "--absolute", "0", *TARGET], ["r 0.0"]),
        (["calibrate", *BOUND, *TARGET, "--mechanism", "gaussian"], ["gaussian", "--absolute"]),
        (["calibrate", "--absolute", "1", *TARGET, "--mechanism", "relative"], ["relative", "--eta"]),
        (
            ["calibrate", *BOUND, *TARGET, "--steps", "100", "--mechanism", "relative"],
            ["least epsilon is", "another mechanism"],
        ),
        (["compare", "--eta", "5", *with_target(epsilon="0.01")], ["nothing but noise", "spend more"]),
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
@pytest.mark.usefixtures("no_matplotlib")
def test_a_picture_without_matplotlib_is_a_mistake(relgauss: Run, command: list[str]):
    done = relgauss(*command, "--plot", "a.png")
    assert_one_line(done, "pip install 'relgauss[plot]'")


def test_a_terminal_without_unicode_is_no_mistake(relgauss: Run):
    done = relgauss("compare", *BOUND, *TARGET, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
