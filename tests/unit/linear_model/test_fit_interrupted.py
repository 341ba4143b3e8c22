"""A fit that fails half-way says that its budget is spent."""

import numpy as np
import pytest

from relgauss.linear_model import PrivateRidge
from relgauss.records.blocks import HeldRows


class DiskError(Exception):
    pass


def break_at(patch: pytest.MonkeyPatch, last_pass: int) -> None:
    honest, passes = HeldRows.total, iter(range(100))

    def total(self: HeldRows, part: object) -> np.ndarray:
        if next(passes) == last_pass:
            raise DiskError
        return honest(self, part)

    patch.setattr(HeldRows, "total", total)


@pytest.mark.parametrize("mechanism", ["clipped", "isometric", "relative"])
@pytest.mark.parametrize(("last_pass", "spent"), [(0, False), (1, True), (7, True)])
def test_what_was_released_counts_as_spent(
    monkeypatch: pytest.MonkeyPatch, last_pass: int, spent: bool, mechanism: str
):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(5_000, 2))
    break_at(monkeypatch, last_pass)
    with pytest.raises(DiskError) as caught:
        PrivateRidge(15.0, mechanism=mechanism, random_state=0).fit(features, features @ [1.0, 2.0])
    notes = getattr(caught.value, "__notes__", [])
    assert notes == (["Releases had been made: epsilon=15 counts as spent."] if spent else [])
