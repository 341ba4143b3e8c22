"""Opacus' DP-SGD on a linear layer, in its own environment: a script that knows nothing of this project.

Poisson sampling, the PRV accountant, the second half averaged; clipping norm, learning rate and momentum are
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

STEPS, SAMPLE_RATE = 500, 0.1
CLIPPING_NORMS = (0.3, 1.0, 3.0, 10.0)
RATES = ((0.05, 0.9), (0.2, 0.9), (0.2, 0.97), (0.5, 0.97))  # learning rate, momentum
TUNING_ROWS = 20_000  # settings are tried on a part of a larger table, with the noise of the whole


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


def fit(X, y, multiplier: float, setting: tuple[float, tuple[float, float]], seed: int):
    """Coefficients and intercept."""
    clipping_norm, (rate, momentum) = setting
    generator = torch.Generator().manual_seed(seed)
    layer = torch.nn.Linear(X.shape[1], 1)
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    model = GradSampleModule(layer)
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum),
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
            part = np.random.default_rng(0).permutation(len(y))[:TUNING_ROWS]

            def excess(model: tuple[np.ndarray, float], task=task) -> float:
                error = np.mean((task["features"] @ model[0] + model[1] - task["labels"]) ** 2)
                return float((error - task["least"]) / (task["variance"] - task["least"]))

            for epsilon in settings["epsilons"]:
                multiplier = noise_multiplier(epsilon, settings["delta"])
                lower = multiplier * len(part) / len(y)
                tried = {
                    setting: excess(fit(X[part], y[part], lower, setting, seed=settings["seeds"]))
                    for setting in itertools.product(CLIPPING_NORMS, RATES)
                }
                best = min(tried, key=lambda setting: tried[setting])
                for seed in range(settings["seeds"]):
                    start = time.perf_counter()
                    coefficients, intercept = fit(X, y, multiplier, best, seed)
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
