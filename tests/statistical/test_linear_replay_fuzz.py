"""Random fits to random and to hostile tables, replayed on hostile neighbours: no fault, no error, no NaN."""

from typing import Any

import numpy as np
import pytest

from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge

from .linear_transcript import Data, faults, fit_on_tape, replay

LARGEST = np.finfo(np.float64).max
LAST_STAGES = {"cut gradients", "gradient scatter", "shift", "check", "mean label"}  # fits get that far
HOSTILE = np.array([0.0, 5e-324, 1e-300, 1e-160, 1e-17, 1e-9, 1.0, 1e6, 1e9, 2.0**50, 1e150, 1e300, LARGEST])


def hostile(rng: np.random.Generator, shape: Any) -> np.ndarray:
    return rng.choice(HOSTILE, size=shape) * rng.choice([-1.0, 1.0], size=shape)


def random_features(rng: np.random.Generator, count: int, dim: int) -> np.ndarray:
    normal = rng.normal(size=(count, dim))
    match int(rng.integers(6)):
        case 0:
            return normal * 10.0 ** rng.integers(-20, 20, size=dim)
        case 1:
            return normal + 10.0 ** rng.integers(0, 8, size=dim)
        case 2:
            return hostile(rng, (count, dim))
        case 3:
            return rng.standard_cauchy((count, dim))
        case 4:
            return np.repeat(normal[:, :1], dim, axis=1)
        case _:
            return normal


def random_data(rng: np.random.Generator) -> Data:
    count, dim = int(rng.integers(1, 900)), int(rng.integers(1, 5))
    features = random_features(rng, count, dim)
    labels = features.clip(-1e100, 1e100) @ rng.normal(size=dim) * 10.0 ** rng.integers(-5, 5)
    match int(rng.integers(5)):
        case 0:
            return features, hostile(rng, count)
        case 1:
            return features, 1e-260 * labels
        case _:
            return features, labels + rng.normal(size=count)


def random_options(rng: np.random.Generator, dim: int) -> dict[str, Any]:
    choices: dict[str, tuple[float, Any]] = {
        "feature_bounds": (0.4, (-3.0, 3.0)),
        "label_bounds": (0.4, (-5.0, 5.0)),
        "alpha": (0.2, float(10.0 ** rng.integers(-3, 6))),
        "preconditioner": (0.15, np.diag(10.0 ** rng.integers(-3, 3, size=dim).astype(float))),
        "rho": (0.2, float(10.0 ** rng.uniform(-4, 0))),
        "clip_radius": (0.2, float(10.0 ** rng.uniform(-1, 1))),
        "clip_features": (0.3, False),
    }
    taken = {name: value for name, (chance, value) in choices.items() if rng.random() < chance}
    if "feature_bounds" in taken and rng.random() < 0.5:  # of some columns, or one end only
        known = rng.random((2, dim)) < 0.6
        taken["feature_bounds"] = tuple(np.where(known, [[-3.0], [3.0]], np.nan))
    mechanism = rng.choice(["clipped", "public-iterate", "isometric", "relative"], p=[0.35, 0.25, 0.3, 0.1])
    return taken | {
        "epsilon": float(10.0 ** rng.uniform(-1, 2.5)),
        "mechanism": str(mechanism),
        "fit_intercept": bool(rng.random() < 0.7),
        "random_state": int(rng.integers(2**32)),
    }


def neighbour(rng: np.random.Generator, data: Data) -> Data:
    features, labels = data[0].copy(), data[1].copy()
    place = int(rng.integers(len(labels)))
    features[place] = hostile(rng, features.shape[1])
    labels[place] = hostile(rng, 1)[0]
    return features, labels


def check_many(first: int, fits: int) -> None:
    stages = set[str]()
    for seed in range(first, first + fits):
        rng = np.random.default_rng(seed)
        data = random_data(rng)
        model = PrivateRidge(**random_options(rng, data[0].shape[1]))
        script = fit_on_tape(model, data)
        assert np.isfinite(model.coef_).all(), seed
        assert np.isfinite(model.intercept_), seed
        for _ in range(2):
            assert faults(script, replay(model, neighbour(rng, data), script)) == [], seed
        stages |= {charge.stage for charge in model.privacy_.charges}
    assert stages >= LAST_STAGES


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_random_fits_show_no_fault(first: int):
    check_many(first, 30)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 5_000, 500))
def test_many_random_fits_show_no_fault(first: int):
    check_many(first, 500)


def test_random_logistic_fits_show_no_fault():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        features, labels = random_data(rng)
        classes = (labels > np.median(labels)).astype(float)
        options = random_options(rng, features.shape[1])
        for name in ("mechanism", "label_bounds", "rho", "clip_radius"):
            options.pop(name, None)
        model = PrivateLogisticRegression(**options)
        script = fit_on_tape(model, (features, classes))
        assert np.isfinite(model.coef_).all(), seed
        other, _ = neighbour(rng, (features, classes))
        changed = classes.copy()
        place = int(np.flatnonzero((other != features).any(axis=1))[0]) if (other != features).any() else 0
        if (classes == 1 - classes[place]).any() and (np.delete(classes, place) == classes[place]).any():
            changed[place] = 1 - classes[place]  # both classes stay: which ones there are is public
        assert faults(script, replay(model, (other, changed), script)) == [], seed


def test_the_check_of_finite_records_is_silent():
    """One record whose sum overflows both ways."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 4))
    labels = features @ np.ones(4)
    model = PrivateRidge(20.0, random_state=0)
    script = fit_on_tape(model, (features, labels))
    features[0] = [LARGEST, LARGEST, -LARGEST, -LARGEST]
    assert faults(script, replay(model, (features, labels), script)) == []
