"""Compute the summaries that the embedded stand-ins are drawn from: ``python -m benchmarks.summaries``.

Needs ../shared/data; only aggregate numbers are written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from relgauss.paper.dataset import HIGGS, IJCNN1
from relgauss.paper.files import read_files
from relgauss.paper.summary import summarise

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
SUMMARIES = ROOT / "src" / "relgauss" / "paper" / "summaries"
ONE_HOT = 10  # the first features of ijcnn1
HIGGS_ROWS = 1_000_000  # the paper's; the slice that is summarised is smaller


def main() -> None:
    """Write both files."""
    ijcnn1 = read_files([DATA / "ijcnn1.npz"], IJCNN1)
    summarise("ijcnn1", ijcnn1.features, ijcnn1.labels, ONE_HOT).write(SUMMARIES / "ijcnn1.json")
    higgs = read_files([DATA / "higgs_10984.csv.gz"], HIGGS)
    found = summarise("HIGGS", higgs.features, higgs.labels, 0)
    replace(found, rows=HIGGS_ROWS).write(SUMMARIES / "higgs.json")


if __name__ == "__main__":
    main()
