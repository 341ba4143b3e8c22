"""What several unit tests share."""

import numpy as np
import pytest

from relgauss.noise import lattice
from relgauss.noise.lattice import round_to_lattice


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> list[tuple[np.ndarray, float, int]]:
    """Every call of the sampler: (value, std, exponent). Nothing is drawn: the value comes back rounded."""
    calls: list[tuple[np.ndarray, float, int]] = []

    def record(value: np.ndarray, std: float, exponent: int) -> np.ndarray:
        calls.append((value, std, exponent))
        return round_to_lattice(value, exponent)

    monkeypatch.setattr(lattice, "add_discrete_gaussian", record)
    return calls
