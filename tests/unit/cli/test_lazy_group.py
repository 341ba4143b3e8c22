"""Commands that are imported when they are run: the list says what they say, and names them all."""

import inspect
from pathlib import Path

import pytest
import typer

import relgauss.cli
from relgauss.cli.app import app
from relgauss.cli.lazy_group import SUMMARIES, load

COMMANDS = typer.main.get_command(app)


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_list_says_what_the_command_says(name: str):
    command = load(name)
    assert command.name == name
    assert inspect.cleandoc(command.help).partition("\n")[0] == SUMMARIES[name]
    assert COMMANDS.get_command(None, name).help == SUMMARIES[name]


def test_every_module_with_a_command_of_its_name_is_listed():
    named = set()
    for file in Path(relgauss.cli.__file__).parent.glob("*.py"):
        text = file.read_text(encoding="utf-8")
        is_command = f"\ndef {file.stem}(" in text and "json: options.AsJson" in text
        if is_command or f"\n{file.stem} = typer.Typer(" in text:
            named.add(file.stem)
    assert named - {"app"} == set(SUMMARIES)


def test_those_who_walk_the_commands_find_the_whole_of_them():
    assert list(COMMANDS.commands) == list(SUMMARIES)
    assert all(command.params or command.commands for command in COMMANDS.commands.values())


def test_an_unknown_command_is_none():
    assert COMMANDS.get_command(None, "nothing") is None
