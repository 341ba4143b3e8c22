"""A table on a terminal: whole numbers at every width, with what they are of."""

import re

import numpy as np
import pandas as pd
import pytest

from relgauss.cli import output
from relgauss.cli.table_text import print_table_release
from relgauss.grouped import TableRelease, release_table

ASKED = ["mean", "median", "sum", "std", "q25", "q75", "q90", "count", "zeros", "missing"]


def release(asked: list[str] = ASKED, clerks: int = 300) -> TableRelease:
    rng = np.random.default_rng(1)
    job = np.repeat(["police officer", "crossing guard of the east side", "clerk"], [900, 400, clerks])
    pay = 65_432.1 * np.exp(0.3 * rng.normal(size=job.size))
    data = pd.DataFrame({"who": np.arange(job.size) // 2, "job": job, "pay": pay})
    return release_table(
        data,
        by="job",
        values={"pay": asked},
        person="who",
        groups=sorted(set(job)),
        value_range=(1.0, 1e7),
        signs="positive",
        epsilon=4.0,
        delta=1e-6,
        rng=rng,
    )


@pytest.mark.parametrize("width", [40, 80, 120, 240])
def test_no_number_is_broken(width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(output.console, "_width", width)
    made = release()
    print_table_release(made)
    printed = capsys.readouterr().out
    words = set(re.split(r"[\s:]+", printed))
    columns = made.data()
    for name in ("mean", "sum", "std", "q25", "q90"):
        for end in ("", "_lower", "_upper"):
            for number in columns[f"pay_{name}{end}"]:
                assert number is None or f"{number:,.0f}" in words or number < 1000
    assert "Every number is of rows kept" in " ".join(printed.split())


@pytest.mark.parametrize("asked", [["mean"], ASKED])
def test_a_count_that_is_mostly_noise_has_its_interval_and_a_mark(
    asked: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(output.console, "_width", 80)
    made = release(asked, clerks=4)
    print_table_release(made)
    printed = capsys.readouterr().out
    row = made.to_pandas().set_index("job").loc["clerk"]
    assert not row["count_usable"]
    ends = f"{row['count_lower']:,} to {row['count_upper']:,}"
    assert f"{ends} wide" in " ".join(printed.split()) if asked == ASKED else ends in printed
