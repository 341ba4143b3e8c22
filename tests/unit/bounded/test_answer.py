"""Clipped rows lie within their radius."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from relgauss.arrays import row_norms
from relgauss.bounded.answer import clip_weights


@given(arrays(float, (4, 3), elements=st.floats(-1e150, 1e150)), st.floats(1e-3, 1e3))
def test_clipped_rows_fit_the_radius(rows: np.ndarray, radius: float):
    weights = clip_weights(row_norms(rows), radius)
    assert ((weights > 0) & (weights <= 1)).all()
    assert (row_norms(rows * weights[:, None]) <= radius * (1 + 1e-14)).all()
