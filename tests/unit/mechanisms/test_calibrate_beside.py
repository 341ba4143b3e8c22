"""Calibration beside other charges, and for steps on drawn records."""

import math
from dataclasses import replace

import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError, UnreachableTargetError
from relgauss.mechanisms import Target

TARGET = {"dim": 5, "epsilon": 1.0, "delta": 1e-6}
RELATIVE = rg.RelativeSensitivity(0.01, 1.0, on_batches=True)
ABSOLUTE = rg.AbsoluteSensitivity(1.0, on_batches=True)
ADDED = replace(ABSOLUTE, neighbours="add-or-remove")
BESIDE = [
    [rg.PureDP(0.2)],
    [(rg.GaussianDP(0.05), 4), rg.Failure(1e-8)],
    [rg.Charge("test", rg.ApproximateDP(0.1, 1e-7), "proofs/certificates.md")],
    [rg.ZeroConcentratedDP(0.002)],
]


@pytest.mark.parametrize("beside", BESIDE, ids=["pure", "gaussian", "charge", "zcdp"])
@pytest.mark.parametrize("name", ["isometric", "relative", "gaussian"])
def test_everything_together_keeps_the_target_and_nearly_spends_it(name, beside):
    bound = ABSOLUTE if name == "gaussian" else RELATIVE
    found = rg.calibrate(bound, **TARGET, steps=3, mechanism=name, beside=beside)
    together = rg.compose((found, 3), *beside).epsilon(1e-6)
    assert 0.9985 <= together <= 1.0
    alone = rg.calibrate(bound, **TARGET, steps=3, mechanism=name)
    assert found.rms_error(1.0) > alone.rms_error(1.0)


def test_beside_gaussians_mu_squared_is_what_is_left():
    mu = rg.Budget(1.0, 1e-6).mu
    found = rg.calibrate(ABSOLUTE, **TARGET, beside=[rg.GaussianDP(0.6 * mu)])
    assert found.mu == pytest.approx(0.8 * mu, rel=1e-3)


@pytest.mark.parametrize(
    ("bound", "sampling", "name"),
    [
        (ADDED, rg.PoissonSamples(0.01), "gaussian"),
        (ABSOLUTE, rg.Batches(0.01), "gaussian"),
        (RELATIVE, rg.Batches(0.05), "isometric"),
        (RELATIVE, rg.Batches(0.05), "relative"),
        (replace(RELATIVE, neighbours="add-or-remove"), rg.PoissonSamples(0.05), "relative"),
    ],
)
def test_sampled_steps_keep_the_target_and_need_less_noise(bound, sampling, name):
    found = rg.calibrate(bound, **TARGET, steps=100, mechanism=name, sampling=sampling)
    together = rg.compose((found.on_draws(sampling), 100))
    assert 0.9985 <= together.epsilon(1e-6) <= 1.0
    assert together.neighbours == sampling.neighbours
    statement = found.statement(1e-6, steps=100, sampling=sampling)
    assert statement.epsilon() == together.epsilon(1e-6) == found.epsilon(1e-6, 100, sampling=sampling)
    assert found.delta(1.0, 100, sampling=sampling) == together.delta(1.0)
    assert sampling.condition in {each.text for each in statement.charges[0].conditions}
    assert rg.PrivacyStatement.from_json(statement.to_json()) == statement
    alone = rg.calibrate(bound, **TARGET, steps=100, mechanism="auto")  # the relative one is out of reach
    assert found.rms_error(1.0) < alone.rms_error(1.0)


@pytest.mark.parametrize("beside", [[rg.PureDP(1.2)], [rg.Failure(2e-6)], [(rg.GaussianDP(0.1), 30)]])
@pytest.mark.parametrize("bound", [ABSOLUTE, RELATIVE])
def test_what_alone_is_too_much_is_named(bound, beside):
    with pytest.raises(UnreachableTargetError, match="What is beside costs epsilon="):
        rg.calibrate(bound, **TARGET, beside=beside)


def test_compare_ranks_them_under_the_same_target():
    beside = [rg.PureDP(0.1)]
    table = rg.compare(RELATIVE, **TARGET, steps=20, sampling=rg.Batches(0.1), beside=beside)
    assert {row.name for row in table.rows} == {"isometric", "relative"}
    for row in table.rows:
        once = row.mechanism.on_draws(rg.Batches(0.1))
        assert rg.compose((once, 20), *beside).epsilon(1e-6) == row.epsilon <= 1.0
    assert table.best.mechanism == rg.calibrate(
        RELATIVE, **TARGET, steps=20, sampling=rg.Batches(0.1), beside=beside
    )


def test_a_bound_that_is_not_for_draws_is_refused():
    """What holds on the table says nothing of its batches; and each way to draw has its neighbours."""
    for bound in (rg.RelativeSensitivity(0.01, 1.0), rg.AbsoluteSensitivity(1.0)):
        for act in (rg.calibrate, rg.compare):
            with pytest.raises(InvalidParameterError, match="on_batches"):
                act(bound, **TARGET, sampling=rg.Batches(0.1))
    with pytest.raises(InvalidParameterError, match="neighbours"):
        rg.calibrate(ABSOLUTE, **TARGET, sampling=rg.PoissonSamples(0.1))
    with pytest.raises(InvalidParameterError, match="neighbours"):
        rg.calibrate(ADDED, **TARGET, sampling=rg.Batches(0.1))
    with pytest.raises(InvalidParameterError, match="on_batches"):
        rg.Gaussian(rg.AbsoluteSensitivity(1.0), 2, 1.0).on_draws(rg.Batches(0.1))


def test_nonsense_is_refused_by_name():
    for beside in (rg.PureDP(0.1), "a", 3):
        with pytest.raises(InvalidParameterError, match="beside"):
            rg.calibrate(ABSOLUTE, **TARGET, beside=beside)
    with pytest.raises(InvalidParameterError, match="part"):
        rg.calibrate(ABSOLUTE, **TARGET, beside=[0.1])
    for sampling in (0.1, "poisson", rg.Batches):
        with pytest.raises(InvalidParameterError, match="sampling"):
            Target(1.0, 1e-6, 1, (), sampling)
    for promise in ("yes", None, 1):
        with pytest.raises(InvalidParameterError, match="on_batches"):
            rg.AbsoluteSensitivity(1.0, on_batches=promise)
    with pytest.raises(InvalidParameterError, match="neighbours"):
        rg.RelativeSensitivity(0.1, neighbours="both")
    with pytest.raises(InvalidParameterError, match="as_replace_one"):
        rg.calibrate(ABSOLUTE, **TARGET, beside=[rg.GaussianDP(0.1, "add-or-remove")])


def test_where_the_rest_takes_everything_nothing_is_left():
    for bound in (ABSOLUTE, RELATIVE):
        with pytest.raises(UnreachableTargetError):
            rg.calibrate(bound, **TARGET, beside=[rg.PureDP(2.0)])
        with pytest.raises(UnreachableTargetError):
            rg.calibrate(bound, **TARGET, beside=[rg.Failure(1e-5)])


def test_the_words_say_what_moves_the_answer():
    assert "adding or removing one record" in ADDED.describe()
    assert "on every batch" in RELATIVE.describe()
    assert math.isclose(ADDED.to_relative().r, 1.0)
    assert ADDED.to_relative().neighbours == "add-or-remove"
    statement = rg.Gaussian(ADDED, 2, 3.0).statement(1e-6)
    assert "added or removed" in statement.text()
    assert rg.PrivacyStatement.from_json(statement.to_json()) == statement
