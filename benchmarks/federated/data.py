"""The data of these benchmarks: the real set where it is at hand, else its stand-in, which says so."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from relgauss.paper.dataset import IJCNN1, Dataset
from relgauss.paper.files import read_files
from relgauss.paper.stand_in import stand_in

FILE = Path(__file__).parents[3] / "shared" / "data" / "ijcnn1.npz"

console = Console(width=150)


def ijcnn1() -> Dataset:
    """ijcnn1, all 141,691 records."""
    return read_files([FILE], IJCNN1) if FILE.exists() else stand_in("ijcnn1")
