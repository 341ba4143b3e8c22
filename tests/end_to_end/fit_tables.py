"""The tables and options that tests of ``relgauss fit`` and ``predict`` share."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

COUNT = 12_000
BUDGET = ["--target", "y", "--epsilon", "2", "--delta", "1e-6"]
COLOURS = ["--categories", "colour=red,blue"]
RANGES = {"a": "-6:6", "b": "0:100", "colour=blue": "0:1", "y": "-20:40"}
BOUNDS = [part for name, ends in RANGES.items() for part in ("--bounds", f"{name}={ends}")]
CLEAN = [*COLOURS, "--missing", "1.5"]


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


def made_frame() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=COUNT), "b": rng.uniform(0, 100, size=COUNT)})
    frame["colour"] = rng.choice(["red", "blue"], size=COUNT)
    frame["y"] = 2 * frame["a"] + frame["b"] / 10 + 3 * (frame["colour"] == "blue") + rng.normal(size=COUNT)
    return frame


def as_json(done: Done) -> dict[str, Any]:
    assert (done.code, done.stderr) == (0, "")
    return json.loads(done.stdout)


def is_one_line(done: Done, cause: str) -> None:
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert cause in done.stderr
