"""Commands that take no option twice and no value that is empty, and speak of options in their messages."""

from __future__ import annotations

from typing import Any

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
_NUMBERS = ("float", "integer")  # types of options
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
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in dict.fromkeys(given):
            value = values.get(option.name)
            _check_numbers(option, value)
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


def _check_numbers(option: Any, value: object) -> None:
    """Refuse a text where a number is asked for, and quote it."""
    kind: Any = getattr(option, "type", None)  # typer 0.29 has none, and refuses such texts in its own words
    kinds = getattr(kind, "types", (kind,))
    if kind is None or not all(each.name in _NUMBERS for each in kinds):
        return
    for each in value if isinstance(value, list | tuple) else [value]:
        try:
            float(str(each))
        except ValueError:
            if each != "":
                fix = "Write it as 3, 0.5 or 1e-6, with a point and without other signs."
                raise RelgaussError(f"{option.opts[-1]} {each!r} is no number.", fix) from None
