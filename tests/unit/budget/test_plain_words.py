"""The promise in a sentence: true at every epsilon and delta, and at one with the guesses beside it."""

import math

import pytest

import relgauss as rg
from relgauss.accounting import gdp
from relgauss.budget.grouping_words import within_groups
from relgauss.budget.plain_words import promise_in_words
from relgauss.budget.statement import ONE_PERSON, REPLACE_ONE


def statement(epsilon: float = 1.0, delta: float = 1e-6, **promise: str) -> rg.PrivacyStatement:
    charge = rg.Charge("all", rg.GaussianDP(gdp.mu(epsilon, delta)), "proofs/composition.md")
    return rg.PrivacyStatement((charge,), delta, **promise)


def printed(words: str) -> float:
    """A number as it is printed: 20.1, 1,234 or 10^9."""
    return 10.0 ** int(words[3:]) if words.startswith("10^") else float(words.replace(",", ""))


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-9, 3e-15, 1e-200])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 1.0986, 1.1, 3.0, 10.0, 40.0])
def test_factor_and_chance_are_rounded_towards_privacy(epsilon: float, delta: float):
    spent = statement(epsilon, delta)
    words = promise_in_words(spent)
    factor = math.exp(spent.epsilon())
    said = printed(words.split("more than ")[1].split(" ")[0])
    assert factor <= said <= (factor + 0.1 if factor < 1e6 else 10 * factor)
    chance = printed(words.split("one in ")[1].removesuffix("."))
    assert chance <= (1 / delta) * (1 + 1e-12)
    assert chance >= 0.09 / delta
    assert ("hardly" in words) == (factor <= 3)
    assert spent.guesses.right <= (factor + delta) / (1 + factor) * (1 + 1e-9)  # no guess beats the factor


@pytest.mark.parametrize(
    ("promise", "change"),
    [
        ({}, "Replacing any one person's record makes"),
        ({"neighbours": within_groups(["job"])}, "person's record by another of the same group makes"),
        ({"unit": ONE_PERSON, "neighbours": "a person"}, "any one person, with all their rows, makes"),
        ({"unit": "one visit"}, f"(one visit; {REPLACE_ONE}) makes"),
    ],
)
def test_it_promises_what_the_statement_does(promise: dict[str, str], change: str):
    assert change in promise_in_words(statement(3.0, **promise))


def test_added_records_are_promised_where_guarantees_are_for_them():
    pure = rg.Charge("all", rg.PureDP(1.0, neighbours="add-or-remove"), "proofs/composition.md")
    assert promise_in_words(rg.PrivacyStatement((pure,), 1e-6)).startswith("Adding or removing any one")


def test_without_a_finite_epsilon_nothing_is_promised():
    boundless = rg.Charge("all", rg.Failure(0.5), "proofs/composition.md")
    assert promise_in_words(rg.PrivacyStatement((boundless,), 1e-6)).startswith("Nothing is promised")
