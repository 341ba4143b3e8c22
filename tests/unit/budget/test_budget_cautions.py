"""Budgets that protect hardly anybody are told, where public numbers show it."""

from pathlib import Path

import numpy as np
import pytest

from relgauss.budget.budget import cautions_of_budget
from relgauss.linear_model import PrivateRidge, load_model, save_model


@pytest.mark.parametrize(
    ("epsilon", "delta", "persons", "told"),
    [(10.0, 1e-6, 1_000_000, 0), (10.1, 1e-6, 1_000, 1), (1.0, 1.1e-3, 1_000, 1), (50.0, 0.5, 3, 2)],
)
def test_an_epsilon_above_ten_and_a_delta_above_one_in_n_are_told(
    epsilon: float, delta: float, persons: int, told: int
):
    assert len(cautions_of_budget(epsilon, delta, persons)) == told


@pytest.mark.parametrize(("epsilon", "delta", "word"), [(50.0, 1e-6, "Epsilon 50"), (1.0, 0.5, "Delta 0.5")])
def test_a_fit_tells_them_in_its_summary_and_its_file(
    epsilon: float, delta: float, word: str, tmp_path: Path
):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(2_000, 2))
    model = PrivateRidge(epsilon, delta, random_state=0).fit(features, features @ [1.0, 2.0])
    assert f"Caution: {word}" in str(model.summary())
    save_model(model, tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").cautions_ == model.cautions_ != []


def test_an_ordinary_budget_has_none():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(2_000, 2))
    model = PrivateRidge(1.0, 1e-6, random_state=0).fit(features, features @ [1.0, 2.0])
    assert model.cautions_ == []
    assert "Caution" not in str(model.summary())
