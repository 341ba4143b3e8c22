"""Commands that take no option twice and no value that is empty, and speak of options in their messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import NoneType
from typing import Any, cast, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from relgauss.cli.option_words import in_options
from relgauss.errors import (
    InvalidParameterError,
    NoGuaranteeError,
    RecordError,
    RefusedReleaseError,
    RelgaussError,
    TableError,
)

_TABLE_TAKES_SEVERAL = "Pass it once, or use `relgauss table`, which takes several."
_OF_PARAMETERS = (InvalidParameterError, NoGuaranteeError, RecordError, RefusedReleaseError, TableError)
# typer has brought its own click since 0.26 and does not name this class, the parent of one that it names.
_UsageError: Any = typer.BadParameter.__base__
_PAIR = 2  # numbers, as of a range
_OF_TABLES = ("--person", "--groups", "--rows-per-person", "--groups-per-person", "--simultaneous")


class StrictCommand(TyperCommand):
    """A command whose options mean what they say: of two values none would be dropped in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a repeated option that takes one value, and an empty value, before all other checks."""
        foreign = [each for each in args if each.partition("=")[0] in _OF_TABLES]
        if self.name == "means" and foreign:
            raise RelgaussError(
                f"`relgauss means` has no {foreign[0]}.", "Use `relgauss table`, which has it."
            )
        numbers = _numbers_of(self.callback)
        try:
            values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        except _UsageError as error:
            raise self._in_numbers(error, numbers) from None
        for option in dict.fromkeys(given):
            value = values.get(option.name)
            if option.name in numbers:
                _check_numbers(option, value, numbers[option.name])
            takes_one = (
                option.param_type_name == "option"
                and not option.multiple
                and not getattr(option, "is_flag", False)
            )
            if takes_one and given.count(option) > 1:
                several = self.name == "means" and option.opts[-1] in ("--by", "--value")
                fix = _TABLE_TAKES_SEVERAL if several else "Pass it once."
                raise RelgaussError(f"{option.opts[-1]} is given twice.", fix)
            if value == "" or (isinstance(value, list | tuple) and "" in value):
                name = option.opts[-1] if option.param_type_name == "option" else option.make_metavar(ctx)
                raise RelgaussError(f"{name} is empty.", "Give it a value, or leave it out.")
        return super().parse_args(ctx, args)

    def _in_numbers(self, error: Any, numbers: Mapping[str, tuple[type, ...]]) -> Exception:
        """The same error, or one that says of an option of two numbers that it takes two."""
        names = {each.opts[-1]: each.name for each in self.params}
        name = getattr(error, "option_name", None)
        if (
            name in names
            and len(numbers.get(names[name], ())) == _PAIR
            and "requires" in error.format_message()
        ):
            return _no_pair(name)
        return cast(Exception, error)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what is wrong with a parameter is said of the option."""
        try:
            return super().invoke(ctx)
        except _OF_PARAMETERS as error:
            options = {each.name: each.opts[-1] for each in self.params if each.opts[-1].startswith("--")}
            # One that was not given may have the name of what is computed from others.
            about = getattr(error, "name", None)
            given = about in options and ctx.get_parameter_source(about).name == "COMMANDLINE"
            known = options if given else {name: each for name, each in options.items() if name != about}
            raise RelgaussError(in_options(error.cause, known), in_options(error.fix, options)) from error


def _no_pair(option: str) -> RelgaussError:
    return RelgaussError(f"{option} needs two numbers.", f"Write for example {option} 100 1e7.")


def _numbers_of(callback: Any) -> dict[str, tuple[type, ...]]:
    """The parameters that take numbers, and of which type each is: read off the command's own annotations.

    What typer knows of types differs by its versions, and so do its words for a text that is none.
    """
    found = {}
    for name, hint in get_type_hints(callback).items():
        kinds = [each for each in (get_args(hint) or (hint,)) if each is not NoneType]
        if len(kinds) == 1 and get_origin(kinds[0]) is list:
            kinds = list(get_args(kinds[0]))
        if all(kind in (float, int) for kind in kinds):
            found[name] = tuple(kinds)
    return found


def _check_numbers(option: Any, value: object, kinds: tuple[type, ...]) -> None:
    """Refuse a text where a number is asked for, quote it, and say how it is written."""
    for each in value if isinstance(value, list | tuple) else [value]:
        try:
            float(str(each))
        except ValueError:
            if isinstance(value, tuple) and str(each).startswith("--"):
                raise _no_pair(option.opts[-1]) from None
            if each != "":
                meant = _meant(str(each))
                fix = "Write it as 3, 0.5 or 1e-6, with a point and without other signs."
                raise RelgaussError(
                    f"{option.opts[-1]} {each!r} is no number.", fix if meant is None else f"Write {meant}."
                ) from None
        if all(kind is int for kind in kinds):
            _check_whole(option, str(each))


def _check_whole(option: Any, text: str) -> None:
    """Refuse a number that is not written as a whole one where such a one is asked for."""
    try:
        int(text)
    except ValueError:
        number = float(text)
        fix = f"Write {number:.0f}." if number.is_integer() else "Write one without a point, such as 3."
        raise RelgaussError(f"{option.opts[-1]} {text!r} is no whole number.", fix) from None


def _meant(text: str) -> str | None:
    """The number that a text of another writing is likely to stand for."""
    bare = text.strip().strip("$€").strip()
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", bare):
        return bare.replace(",", "")
    if re.fullmatch(r"[+-]?\d+,\d+", bare):
        return bare.replace(",", ".")
    if power := re.fullmatch(r"(?:([\d.]+) ?[x*·×] ?)?10(?:\^|\*\*)\(?([+-]?\d+)\)?", bare):
        return f"{power[1] or 1}e{power[2]}"
    if part := re.fullmatch(r"(\d+(?:\.\d+)?) ?%", bare):
        return f"{float(part[1]) / 100:.12g}"
    return None
