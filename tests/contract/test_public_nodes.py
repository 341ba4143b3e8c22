"""The public surface of nodes, ledger and federation: complete, and every parameter is explained."""

import dataclasses
import importlib
import inspect
import re
from importlib.util import find_spec

import pytest

PACKAGES = ("relgauss.ledger", "relgauss.nodes", "relgauss.federated")


def public() -> dict[str, object]:
    found = {}
    for package in PACKAGES:
        if package == "relgauss.federated" and find_spec("flwr") is None:
            continue
        module = importlib.import_module(package)
        found |= {f"{package}.{name}": getattr(module, name) for name in module.__all__}
    return found


def parameters(thing: object) -> set[str]:
    """What a caller passes to a function, or to make an object."""
    if dataclasses.is_dataclass(thing):
        return {field.name for field in dataclasses.fields(thing) if field.init}
    if inspect.isclass(thing) and thing.__init__ is object.__init__:
        return set()
    return set(inspect.signature(thing).parameters)


def unexplained(thing: object) -> set[str]:
    bases = [each for each in thing.__mro__ if each is not object] if inspect.isclass(thing) else [thing]
    text = "\n".join(inspect.getdoc(each) or "" for each in bases)
    explained = set(re.findall(r"^(\w+)(?: : .*)?\n    \S", text, re.MULTILINE))
    return parameters(thing) - explained


@pytest.mark.parametrize("name", [name for name in public() if not name.endswith(".Budget")])
def test_every_parameter_is_explained(name):
    assert unexplained(public()[name]) == set()


def test_the_check_sees_a_parameter_that_is_not_explained():
    def half(a, b):
        """Something.

        Parameters
        ----------
        a
            The first.
        """

    assert unexplained(half) == {"b"}


def test_what_a_user_of_flower_needs_is_in_one_place():
    federated = pytest.importorskip("relgauss.federated", reason="needs the extra 'federated'")
    import relgauss.ledger
    import relgauss.nodes

    for name in ("Participant", "ridge_participant", "logistic_participant"):
        assert getattr(federated, name) is getattr(relgauss.nodes, name)
    assert federated.SpendRecord is relgauss.ledger.SpendRecord
    assert sorted(federated.__all__) == list(federated.__all__)
