"""The privacy statement: what it adds up, what it prints, and that no printed number promises too much."""

import dataclasses
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.budget.statement import ONE_ROW, REPLACE_ONE, SIMULATED, round_up
from relgauss.errors import NoGuaranteeError

MECHANISM = rg.IsometricGaussian(rg.RelativeSensitivity(0.01, 1.0), 3, 5.0)


def condition(text: str, provenance: str) -> rg.Condition:
    return rg.Condition(text, provenance)


def test_a_mechanism_states_what_it_spends_and_rests_on():
    statement = MECHANISM.statement(1e-6, steps=4)
    assert statement.epsilon() == MECHANISM.epsilon(1e-6, 4)
    assert statement.epsilon(1e-9) == MECHANISM.epsilon(1e-9, 4)
    assert statement.charges == (MECHANISM.charge(steps=4),)
    bound, secure = statement.conditions()
    assert bound.provenance == secure.provenance == "assumed"
    assert "sqrt((0.01·||q||)² + 1²)" in bound.text
    assert MECHANISM.charge("means", 4).stage == "means"


@pytest.mark.parametrize("provenance", ["assumed", "enforced", "certified"])
def test_the_provenance_of_the_bound_travels_into_the_statement(provenance):
    bounds = (
        rg.RelativeSensitivity(0.01, 1.0, "linear", provenance=provenance),
        rg.AbsoluteSensitivity(1.0, provenance=provenance),
    )
    mechanisms = (rg.IsometricGaussian(bounds[0], 1, 5.0), rg.Gaussian(bounds[1], 1, 5.0))
    for m in mechanisms:
        assert {each.provenance for each in m.statement(1e-6).conditions()} == {provenance, "assumed"}
        assert f"  {provenance}" in m.statement(1e-6).text()


def test_charges_compose_to_one_guarantee(two_stages):
    mu = math.sqrt(0.25**2 + 100 * 0.05**2)
    assert two_stages.epsilon() == pytest.approx(rg.compose(rg.GaussianDP(mu)).epsilon(1e-6 - 1e-8), rel=1e-9)
    assert two_stages.epsilon(1e-9) == math.inf
    assert len(two_stages.uses) == 3


def test_statements_of_several_results_compose(two_stages):
    other = MECHANISM.statement(1e-6)
    together = rg.compose(two_stages, other, rg.GaussianDP(0.1))
    separate = rg.compose(*two_stages.charges, *other.charges, rg.GaussianDP(0.1))
    assert together.epsilon(1e-6) == separate.epsilon(1e-6)
    assert together.epsilon(1e-6) > two_stages.epsilon()
    assert together.epsilon(1e-6) < two_stages.epsilon() + other.epsilon() + 0.5


def test_conditions_are_ordered_by_how_much_the_reader_must_believe(two_stages):
    assert [(each.provenance, each.text) for each in two_stages.conditions()] == [
        ("assumed", "rows are people"),
        ("enforced", "rows are clipped to norm 1"),
        ("certified", "the eigenvalue is above 0.1"),
    ]


def test_the_text_says_everything(two_stages):
    text = two_stages.text()
    assert str(two_stages) == text
    for words in (
        f"Privacy: epsilon {round_up(two_stages.epsilon())} at delta 1e-06",
        ONE_ROW,
        REPLACE_ONE,
        "covariance: 0.25-GDP [proofs/conversions.md]",
        "descent: 0.05-GDP × 100 [proofs/isometric.md]",
        "test: failure probability 1e-08",
        f"relgauss {rg.__version__}",
    ):
        assert words in text
    order = [text.index(words) for words in ("rows are people", "clipped", "eigenvalue")]
    assert order == sorted(order)
    assert "SIMULATED" not in text


def test_a_simulated_statement_says_so_first():
    statement = MECHANISM.statement(1e-6, is_simulated=True)
    assert statement.text().splitlines()[0] == SIMULATED
    assert "not" in SIMULATED or "nothing" in SIMULATED
    assert statement.to_dict()["simulated"] is True
    assert json.loads(MECHANISM.statement(1e-6).to_json())["simulated"] is False


def test_a_mechanism_cannot_know_how_it_was_released_and_says_so():
    """Its statement after a seeded release must not read as if that were private."""
    MECHANISM.release(np.ones(MECHANISM.dim), rng=np.random.default_rng(0))
    line = "assumed     the noise is secure: a release that was given an rng is not private"
    assert line in MECHANISM.statement(1e-6).text()
    together = rg.PrivacyStatement((MECHANISM.charge("first"), MECHANISM.charge("second")), 1e-6)
    assert together.text().count(line) == 1


def test_json_holds_what_the_text_holds(two_stages):
    loaded = json.loads(two_stages.to_json())
    assert loaded == two_stages.to_dict()
    assert loaded["epsilon"] == two_stages.epsilon()
    assert loaded["delta"] == 1e-6
    assert (loaded["unit"], loaded["neighbours"]) == (ONE_ROW, REPLACE_ONE)
    assert [charge["stage"] for charge in loaded["charges"]] == ["covariance", "descent", "test"]
    assert [charge["times"] for charge in loaded["charges"]] == [1, 100, 1]
    assert loaded["conditions"][0] == {"text": "rows are people", "provenance": "assumed"}
    assert loaded["relgauss"] == rg.__version__
    assert loaded["format"] == 1


@given(st.floats(1e-300, 1e300))
def test_a_printed_epsilon_is_never_below_the_true_one_and_close(epsilon):
    printed = round_up(epsilon)
    assert epsilon <= float(printed) <= epsilon * 1.002
    assert len(re.sub(r"e.*|\D", "", printed).lstrip("0")) <= 4 or epsilon >= 1000


@pytest.mark.parametrize(("epsilon", "printed"), [(0.0, "0"), (1.0, "1"), (1.00001, "1.001"), (0.99996, "1")])
def test_rounding_up(epsilon, printed):
    assert round_up(epsilon) == printed


@pytest.mark.parametrize("delta", [1e-6, 1.2345e-6, 9.9951e-7, 1.004999e-5])
def test_the_printed_pair_holds(delta):
    """A delta printed too small would promise more than the epsilon beside it keeps."""
    for steps in range(1, 30):
        statement = MECHANISM.statement(delta, steps)
        epsilon, printed = re.search(r"epsilon (\S+) at delta (\S+)", statement.text()).groups()
        assert statement.epsilon(float(printed)) <= float(epsilon)


def test_statements_add_up(two_stages):
    other = MECHANISM.statement(1e-8, steps=3)
    both = two_stages + other
    assert both.charges == (*two_stages.charges, *other.charges)
    assert both.delta == 1e-6
    assert both.epsilon(1e-7) == rg.compose(two_stages, other).epsilon(1e-7)
    assert rg.PrivacyStatement.from_json(both.to_json()) == both


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3), st.floats(1e-9, 1e-3))
def test_sums_of_statements_do_not_depend_on_their_order(mus, delta):
    one, two, three = (rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1 / mu).statement(1e-6) for mu in mus)
    left, right = (one + two) + three, three + (two + one)
    assert left.epsilon(delta) == pytest.approx(right.epsilon(delta), rel=1e-12)
    assert left.epsilon(delta) >= max(each.epsilon(delta) for each in (one, two, three))


def test_a_simulated_part_makes_the_sum_simulated():
    private, simulated = MECHANISM.statement(1e-6), MECHANISM.statement(1e-6, is_simulated=True)
    assert (private + simulated).simulated
    assert (simulated + private).simulated
    assert not (private + private).simulated


@pytest.mark.parametrize("name", ["unit", "neighbours"])
def test_unlike_promises_do_not_add_up(name):
    statement = MECHANISM.statement(1e-6)
    other = dataclasses.replace(statement, **{name: "something else"})
    with pytest.raises(NoGuaranteeError, match=rf"{name}.*something else.*Keep them apart"):
        statement + other


def test_what_is_no_statement_is_not_added():
    with pytest.raises(TypeError):
        MECHANISM.statement(1e-6) + 1


def test_statements_of_unlike_units_do_not_compose():
    charge = rg.Charge("a", rg.GaussianDP(0.3), "proofs/conversions.md")
    row = rg.PrivacyStatement((charge,), 1e-6)
    person = rg.PrivacyStatement((charge,), 1e-6, unit="one person, with any number of rows")
    for parts in ((row, person), ((row, 2), person)):
        with pytest.raises(NoGuaranteeError, match="unlike units"):
            rg.compose(*parts)
    assert rg.compose(row, row).epsilon(1e-6) == pytest.approx((row + row).epsilon())
