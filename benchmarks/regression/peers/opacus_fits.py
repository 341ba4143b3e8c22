"""Opacus' DP-SGD on a linear layer, in its own environment: a script that knows nothing of this project.

Poisson sampling, the PRV accountant, momentum, the second half averaged; clipping norm and learning rate are
tuned on the private data, and nothing of the search is charged. Its neighbours add or remove a record, which
is easier to hide than the replacement that all other methods here are made for: the comparison favours it.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import torch
from opacus import GradSampleModule
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers import DPOptimizer

STEPS, SAMPLE_RATE, MOMENTUM = 500, 0.1, 0.9
CLIPPING_NORMS, LEARNING_RATES = (0.3, 1.0, 3.0), (0.05, 0.2)


@cache
def noise_multiplier(epsilon: float, delta: float) -> float:
    """The smallest that keeps the budget."""
    return get_noise_multiplier(
        target_epsilon=epsilon,
        target_delta=delta,
        sample_rate=SAMPLE_RATE,
        steps=STEPS,
        accountant="prv",
        epsilon_tolerance=0.01 * epsilon,
    )


def fit(X, y, multiplier: float, clipping_norm: float, rate: float, seed: int) -> tuple[np.ndarray, float]:
    """Coefficients and intercept."""
    generator = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(X.shape[1], 1)
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    model = GradSampleModule(layer)
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=rate, momentum=MOMENTUM),
        noise_multiplier=multiplier,
        max_grad_norm=clipping_norm,
        expected_batch_size=SAMPLE_RATE * len(y),
        generator=generator,
    )
    total = torch.zeros(X.shape[1] + 1)
    for step in range(STEPS):
        drawn = torch.rand(len(y), generator=generator) < SAMPLE_RATE
        optimizer.zero_grad()
        # Opacus multiplies by the batch's size what a mean divides by it, and divides by the expected one.
        loss = 0.5 * ((model(X[drawn])[:, 0] - y[drawn]) ** 2).mean()
        loss.backward()
        optimizer.step()
        if step >= STEPS // 2:
            total += torch.cat([layer.weight.detach()[0], layer.bias.detach()])
    mean = (total / (STEPS - STEPS // 2)).numpy().astype(float)
    return mean[:-1], float(mean[-1])


def main() -> None:
    """Write a line of JSON for each fit at the best setting of each cell."""
    settings = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with Path(settings["fits"]).open("w") as lines:
        for file in sorted(Path(settings["tasks"]).glob("*.npz")):
            task = np.load(file)
            X, y = (torch.tensor(task[name], dtype=torch.float32) for name in ("features", "labels"))

            def excess(model: tuple[np.ndarray, float], task=task) -> float:
                error = np.mean((task["features"] @ model[0] + model[1] - task["labels"]) ** 2)
                return float((error - task["least"]) / (task["variance"] - task["least"]))

            for epsilon in settings["epsilons"]:
                multiplier = noise_multiplier(epsilon, settings["delta"])
                tried = {
                    setting: excess(fit(X, y, multiplier, *setting, seed=settings["seeds"]))
                    for setting in itertools.product(CLIPPING_NORMS, LEARNING_RATES)
                }
                best = min(tried, key=lambda setting: tried[setting])
                for seed in range(settings["seeds"]):
                    start = time.perf_counter()
                    coefficients, intercept = fit(X, y, multiplier, *best, seed=seed)
                    line = {
                        "method": "Opacus, tuned on the private data",
                        "task": file.stem,
                        "epsilon": epsilon,
                        "seed": seed,
                        "seconds": time.perf_counter() - start,
                        "coefficients": coefficients.tolist(),
                        "intercept": intercept,
                    }
                    lines.write(json.dumps(line) + "\n")
                    lines.flush()


main()
