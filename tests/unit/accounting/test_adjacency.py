"""Neighbours are part of a guarantee: what is for unlike ones is not composed."""

import pytest

import relgauss as rg
from relgauss.accounting import GaussianPairDP, adjacency
from relgauss.errors import InvalidParameterError

ADDED = [
    rg.GaussianDP(0.5, "add-or-remove"),
    rg.ApproximateDP(0.5, 1e-9, "add-or-remove"),
    rg.PureDP(0.5, "add-or-remove"),
    GaussianPairDP(0.5, 0.1, 3, "add-or-remove"),
    rg.RenyiDP(rg.RenyiTable((2.0,), (0.1,)), "add-or-remove"),
    rg.TruncatedConcentratedDP(0.1, 9.0, "add-or-remove"),
    rg.ZeroConcentratedDP(0.1, "add-or-remove"),
    rg.PoissonSampled(rg.GaussianDP(0.5, "add-or-remove"), 0.1),
]


@pytest.mark.parametrize("part", ADDED, ids=lambda part: type(part).__name__)
def test_mixing_is_refused_with_the_fix(part):
    with pytest.raises(InvalidParameterError, match="as_replace_one"):
        rg.compose(part, rg.GaussianDP(0.1))
    with pytest.raises(InvalidParameterError, match="as_replace_one"):
        rg.Parallel((part, rg.GaussianDP(0.1)))
    assert rg.compose(part, rg.Failure(1e-9)).neighbours == "add-or-remove"
    assert rg.compose(rg.as_replace_one(part), rg.GaussianDP(0.1)).neighbours == "replace-one"


def test_what_holds_for_any_neighbours_goes_with_all():
    assert adjacency.common("part", (None, "add-or-remove", None)) == "add-or-remove"
    assert adjacency.common("part", (None,)) is None
    assert rg.compose(rg.Failure(0.1)).neighbours == "replace-one"


@pytest.mark.parametrize("made", [rg.GaussianDP, rg.PureDP, rg.ZeroConcentratedDP])
def test_unknown_neighbours_are_refused_by_name(made):
    with pytest.raises(InvalidParameterError, match="neighbours"):
        made(0.5, "both")


def test_sampling_asks_for_its_own_neighbours():
    with pytest.raises(InvalidParameterError, match="PoissonSampled"):
        rg.Subsampled(rg.GaussianDP(0.5, "add-or-remove"), 0.1)
    with pytest.raises(InvalidParameterError, match="Subsampled"):
        rg.PoissonSampled(rg.GaussianDP(0.5), 0.1)
