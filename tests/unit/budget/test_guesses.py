"""What a statement says to somebody who guesses: rounded up, and in JSON as numbers."""

import math
import re

import pytest
from scipy.stats import norm

import relgauss as rg
from relgauss.accounting import Failure, GaussianPairDP
from relgauss.budget.guesses import FALSE_ALARMS, Guesses


@pytest.mark.parametrize("mu", [1e-3, 0.1, 0.5, 2.0, 8.0])
def test_a_gaussian_is_read_exactly(mu):
    found = Guesses.of(rg.GaussianDP(mu))
    for rate, each in zip(FALSE_ALARMS, found.found, strict=True):
        assert each == pytest.approx(norm.cdf(norm.ppf(rate) + mu), rel=1e-9)
    assert found.right == pytest.approx(norm.cdf(mu / 2), rel=1e-9)


@pytest.mark.parametrize(
    "part", [rg.GaussianDP(0.2), GaussianPairDP(0.1, 0.02, 3), rg.PureDP(0.5), rg.ApproximateDP(0.3, 1e-3)]
)
def test_printed_numbers_are_never_smaller(part):
    found = Guesses.of(part)
    _, _, first, second, right = (float(each) for each in re.findall(r"([\d.]+) %", found.text()))
    for printed, each in zip((first, second, right), (*found.found, found.right), strict=True):
        assert each <= printed / 100 * (1 + 1e-12) <= each * 1.01


def test_a_statement_says_what_it_means():
    statement = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 4.2).statement(1e-6)
    assert (
        "means       a test with 1 % (10 %) false alarms finds a record in at most 1.84 %" in statement.text()
    )
    told = statement.to_dict()["guesses"]
    assert told["tests"][0] == {
        "false_positive_rate": 0.01,
        "true_positive_rate": statement.guesses.found[0],
    }
    assert told["right_between_two"] == statement.guesses.right
    assert rg.PrivacyStatement.from_json(statement.to_json()) == statement


def test_a_simulated_statement_claims_nothing():
    statement = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 4.2).statement(1e-6, is_simulated=True)
    assert "means" not in statement.text()
    assert statement.to_dict()["guesses"] is None


def test_no_privacy_is_told_as_such():
    charge = rg.Charge("everything", Failure(1 - 1e-12), "proofs/composition.md")
    statement = rg.PrivacyStatement((charge,), 1e-6)
    assert statement.epsilon() == math.inf
    assert "finds a record in at most 100 % (100 %)" in statement.text()
    assert statement.to_dict()["guesses"]["right_between_two"] <= 1
