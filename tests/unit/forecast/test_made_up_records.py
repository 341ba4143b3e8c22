"""A small table stands for a large one: copies at a share of the budget are fitted alike."""

import numpy as np

from relgauss.accounting import gdp
from relgauss.linear_model import PrivateRidge


def test_copies_of_a_table_at_a_share_of_mu_are_fitted_like_the_table():
    rng = np.random.default_rng(2)
    features = rng.standard_normal((2_000, 3))
    labels = features @ [1.0, -1.0, 0.5] + rng.standard_normal(2_000)
    once = PrivateRidge(gdp.epsilon(0.8, 1e-6), 1e-6, random_state=4).fit(features, labels)
    copied = np.tile(features, (4, 1)), np.tile(labels, 4)
    alike = PrivateRidge(gdp.epsilon(0.2, 1e-6), 1e-6, random_state=4).fit(*copied)
    # Not to the last digit: what is put back of cut gradients follows the sampling error, too.
    np.testing.assert_allclose(alike.coef_, once.coef_, rtol=0.03)
    other = PrivateRidge(gdp.epsilon(0.8, 1e-6), 1e-6, random_state=4).fit(*copied)
    assert not np.allclose(other.coef_, once.coef_, rtol=0.03)
