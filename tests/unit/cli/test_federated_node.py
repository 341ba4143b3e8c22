"""The configuration that a node gets from the command line."""

import pytest

from relgauss.cli.federated_node import _values
from relgauss.errors import RelgaussError


def test_values_are_read_as_toml_writes_them():
    text = """name="a b" table='/data/y.npz' rounds=3 rate=0.5 strict=true"""
    assert _values(text) == {"name": "a b", "table": "/data/y.npz", "rounds": 3, "rate": 0.5, "strict": True}
    assert _values("") == {}


@pytest.mark.parametrize("text", ["name=", "a", 'a=1 "', "a=[1]", "a=1 b", "a=1 a=2", "a=b"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(RelgaussError, match="configuration cannot be read"):
        _values(text)
