"""What the paper's theorem and its concentrated form say is for the noise that is released: on a lattice."""

import math

import pytest

import relgauss as rg
from relgauss.mechanisms.relative_theorem import relative_theorem, theorem_for

ETAS = [1e-13, 1e-9, 1e-3, 0.1, 1.0, 1e3]
FORMS = ["quadratic", "linear"]


def pair(eta: float, form: str, dim: int = 3) -> tuple[rg.RelativeGaussian, rg.RelativeGaussian]:
    """With a floor, released on a lattice; and without, for real-valued noise only."""
    gamma = (eta / 0.5) ** 2
    with_floor, without = (
        rg.RelativeGaussian(rg.RelativeSensitivity(eta, r, form), dim, gamma) for r in (1.0, 0.0)
    )
    return with_floor, without


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("eta", ETAS)
def test_both_statements_hold_for_the_whole_box(eta, form):
    """At every order below the theorem's own limit the exact divergence of the box is no larger."""
    released, _ = pair(eta, form)
    excess, tcdp = released.guarantee.excess, released.tcdp()
    for share in (1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-9):
        alpha = 1 + share / excess
        if alpha > 1:
            assert released.guarantee.rdp(alpha) <= theorem_for(released.guarantee)(alpha) * (1 + 1e-9)
            assert released.guarantee.rdp(alpha) <= tcdp.rdp(alpha) * (1 + 1e-9)
    assert tcdp.omega <= 1 + 1 / (2 * excess)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("eta", [1e-9, 1e-3, 0.1])
def test_a_lattice_costs_the_paper_something_too(eta, form):
    released, real = pair(eta, form)
    assert released.tcdp().rho > real.tcdp().rho
    assert released.tcdp().omega < real.tcdp().omega
    assert released.epsilon(1e-6, 10, "theorem") >= real.epsilon(1e-6, 10, "theorem")
    # Where the box ends but the continuous mechanism's does not, the paper's formula alone would be finite.
    alpha = 1 + (1 / released.guarantee.excess + 1 / real.guarantee.excess) / 2
    assert relative_theorem(eta, released.gamma, 3, alpha) < math.inf
    assert theorem_for(released.guarantee)(alpha) == released.guarantee.rdp(alpha) == math.inf


def test_without_a_lattice_it_is_the_papers_formula():
    _, real = pair(0.1, "quadratic")
    for alpha in (1.5, 2.0, 5.0):
        assert theorem_for(real.guarantee)(alpha) == pytest.approx(
            relative_theorem(0.1, real.gamma, 3, alpha), rel=1e-12
        )
