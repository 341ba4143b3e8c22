"""Private quantiles of the sizes of rows."""

import numpy as np

from relgauss.accounting import GaussianDP
from relgauss.estimate.quantiles import Quantile, find_quantiles, norms_of_rows
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
