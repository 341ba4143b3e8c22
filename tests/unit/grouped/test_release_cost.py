"""What ``release_means`` costs and rests on: assumed spreads, statements, and when they are made."""

import math

import numpy as np
import pytest

import relgauss as rg
from relgauss.errors import InvalidParameterError
from relgauss.grouped.assumed_spread import relative_sensitivity
from relgauss.grouped.cell_tables import count_column
from relgauss.grouped.totals import total_by_group

from .pay_by_job import BUDGET, pay, release, simulated, truth


@pytest.mark.filterwarnings("ignore::relgauss.errors.MostlyNoiseWarning")
def test_assumed_is_the_isometric_mechanism_with_an_exact_interval():
    result = simulated(spread=1.0)
    mu = rg.Budget(**BUDGET).mu
    rng = np.random.default_rng(0)
    for place, group in enumerate(result.groups):
        size = int(result.sizes[place])
        eta = relative_sensitivity(1.0, size)
        assert eta == pytest.approx(1.0 / size, rel=1e-7)
        assert eta > 1.0 / size
        mechanism = rg.IsometricGaussian(rg.RelativeSensitivity(eta, nonnegative=True), 1, 1 / mu)
        expected = float(np.asarray(mechanism.release(truth()[group], rng=rng)))
        assert result.estimate[place] == pytest.approx(np.clip(expected, 1e3, 1e6), rel=1e-6)
        std = math.log1p(eta) / mu
        ends = [expected * math.exp(std**2 / 2 + side * 1.959964 * std) for side in (-1, 1)]
        assert (result.lower[place], result.upper[place]) == pytest.approx(np.clip(ends, 1e3, 1e6), rel=1e-6)


def test_each_group_may_have_its_own_spread():
    spreads = {"chief": 0.5, "clerk": 0.5, "guard": 2.0, "intern": 0.5, "nobody": 1.0}
    result = simulated(spread=spreads)
    assert result.estimate[:2] == pytest.approx(simulated(spread=0.5).estimate[:2])
    assert result.upper[2] - result.lower[2] > 2 * (
        simulated(spread=0.5).upper[2] - simulated(spread=0.5).lower[2]
    )
    assert "its own public factor" in result.privacy.text()


def test_a_missing_spread_is_refused():
    with pytest.raises(InvalidParameterError, match="known for every group, as 'clerk'"):
        release(spread={"chief": 0.5})


def test_assumed_groups_that_would_be_nothing_but_noise_say_nothing():
    result = simulated(spread=50.0, epsilon=0.2)
    assert np.isnan(result.estimate).tolist() == [False, False, True, True]
    assert not result.usable[2:].any()


def test_statement_of_an_enforced_release():
    statement = release().privacy
    assert not statement.simulated
    assert 0.999 < statement.epsilon() <= 1.0
    text = statement.text()
    assert "one row is one person" in text
    assert (
        "one record replaced by another of the same group by 'job'; groups and their sizes are public" in text
    )
    assert "every row is in one group; rows without a group are left out" in text
    assert "missing or no number is left out, and counted with noise; 0 stays 0" in text
    assumed = [each.text for each in statement.conditions() if each.provenance == "assumed"]
    assert assumed == ["every row is in one group; rows without a group are left out"]


def test_statement_of_an_assumed_release_begins_with_the_assumption():
    statement = release(spread=0.1).privacy
    first = statement.conditions()[0]
    assert first.provenance == "assumed"
    assert "lie within a factor of 1.1 of each other" in first.text
    assert statement.epsilon() <= 1.0


@pytest.mark.parametrize("spread", [None, 0.5])
def test_simulation_is_marked_on_every_number(spread: float | None):
    result = simulated(spread=spread)
    assert result.privacy.simulated
    assert all(mechanism.endswith("SIMULATED") for mechanism in result.columns()["mechanism"])
    assert not release(spread=spread).mechanism.endswith("SIMULATED")


def test_secure_noise_differs_each_time_and_a_seed_repeats():
    assert release().estimate[:3].tolist() != release().estimate[:3].tolist()
    assert simulated(3).estimate[:3].tolist() == simulated(3).estimate[:3].tolist()


def test_the_order_of_rows_does_not_matter():
    shuffled = pay().sample(frac=1, random_state=1)
    assert simulated(data=shuffled).columns() == simulated().columns()


@pytest.mark.parametrize("spread", [None, 0.5])
def test_the_cost_is_stated_in_full_before_a_record_is_read(
    spread: float | None, monkeypatch: pytest.MonkeyPatch
):
    """So that it can be reserved: what is read and drawn later changes nothing of it."""
    stated: list[rg.PrivacyStatement] = []
    make = rg.PrivacyStatement.of_whole_budget

    def state(*arguments: object, **options: object) -> rg.PrivacyStatement:
        stated.append(make(*arguments, **options))
        return stated[-1]

    def read(*arguments: object) -> object:
        assert len(stated) == 1
        return (count_column if spread is None else total_by_group)(*arguments)

    monkeypatch.setattr(rg.PrivacyStatement, "of_whole_budget", state)
    monkeypatch.setattr("relgauss.grouped.release.count_column", read)
    monkeypatch.setattr("relgauss.grouped.release.total_by_group", read)
    assert release(spread=spread).privacy is stated[0]
    assert stated[0].charges[0].guarantee == rg.GaussianDP(rg.Budget(**BUDGET).mu)


@pytest.mark.parametrize("wrong", [{"epsilon": -1.0}, {"spread": 0.0}, {"spread": {"clerk": "x"}}])
def test_nothing_is_read_if_a_public_number_is_wrong(
    wrong: dict[str, object], monkeypatch: pytest.MonkeyPatch
):
    def read(*_: object) -> None:
        raise AssertionError("the table was read")

    monkeypatch.setattr("relgauss.grouped.release.count_column", read)
    monkeypatch.setattr("relgauss.grouped.release.total_by_group", read)
    with pytest.raises(InvalidParameterError):
        release(**wrong)
