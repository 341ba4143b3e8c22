"""The panels of the paper's figures: which data, how it is split over two nodes, at which epsilon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from relgauss.paper.dataset import Dataset, Name
from relgauss.paper.node_objective import NodeObjective

Split = Literal["random", "label", "bias"]

ALPHA = 2.0  # the Rényi order of every guarantee
STEPS = 40
_TO_EACH = 50  # random records that each node gets before the rest goes by label
_BIAS = 100.0  # every coordinate of B


@dataclass(frozen=True)
class Panel:
    """One picture: (alpha, epsilon)-RDP for every release of every node."""

    name: str
    title: str
    data: Name
    split: Split
    epsilon: float
    in_paper: str = ""


PANELS = (
    Panel("random", "ijcnn1, random split, ε = 0.1", "ijcnn1", "random", 0.1, "Figure 1, left"),
    Panel("label", "ijcnn1, split by label, ε = 0.1", "ijcnn1", "label", 0.1, "Figure 1, middle"),
    Panel("bias", "ijcnn1, biased objective, ε = 0.1", "ijcnn1", "bias", 0.1, "Figure 1, right"),
    Panel("higgs", "HIGGS, random split, ε = 0.01", "HIGGS", "random", 1e-2, "Figure 2, left"),
    Panel("random-small", "ijcnn1, random split, ε = 0.001", "ijcnn1", "random", 1e-3, "Figure 2, right"),
    Panel("label-small", "ijcnn1, split by label, ε = 0.001", "ijcnn1", "label", 1e-3),
)


def split_over_nodes(data: Dataset, split: Split, rng: np.random.Generator) -> list[NodeObjective]:
    """Two nodes' objectives; rows are shuffled first, since the files follow a sliding window."""
    order = rng.permutation(data.rows)
    if split == "label":
        rest = order[2 * _TO_EACH :]
        positive = data.labels[rest] > 0
        parts = [
            np.concatenate([order[:_TO_EACH], rest[positive]]),
            np.concatenate([order[_TO_EACH : 2 * _TO_EACH], rest[~positive]]),
        ]
    else:
        parts = np.array_split(order, 2)
    dim = data.features.shape[1]
    shifts = (np.zeros(dim), np.full(dim, _BIAS if split == "bias" else 0.0))
    return [
        NodeObjective(data.features[part], data.labels[part], shift)
        for part, shift in zip(parts, shifts, strict=True)
    ]


def step_size(objectives: list[NodeObjective]) -> float:
    """0.5 over the largest eigenvalue of any node's matrix, for every method."""
    return 0.5 / max(float(np.linalg.eigvalsh(each.matrix)[-1]) for each in objectives)
