"""A ledger of epsilon 1."""

from pathlib import Path

import pytest

from relgauss.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "pay.ledger", dataset="pay", unit="row", epsilon=1.0, delta=1e-6)
