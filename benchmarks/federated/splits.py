"""The paper's three splits, over any even number of nodes."""

from __future__ import annotations

import numpy as np

from relgauss.paper.dataset import Dataset
from relgauss.paper.node_objective import NodeObjective
from relgauss.paper.panels import Split

TO_EACH = 50  # random records that each node gets before the rest goes by label
BIAS = 100.0  # every coordinate of the second half's shift


def split_over(data: Dataset, split: Split, count: int, rng: np.random.Generator) -> list[NodeObjective]:
    """Random; by label (the first half of the nodes gets the positive records); biased second half."""
    order = rng.permutation(data.rows)
    if split == "label":
        first, rest = order[: count * TO_EACH], order[count * TO_EACH :]
        positive = data.labels[rest] > 0
        halves = [*np.array_split(rest[positive], count // 2), *np.array_split(rest[~positive], count // 2)]
        parts = [np.concatenate(each) for each in zip(np.array_split(first, count), halves, strict=True)]
    else:
        parts = np.array_split(order, count)
    dim = data.features.shape[1]
    shifts = [np.full(dim, BIAS if split == "bias" and k >= count // 2 else 0.0) for k in range(count)]
    return [
        NodeObjective(data.features[part], data.labels[part], shift)
        for part, shift in zip(parts, shifts, strict=True)
    ]
