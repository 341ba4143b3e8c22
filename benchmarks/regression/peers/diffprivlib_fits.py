"""diffprivlib's LinearRegression in its own environment: a script that knows nothing of this project.

Its guarantee is pure epsilon-DP, stronger than what the others give at delta = 1e-6. It is run as documented,
and with a column of ones in place of its own intercept, which splits its budget differently.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from diffprivlib.models import LinearRegression


def main() -> None:
    """Write a line of JSON for each fit."""
    settings = json.loads(sys.argv[1])
    warnings.simplefilter("ignore")  # of its optimiser, which often does not converge on a noisy objective
    with Path(settings["fits"]).open("w") as lines:
        for file in sorted(Path(settings["tasks"]).glob("*.npz")):
            task = np.load(file)
            X, y = task["features"], task["labels"]
            with_ones = np.column_stack([X, np.ones(len(y))])
            for epsilon in settings["epsilons"]:
                for seed in range(settings["seeds"]):
                    for own_intercept in (True, False):
                        start = time.perf_counter()
                        model = LinearRegression(
                            epsilon=epsilon,
                            bounds_X=(-1, 1),
                            bounds_y=(-1, 1),
                            fit_intercept=own_intercept,
                            random_state=seed,
                        ).fit(X if own_intercept else with_ones, y)
                        seconds = time.perf_counter() - start
                        slopes = model.coef_[: X.shape[1]].tolist()
                        kind = "" if own_intercept else ", column of ones"
                        fit = {
                            "method": f"diffprivlib LinearRegression{kind}",
                            "task": file.stem,
                            "epsilon": epsilon,
                            "seed": seed,
                            "seconds": seconds,
                            "coefficients": slopes,
                            "intercept": float(model.intercept_ if own_intercept else model.coef_[-1]),
                        }
                        lines.write(json.dumps(fit) + "\n")


main()
