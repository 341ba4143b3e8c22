"""Private quantiles of the sizes of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.accounting import GaussianDP
from relgauss.estimate.quantiles import Quantile, find_quantiles, norms_of_rows, quantile_cell
from relgauss.records.blocks import ArrayRows
from relgauss.spending import Spending


def test_reaches_are_quantiles_within_a_cell():
    rng = np.random.default_rng(0)
    sizes = np.abs(rng.normal(size=50_000))
    rows = ArrayRows(sizes[:, None], np.zeros(len(sizes)))
    quantile = Quantile(norms_of_rows, 10.0, 50.0, 0.02)
    (found,) = find_quantiles(
        "norms", rows, [quantile], Spending(GaussianDP(3.0), np.random.default_rng(1)), 1.0
    )
    exact = float(np.quantile(sizes, 0.98))
    assert exact / 1.2 < found < exact * 1.2


@given(arrays(float, st.integers(1, 40), elements=st.integers(0, 1000).map(float)), st.floats(0, 500))
def test_quantiles_without_noise_are_exact(counts: np.ndarray, above: float):
    cell = quantile_cell(counts, 0.0, above)
    assert counts[cell:].sum() <= above
    if cell > 0:
        assert counts[cell - 1 :].sum() > above


def test_quantiles_do_not_run_after_noise():
    counts = np.array([100.0, 1000.0, 50.0, 1.2, -0.7, 1.1])
    assert quantile_cell(counts, 1.0, 0.0) == 3
