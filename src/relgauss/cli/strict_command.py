"""Commands that take no option twice and no value that is empty."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from relgauss.errors import RelgaussError


class StrictCommand(TyperCommand):
    """A command whose options mean what they say: of two values none would be dropped in silence."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a repeated option that takes one value, and an empty value, before all other checks."""
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in dict.fromkeys(given):
            value = values.get(option.name)
            takes_one = (
                option.param_type_name == "option"
                and not option.multiple
                and not getattr(option, "is_flag", False)
            )
            if takes_one and given.count(option) > 1:
                raise RelgaussError(f"{option.opts[-1]} is given twice.", "Pass it once.")
            if value == "" or (isinstance(value, list | tuple) and "" in value):
                name = option.opts[-1] if option.param_type_name == "option" else option.make_metavar(ctx)
                raise RelgaussError(f"{name} is empty.", "Give it a value, or leave it out.")
        return super().parse_args(ctx, args)
