"""A small payroll, and its means by job as tests ask for them."""

import numpy as np
import pandas as pd

from relgauss.grouped import GroupedRelease, release_means

BUDGET = {"epsilon": 1.0, "delta": 1e-6}
COLUMNS = ["group", "estimate", "lower", "upper", "n", "usable", "mechanism"]
FACTS = ["clipped_lower", "clipped_upper", "window_low", "window_high", "outside", "assumed_outside", "flag"]


def pay() -> pd.DataFrame:
    """Three jobs of very different pay and size, and one of two people."""
    rng = np.random.default_rng(0)
    jobs = {"clerk": (3e4, 400), "guard": (2.2e4, 40), "chief": (4e5, 150), "intern": (1e4, 2)}
    parts = [
        pd.DataFrame({"job": job, "salary": centre * np.exp(0.08 * rng.normal(size=n))})
        for job, (centre, n) in jobs.items()
    ]
    return pd.concat(parts, ignore_index=True)


def release(data: object | None = None, **options: object) -> GroupedRelease:
    options = {"by": "job", "value": "salary", "value_range": (1e3, 1e6), **BUDGET, **options}
    return release_means(pay() if data is None else data, **options)


def simulated(seed: int = 0, **options: object) -> GroupedRelease:
    return release(rng=np.random.default_rng(seed), **options)


def truth() -> pd.Series:
    return pay().groupby("job")["salary"].mean()
