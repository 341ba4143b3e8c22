"""The list of mechanisms: what may enter it."""

import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError
from relgauss.mechanisms import Mechanism, register


@pytest.mark.parametrize(
    "wrong", ["gaussian", 3, None, int, rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1.0)]
)
def test_what_is_no_mechanism_is_refused(wrong):
    with pytest.raises(InvalidParameterError, match="derives from Mechanism"):
        register(wrong)


def test_an_unfinished_mechanism_is_refused_and_leaves_the_others_alone():
    class Unfinished(Mechanism):
        name = "unfinished"

    with pytest.raises(InvalidParameterError, match="bound_kind"):
        register(Unfinished)
    assert rg.calibrate(rg.RelativeSensitivity(0.01, 1.0), dim=2, epsilon=1.0, delta=1e-6).dim == 2
