"""Tables as they come: zeros, point masses, far clusters, heavy tails, dates, large units."""

import numpy as np

COUNT, COLUMNS = 10_000, 5
Table = tuple[np.ndarray, np.ndarray]


def wild_tables() -> dict[str, Table]:
    rng = np.random.default_rng(0)
    normal, noise = rng.normal(size=(COUNT, COLUMNS)), rng.normal(size=COUNT)

    def labelled(features: np.ndarray) -> Table:
        """A label that follows the features' logarithms, as much as noise."""
        logs = np.sign(features) * np.log1p(np.abs(features))
        signal = (logs / np.maximum(logs.std(axis=0), 1e-9)) @ np.linspace(1, 2, COLUMNS)
        return features, signal + signal.std() * noise

    tables = {}
    for part in (0.6, 0.8, 0.95, 0.98):
        is_kept = rng.random((COUNT, COLUMNS)) > part
        tables[f"{part:.0%} zeros"] = labelled(np.exp(1.5 * normal) * is_kept)
        label = np.exp(normal @ np.linspace(0.2, 0.6, COLUMNS)) * is_kept[:, 0]
        tables[f"{part:.0%} zeros in the label"] = normal, label
    line = normal.sum(axis=1) + noise
    giant, giant_label = normal.copy(), line.copy()
    giant[0], giant_label[0] = 1e15, -1e15
    dates = 1.7e9 + 3e7 * rng.random((COUNT, COLUMNS))
    return tables | {
        "point masses": labelled(rng.choice([7.0, 7.0, 7.0, 8.0, 1e4], size=normal.shape)),
        "two far clusters": labelled(np.where(rng.random(normal.shape) < 0.3, 1e6 + normal, normal)),
        "Cauchy features": labelled(rng.standard_cauchy(normal.shape)),
        "Cauchy errors": (normal, normal.sum(axis=1) + rng.standard_cauchy(COUNT)),
        "one giant": (giant, giant_label),
        "dates": (dates, (dates - 1.7e9).sum(axis=1) / 3e7 + 0.3 * noise),
        "large units": (1e16 * normal, 1e16 * line),
        "large units, far from zero": (1e16 * (5 + normal), 1e18 * line),
        "nothing to explain": (normal, noise),
        "nothing to explain, heavy tails": (normal, rng.standard_cauchy(COUNT)),
    }
