"""The table behind the choice: the best first, the same numbers as calibration, and honest notes."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import relgauss as rg
from relgauss.audit import audit
from relgauss.errors import MostlyNoiseWarning
from relgauss.mechanisms.compare import ranking

TARGET = {"dim": 10, "epsilon": 0.5, "delta": 1e-6}
SMALL = rg.RelativeSensitivity(1e-3, 1.0)


@pytest.mark.parametrize("norm", [None, 0.0, 50.0, 1e6])
@pytest.mark.parametrize("steps", [1, 3])
def test_rows_hold_what_calibration_gives(norm, steps):
    table = rg.compare(SMALL, norm=norm, steps=steps, **TARGET)
    assert {row.name for row in table.rows} == {"isometric", "relative"}
    assert table.norm == norm
    for row in table.rows:
        m = rg.calibrate(SMALL, mechanism=row.name, steps=steps, norm=norm, **TARGET)
        assert row.mechanism == m
        assert row.epsilon == m.epsilon(1e-6, steps)
        assert row.error == (m.limiting_relative_error if norm is None else m.rms_error(norm))
        assert row.note == ""


@pytest.mark.parametrize("norm", [None, 0.0, 1e6])
def test_the_best_row_comes_first_and_is_the_automatic_choice(norm):
    table = rg.compare(SMALL, norm=norm, **TARGET)
    errors = [row.error for row in table.rows]
    assert errors == sorted(errors)
    assert table.best is table.rows[0]
    assert table.best.mechanism == rg.calibrate(SMALL, norm=norm, **TARGET)


def test_a_comparison_prints_as_a_table():
    head, names, *rows = str(rg.compare(rg.RelativeSensitivity(0.1, 1.0), **TARGET)).splitlines()
    assert head.startswith("error: root mean square; found")
    assert names.split() == ["mechanism", "epsilon", "error", "found", "note"]
    assert [row.split()[0] for row in rows] == ["isometric", "relative"]
    assert "% of a large answer" in rows[0]
    assert "cannot reach" in rows[1]
    table = rg.compare(rg.AbsoluteSensitivity(1.0), norm=7.0, **TARGET)
    assert "at norm 7; found" in str(table)
    assert f"{table.best.error:.4g}" in str(table)


def test_either_mechanism_can_be_the_best():
    linear = rg.RelativeSensitivity(1e-3, 1.0, "linear")
    assert rg.compare(linear, norm=1e6, **TARGET).best.name == "relative"
    assert rg.compare(SMALL, norm=1e6, **TARGET).best.name == "isometric"


def test_a_mechanism_that_cannot_reach_the_target_comes_last_with_its_least_epsilon():
    table = rg.compare(rg.RelativeSensitivity(0.1, 1.0), **TARGET)
    assert [row.name for row in table.rows] == ["isometric", "relative"]
    last = table.rows[-1]
    assert last.mechanism is None
    assert last.error is None
    assert last.epsilon > 0.5
    assert "cannot reach" in last.note


def test_an_absolute_bound_has_one_candidate():
    table = rg.compare(rg.AbsoluteSensitivity(2.0), norm=3.0, **TARGET)
    assert [row.name for row in table.rows] == ["gaussian"]
    assert table.best.error == table.best.mechanism.rms_error()


def test_mostly_noise_is_a_note_in_the_table_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = rg.compare(rg.RelativeSensitivity(1.0, 1.0), dim=2, epsilon=1.0, delta=1e-6)
    assert table.best.name == "isometric"
    assert table.best.note == "mostly noise"
    with pytest.warns(MostlyNoiseWarning):
        rg.calibrate(rg.RelativeSensitivity(1.0, 1.0), dim=2, epsilon=1.0, delta=1e-6)


def test_a_bound_without_a_relative_part_is_level():
    table = rg.compare(rg.RelativeSensitivity(0.0, 2.0), norm=1.0, **TARGET)
    first, second = (row.error for row in table.rows)
    assert first == pytest.approx(second, rel=1e-9)


@pytest.mark.parametrize("eta", [1e-200, 1e200])
@pytest.mark.parametrize("act", [rg.calibrate, rg.compare])
def test_a_bound_beyond_reason_is_an_error_of_ours_that_names_what_the_user_passed(eta, act):
    with pytest.raises(rg.RelgaussError) as caught:
        act(rg.RelativeSensitivity(eta, 1.0), **TARGET)
    assert "gamma" not in caught.value.cause
    assert "noise_multiplier" not in caught.value.cause


BEYOND_REACH = {"dim": 2, "epsilon": 0.01, "delta": 1e-6}


def test_a_target_beyond_reach_names_the_target():
    """The user passed epsilon and eta, not a noise multiplier."""
    with pytest.raises(rg.RelgaussError) as caught:
        rg.calibrate(rg.RelativeSensitivity(1.0, 1.0), **BEYOND_REACH)
    assert "epsilon" in caught.value.cause
    assert caught.value.least_epsilon > 0.01


def test_a_comparison_of_what_is_beyond_reach_shows_the_least_epsilons():
    table = rg.compare(rg.RelativeSensitivity(1.0, 1.0), **BEYOND_REACH)
    assert all(row.mechanism is None and row.epsilon > 0.01 for row in table.rows)


@pytest.mark.parametrize("name", ["dim", "steps"])
@pytest.mark.parametrize("act", [rg.calibrate, rg.compare])
def test_counts_beyond_every_float_are_refused(name, act):
    with pytest.raises(rg.RelgaussError, match=name):
        act(SMALL, **TARGET | {name: 10**400})


@pytest.mark.parametrize("act", [rg.calibrate, rg.compare])
def test_a_huge_norm_is_no_crash(act):
    assert act(SMALL, norm=1e200, **TARGET)


def test_what_cannot_be_released_is_shown_last_and_never_chosen():
    """Without a floor the relative mechanism is for simulation only."""
    bound = rg.RelativeSensitivity(1e-3)
    table = rg.compare(bound, **TARGET)
    assert [row.name for row in table.rows] == ["isometric", "relative"]
    assert "simulation only" in table.rows[1].note
    better = replace(table.rows[1], error=table.rows[0].error / 2)
    assert sorted([better, table.rows[0]], key=ranking) == [table.rows[0], better]
    assert rg.calibrate(bound, **TARGET).name == "isometric"


def test_what_cannot_be_released_is_calibrated_by_name_for_simulation_and_audit():
    bound = rg.RelativeSensitivity(1e-3)
    found = rg.calibrate(bound, mechanism="relative", **TARGET)
    assert found == rg.compare(bound, **TARGET).rows[1].mechanism
    assert not found.releasable
    assert found.epsilon(1e-6) <= 0.5
    found.simulate(np.ones(10), 3, np.random.default_rng(0))
    assert audit(found, samples=5_000, rng=np.random.default_rng(0)).verdict == "consistent"
    for act in (audit, lambda mechanism: mechanism.release(np.ones(10))):
        with pytest.raises(rg.RelgaussError, match="r > 0"):
            act(found)


def test_the_mechanism_that_is_taken_warns_once():
    with warnings.catch_warnings():
        warnings.simplefilter("error", MostlyNoiseWarning)
        rg.compare(rg.RelativeSensitivity(1.0, 1.0), dim=2, epsilon=1.0, delta=1e-6)
    with pytest.warns(MostlyNoiseWarning) as caught:
        rg.calibrate(rg.RelativeSensitivity(1.0, 1.0), dim=2, epsilon=1.0, delta=1e-6)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("form", ["quadratic", "linear"])
@pytest.mark.parametrize("mechanism", ["auto", "isometric"])
def test_an_eta_that_no_double_can_serve_is_refused_with_one_that_can(mechanism, form):
    """eta = 1e-11 with r = 0: neither mechanism has secure noise, and the message names a bound that does."""
    with pytest.raises(rg.RelgaussError, match="A larger bound holds too") as caught:
        rg.calibrate(rg.RelativeSensitivity(1e-11, 0.0, form), mechanism=mechanism, **TARGET)
    stated = float(caught.value.fix.split("state eta=")[1].split(". ")[0])
    found = rg.calibrate(rg.RelativeSensitivity(stated, 0.0, form), mechanism=mechanism, **TARGET)
    assert found.releasable
    assert found.release([1.0] * found.dim).shape == (found.dim,)


@pytest.mark.parametrize("r", [1e-300, 1e-160, 1e160, 1e300])
def test_noise_beyond_the_lattice_is_refused(r):
    with pytest.raises(rg.RelgaussError, match="other units"):
        rg.calibrate(rg.AbsoluteSensitivity(r), **TARGET)


@pytest.mark.parametrize(("eta", "serves"), [(3e-10, True), (2.8e-10, False), (0.0, True)])
def test_the_least_eta_of_the_isometric_mechanism_is_as_documented(eta, serves):
    m = rg.IsometricGaussian(rg.RelativeSensitivity(eta, 1.0), 3, 1.0)
    assert m.releasable == serves
