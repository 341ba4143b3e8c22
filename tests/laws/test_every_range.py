"""From one end of the doubles to the other: a number that is a bound, or an error of ours, and no warning."""

import math
import warnings

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import relgauss as rg
from relgauss.errors import MostlyNoiseWarning, RelgaussError

FORMS = ["quadratic", "linear"]


def log10_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda x: 10.0**x)


etas = st.one_of(
    st.just(0.0), log10_uniform(-300, 300), log10_uniform(-12, 8), st.sampled_from([1e6, 1e7, 1e8])
)
floors = st.one_of(st.just(0.0), st.just(1.0), log10_uniform(-300, 300), log10_uniform(-6, 6))
dims = st.sampled_from([1, 2, 10, 1000, 10**6])
epsilons = log10_uniform(-12, 3)
deltas = log10_uniform(-300, -0.3)
norms = st.one_of(st.none(), st.just(0.0), log10_uniform(-300, 300))


def ours(call):
    """The result of a call, or None if an error of ours refuses it; whatever else it does is a fault."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MostlyNoiseWarning)
        try:
            return call()
        except RelgaussError:
            return None


def assert_bounds(mechanism: rg.Mechanism, epsilon: float, delta: float, norm: float) -> None:
    found = [
        ours(lambda: mechanism.epsilon(delta)),
        ours(lambda: mechanism.delta(epsilon)),
        ours(lambda: mechanism.rdp(1 + 1e-9)),
        ours(lambda: mechanism.rdp(2.0)),
        ours(lambda: mechanism.rms_error(norm)),
        ours(lambda: mechanism.limiting_relative_error),
    ]
    if isinstance(mechanism, rg.RelativeGaussian):
        found += [ours(lambda: mechanism.epsilon(delta, 1, "theorem"))]
        found += [ours(lambda: mechanism.epsilon(delta, 1, "rdp"))]
        ours(lambda: mechanism.best_order(delta))
        tcdp = ours(mechanism.tcdp)
        if tcdp is not None:
            found += [ours(lambda: tcdp.epsilon(delta)), ours(lambda: tcdp.delta(epsilon))]
    assert all(each >= 0 for each in found if each is not None)  # False for NaN
    statement = ours(lambda: mechanism.statement(delta))
    assert "Privacy: epsilon" in ours(lambda: str(statement))
    assert ours(statement.to_json)


@settings(max_examples=settings.default.max_examples // 3, deadline=None)
@given(etas, floors, st.sampled_from(FORMS), dims, epsilons, deltas, norms)
@example(1e6, 1.0, "quadratic", 1, 1.0, 1e-6, None)
@example(1e7, 1.0, "linear", 10, 1.0, 1e-6, 0.0)
@example(1e8, 1.0, "quadratic", 1, 1e3, 0.5, 1.0)
@example(1e-11, 0.0, "quadratic", 1, 1.0, 1e-6, None)
@example(1e-100, 1e-140, "linear", 10**6, 1e-12, 1e-300, 1e300)
@example(1e-100, 1e140, "quadratic", 1, 1e-12, 1e-300, 1e300)
def test_relative_bounds(eta, r, form, dim, epsilon, delta, norm):
    bound = ours(lambda: rg.RelativeSensitivity(eta, r, form))
    if bound is None:
        return
    target = {"dim": dim, "epsilon": epsilon, "delta": delta}
    for choice in ("auto", "relative", "isometric", "gaussian"):
        found = ours(lambda choice=choice: rg.calibrate(bound, mechanism=choice, norm=norm, **target))
        if found is not None:
            assert found.releasable or (choice, r) == ("relative", 0.0)
            assert found.epsilon(delta) <= epsilon
            assert_bounds(found, epsilon, delta, norm or 0.0)
    table = ours(lambda: rg.compare(bound, norm=norm, **target))
    for row in table.rows if table else ():
        assert row.epsilon >= 0
    if eta > 0:
        built = ours(lambda: rg.RelativeGaussian(bound, dim, eta * eta))
        if built is not None:
            assert_bounds(built, epsilon, delta, norm or 0.0)


@given(log10_uniform(-320, 308), dims, epsilons, deltas, norms)
def test_absolute_bounds(r, dim, epsilon, delta, norm):
    bound = ours(lambda: rg.AbsoluteSensitivity(r))
    if bound is None:
        return
    target = {"dim": dim, "epsilon": epsilon, "delta": delta}
    found = ours(lambda: rg.calibrate(bound, norm=norm, **target))
    if found is not None:
        assert found.releasable
        assert_bounds(found, epsilon, delta, norm or 0.0)
    ours(lambda: rg.compare(bound, norm=norm, **target))


@pytest.mark.parametrize(
    ("form", "r"), [*(("quadratic", r) for r in (0.0, 1e-140, 1.0, 1e140)), ("linear", 1.0)]
)
@pytest.mark.parametrize("eta", [1e-100, 1e-11, 3e-10, 1e-3, 1.9, 1e3, 1e8])
def test_what_is_calibrated_can_be_released(eta, r, form):
    """Not only by its own word: a value of unit size, and one at the scale of the floor, are released.

    RelativeGaussian without a floor is for simulation only, and found only by name.
    """
    for choice in ("auto", "relative", "isometric"):
        found = ours(
            lambda choice=choice: rg.calibrate(
                rg.RelativeSensitivity(eta, r, form), dim=2, epsilon=100.0, delta=1e-6, mechanism=choice
            )
        )
        if found is not None and found.only_simulated:
            assert (choice, r) == ("relative", 0.0)
        elif found is not None:
            for value in (1.0, r or 1.0):
                assert all(map(math.isfinite, found.release([value, value])))
