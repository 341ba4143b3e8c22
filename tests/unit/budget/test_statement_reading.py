"""Statements as JSON: they read back to the last digit, and what is no statement is refused."""

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import relgauss as rg
from relgauss.accounting import ApproximateDP, Failure, GaussianPairDP
from relgauss.errors import RelgaussError

MECHANISM = rg.IsometricGaussian(rg.RelativeSensitivity(0.01, 1.0), 3, 5.0)
KINDS = {
    "gaussian": (rg.GaussianDP(0.1), {"mu": 0.1}),
    "gaussian pair": (GaussianPairDP(0.3, 0.02, 3), {"shift": 0.3, "excess": 0.02, "dim": 3}),
    "epsilon-delta": (ApproximateDP(1.5, 1e-7), {"epsilon": 1.5, "delta": 1e-7}),
    "failure": (Failure(1e-7), {"probability": 1e-7}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_charge_holds_its_guarantee_as_numbers_and_beside_them_in_words(kind):
    guarantee, numbers = KINDS[kind]
    charge = rg.Charge("stage", guarantee, "proofs/composition.md", (rg.Condition("people", "assumed"),), 7)
    assert charge.to_dict() == {
        "stage": "stage",
        "guarantee": {"kind": kind, **numbers},
        "words": guarantee.describe(),
        "times": 7,
        "theorem": "proofs/composition.md",
        "conditions": [{"text": "people", "provenance": "assumed"}],
    }
    assert rg.Charge.from_dict(json.loads(json.dumps(charge.to_dict()))) == charge


@given(
    st.floats(1e-90, 1e90),
    st.floats(1e-12, 1e8),
    st.floats(1e-30, 0.5),
    st.integers(1, 10**6),
    st.booleans(),
    st.text(),
)
def test_a_statement_reads_back_to_the_last_digit(size, excess, probability, times, simulated, text):
    guarantees = (
        rg.GaussianDP(size),
        GaussianPairDP(size, excess, times),
        ApproximateDP(size, probability),
        Failure(probability),
    )
    conditions = (rg.Condition(text, "enforced"),)
    charges = tuple(rg.Charge(text, each, "proofs/composition.md", conditions, times) for each in guarantees)
    plain = [charge.to_dict() for charge in charges]
    assert tuple(map(rg.Charge.from_dict, json.loads(json.dumps(plain)))) == charges
    small = rg.Charge(text, rg.GaussianDP(min(size, 1.0)), "proofs/composition.md", conditions, 3)
    statement = rg.PrivacyStatement((small,), probability, simulated, text, text)
    assert rg.PrivacyStatement.from_json(statement.to_json()) == statement


def test_a_statement_that_was_read_composes_as_the_one_that_was_written(two_stages):
    read = rg.PrivacyStatement.from_json(two_stages.to_json())
    assert read == two_stages
    assert read.text() == two_stages.text()
    assert rg.compose(read, MECHANISM.statement(1e-6)).epsilon(1e-6) == rg.compose(
        two_stages, MECHANISM.statement(1e-6)
    ).epsilon(1e-6)


def test_an_epsilon_in_a_file_is_not_believed(two_stages):
    values = two_stages.to_dict() | {"epsilon": 0.001, "conditions": []}
    values["charges"][0]["words"] = "0.0001-GDP"
    read = rg.PrivacyStatement.from_dict(values)
    assert read.epsilon() == two_stages.epsilon()
    assert read.to_dict() == two_stages.to_dict()


@pytest.mark.parametrize("found", [0, 2, None, "1", True, 1.0, [1]])
def test_another_format_is_refused_by_its_number(found, two_stages):
    with pytest.raises(RelgaussError, match=re.escape(f"format {found!r} is not")):
        rg.PrivacyStatement.from_dict(two_stages.to_dict() | {"format": found})


def test_a_statement_of_words_alone_is_refused(two_stages):
    """The form before formats had numbers."""
    words = {name: value for name, value in two_stages.to_dict().items() if name != "format"}
    words["charges"] = [charge | {"guarantee": charge["words"]} for charge in words["charges"]]
    with pytest.raises(RelgaussError, match="format None is not known"):
        rg.PrivacyStatement.from_dict(words)
    with pytest.raises(RelgaussError, match="'guarantee'"):
        rg.PrivacyStatement.from_dict(words | {"format": 1})


@pytest.mark.parametrize("part", ["delta", "simulated", "unit", "neighbours", "charges"])
@pytest.mark.parametrize("value", [None, 3, [], "text", {}], ids=str)
def test_parts_of_another_kind_are_refused(part, value, two_stages):
    if type(value) is type(getattr(two_stages, part)) or (part, value) == ("charges", []):
        return
    with pytest.raises(RelgaussError, match=part):
        rg.PrivacyStatement.from_dict(two_stages.to_dict() | {part: value})


@pytest.mark.parametrize(
    ("guarantee", "message"),
    [
        ({"kind": "laplace", "scale": 1.0}, "'laplace' is not known"),
        ({"kind": "GaussianDP", "mu": 1.0}, "'GaussianDP' is not known"),
        ({"kind": ["gaussian"], "mu": 1.0}, "is not known"),
        ({"kind": "gaussian", "mu": 1.0, "times": 2}, "the numbers mu"),
        ({"kind": "gaussian"}, "the numbers mu"),
        ({"kind": "gaussian", "mu": math.nan}, "mu"),
        ({"kind": "gaussian", "mu": -1.0}, "mu"),
        ({"kind": "gaussian", "mu": "0"}, "mu"),
        ({}, "None is not known"),
    ],
    ids=str,
)
def test_guarantees_of_no_known_form_are_refused(guarantee, message, two_stages):
    values = two_stages.to_dict()
    values["charges"][1]["guarantee"] = guarantee
    with pytest.raises(RelgaussError, match=message):
        rg.PrivacyStatement.from_dict(values)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", None])
def test_what_is_no_statement(text):
    with pytest.raises(RelgaussError):
        rg.PrivacyStatement.from_json(text)


def test_a_guarantee_without_a_kind_is_stated_in_words_and_not_read_back():
    class Homemade(rg.GaussianDP):
        pass

    statement = rg.PrivacyStatement((rg.Charge("mine", Homemade(0.5), "proofs/composition.md"),), 1e-6)
    charge = statement.to_dict()["charges"][0]
    assert (charge["guarantee"], charge["words"]) == ({"kind": "other"}, "0.5-GDP")
    with pytest.raises(RelgaussError, match="'other' is not known"):
        rg.PrivacyStatement.from_json(statement.to_json())


def test_brackets_without_end_are_no_statement():
    with pytest.raises(RelgaussError, match="no JSON"):
        rg.PrivacyStatement.from_json("[" * 10**5)


def test_json_is_json_even_where_nothing_is_promised():
    statement = rg.PrivacyStatement((rg.Charge("test", Failure(1e-3), "proofs/composition.md"),), 1e-6)
    assert statement.epsilon() == math.inf
    assert "inf" in statement.text()

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    json.loads(statement.to_json(), parse_constant=refuse)
