"""Private quantiles of the sizes of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.accounting import GaussianDP
from relgauss.estimate.quantiles import Quantile, find_quantiles, norms_of_rows, quantile_cell, tails
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


@given(arrays(float, st.integers(1, 40), elements=st.integers(0, 1000).map(float)), st.floats(0, 1))
def test_quantiles_without_noise_are_exact(counts: np.ndarray, above: float):
    records = int(counts.sum())
    cell = quantile_cell(counts, 0.0, records, above)
    assert counts[cell:].sum() <= above * records
    if cell > 0:
        assert counts[cell - 1 :].sum() > above * records


def test_quantiles_do_not_run_after_noise():
    counts = np.array([100.0, 1000.0, 50.0, 1.2, -0.7, 1.1])
    assert quantile_cell(counts, 1.0, 1150, 0.0) == 3


def test_where_noise_hides_half_of_the_records_a_quantile_is_near_them_nearly_always():
    """The number of records is public: it is known that all lie somewhere."""
    rng, counts, noise_std = np.random.default_rng(0), np.zeros(25), 500.0
    counts[11:15] = 1500.0
    cells = [quantile_cell(counts + rng.normal(0, noise_std, 25), noise_std, 6000, 0.2) for _ in range(400)]
    assert np.mean(np.array(cells) < 10) < 0.01


def test_the_noise_of_what_lies_beyond_is_as_said():
    rng, counts, noise_std = np.random.default_rng(0), np.full(25, 100.0), 30.0
    found = [tails(counts + rng.normal(0, noise_std, 25), noise_std, 2500) for _ in range(2000)]
    seen = np.array([tail for tail, _ in found])
    assert np.allclose(seen[:, 0], 2500)
    assert np.allclose(seen.mean(axis=0), 100.0 * np.arange(25, 0, -1), atol=8)
    assert np.allclose(seen.std(axis=0), found[0][1], atol=4)
