"""Messages name options, not parameters of Python."""

import pytest

from relgauss.cli.option_words import in_options

OPTIONS = {"value_range": "--range", "numbers": "--numbers", "person": "--person", "by": "--by"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("value_range=(5.0, 1.0): value_range must be a range.", "--range 5.0 1.0: it must be a range."),
        ("Pass what is known, such as (1e3, 1e6).", "Pass what is known, such as 1e3 1e6."),
        ("Say how (numbers='$1,234.50').", "Say how (--numbers '$1,234.50')."),
        ("left out without person=. Name it.", "left out without --person. Name it."),
        ("List them as by= of read_records, such as a.", "List them as --by, such as a."),
        ("Make it with for_failures.", "Make it with ledger init --for-failures."),
        ("Made with neighbours='within groups'.", "Made with ledger init --neighbours 'within groups'."),
        ("Name it (person=COLUMN).", "Name it (--person COLUMN)."),
        ("Make it with Ledger.create.", "Make it with `relgauss ledger init`."),
        ("A person by the way has numbers.", "A person by the way has numbers."),
        ("statistic='q0': statistic must be another.", "statistic 'q0': it must be another."),
        ("by['a']='x': by['a'] must be one of 'b'.", "--by a='x': it must be one of 'b'."),
        ("by of 'a'=(1.0, 2.0): by of 'a' must be wider.", "--by a=1.0 2.0: it must be wider."),
        ("by=['a', 'b']: by must be others, such as ['c'].", "--by a,b: it must be others, such as c."),
        ("Check feature_bounds, or label_bounds.", "Check --bounds, or --bounds."),
        ("Add it to by=; or leave it.", "Add it to --by; or leave it."),
        ("Say by={'a': 0.0}; or clean.", "Say --by a=0.0; or clean."),
        ("Say by={'a': 'x y'}, or leave.", "Say --by a=x y, or leave."),
        ("Say by={'a': False}.", "Say --by a=false."),
        ("standby=1 is no option", "standby=1 is no option"),
    ],
)
def test_a_parameter_is_called_by_its_option(message: str, expected: str):
    assert in_options(message, OPTIONS) == expected


def test_a_command_without_persons_names_the_one_that_has_them():
    assert in_options("Name it (person=COLUMN).", {}) == "Name it (relgauss table --person COLUMN)."
