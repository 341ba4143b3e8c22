"""The bar of long commands: on a terminal only."""

import io

import pytest
from rich.console import Console

from relgauss.cli import progress as module


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_is_for_terminals(monkeypatch, is_terminal):
    shown = io.StringIO()
    monkeypatch.setattr(
        module, "Console", lambda **_: Console(file=shown, force_terminal=is_terminal, width=60)
    )
    with module.progress(4, "Drawing") as advance:
        advance(1)
        advance(3, "Last part")
    assert ("Last part" in shown.getvalue()) == is_terminal
    assert ("Drawing" in shown.getvalue()) == is_terminal
