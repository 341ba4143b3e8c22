"""A labelled data set, and the two that the paper uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Name = Literal["ijcnn1", "HIGGS"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features (32-bit, to halve the memory) and labels ±1; ``source`` says where they come from."""

    name: Name
    features: NDArray[np.float32]
    labels: NDArray[np.float64]
    source: str

    @property
    def rows(self) -> int:
        """The number of records."""
        return len(self.labels)


@dataclass(frozen=True)
class Published:
    """What is publicly known of a data set: enough to tell a wrong or truncated file from a right one.

    ``row_counts`` is empty where any number will do; ``label_values`` are those of the published files, in
    the order -1, +1.
    """

    name: Name
    dim: int
    row_counts: tuple[int, ...]
    label_values: tuple[float, float]
    most_rows: int
    file_names: tuple[tuple[str, ...], ...]


IJCNN1 = Published(
    "ijcnn1",
    22,
    (141_691, 49_990, 91_701),
    (-1.0, 1.0),
    141_691,
    (
        ("ijcnn1.npz",),
        ("ijcnn1.trn.bz2", "ijcnn1.tst.bz2"),
        ("ijcnn1.bz2", "ijcnn1.t.bz2"),
        ("ijcnn1", "ijcnn1.t"),
    ),
)
HIGGS = Published(
    "HIGGS",
    28,
    (),
    (0.0, 1.0),
    1_000_000,  # the paper truncates HIGGS here
    (("higgs.npz",), ("HIGGS.bz2",), ("HIGGS",), ("higgs_10984.csv.gz",)),
)
PUBLISHED = (IJCNN1, HIGGS)
