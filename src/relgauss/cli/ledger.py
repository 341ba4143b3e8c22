"""``relgauss ledger``: budgets that last over runs, in one file."""

from __future__ import annotations

import json as json_format
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from relgauss.accounting.filter import Left
from relgauss.budget import PrivacyStatement
from relgauss.budget.grouping_words import within_groups
from relgauss.cli import options, output
from relgauss.cli.files import check_new_files, write_new
from relgauss.cli.ledger_import import read_spent
from relgauss.cli.pages import Pages, ReportFile
from relgauss.cli.strict_command import StrictCommand
from relgauss.errors import RelgaussError
from relgauss.grouped.table_budget import LEAK
from relgauss.ledger import Ledger
from relgauss.ledger.ledger_entries import LedgerState
from relgauss.ledger.verify import verify_file
from relgauss.report.page import Section, paragraph, table
from relgauss.report.wording import counted, printable
from relgauss.rounding import round_down, round_up

ledger = typer.Typer(
    help="Budgets that last: what may be spent on a dataset, and what was.", add_completion=False
)

_PLANS = (2, 4, 12)  # equal releases: of half-years, quarters and months
_NOTHING = 1e-9  # of what was set aside: what adding up leaves
BEYOND = "Beyond the budget, with what was spent outside and imported"

File = Annotated[Path, typer.Argument(metavar="LEDGER", help="The ledger's file.")]
What = Annotated[str, typer.Option(help="What was released, in a few words.")]


@ledger.command(cls=StrictCommand)
def init(
    file: File,
    *,
    dataset: Annotated[str, typer.Option(help="The records it is for, by a name for people.")],
    epsilon: Annotated[float, typer.Option(help="Epsilon of everything, for ever.")],
    delta: Annotated[float, typer.Option(help="Delta of everything, for ever.")],
    unit: Annotated[
        str, typer.Option(help="Whom it protects: row, person, or as statements say it.")
    ] = "row",
    neighbours: Annotated[
        str | None,
        typer.Option(
            help="replace-one, within groups, add-or-remove, or as statements say it. Default: as the first "
            "release.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="A column that some release will group by; may be repeated. For rows in public groups.",
            show_default=False,
        ),
    ] = None,
    for_failures: Annotated[
        float, typer.Option(help="Part of delta for releases that may leak or fail.")
    ] = 0.0,
    for_pure: Annotated[float, typer.Option(help="Part of epsilon for pure and (epsilon, delta)-DP.")] = 0.0,
    order: Annotated[
        list[float] | None,
        typer.Option(help="Count by Rényi divergences at this order. Default: in mu².", show_default=False),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Make a ledger, once: a budget for a dataset and a unit of privacy."""
    if by and neighbours is not None:
        raise RelgaussError("--by says what --neighbours does.", "Pass one of the two.")
    made = Ledger.create(
        file,
        dataset=dataset,
        unit=unit,
        epsilon=epsilon,
        delta=delta,
        neighbours=within_groups(by) if by else neighbours,
        for_failures=for_failures,
        for_pure=for_pure,
        orders=tuple(order or ()),
    )
    _show(made, as_json=json)


@ledger.command(cls=StrictCommand)
def show(
    file: File, *, report: ReportFile = None, force: options.Force = False, json: options.AsJson = False
) -> None:
    """Show what was spent and what is left."""
    pages = Pages(report)
    pages.check()
    check_new_files(pages.files, [file], force)
    found = Ledger.open(file)
    for write in _writes(found, pages, force):
        write()
    _show(found, as_json=json)
    if not json:
        pages.print()


@ledger.command(cls=StrictCommand)
def verify(file: File, *, json: options.AsJson = False) -> None:
    """Check every entry against its hash, and every release against the budget.

    The record of a federation's node is checked too. Exit codes: 0, all is as it was written, and what was
    spent outside is named if it exceeds the budget. 2, it is damaged, or holds a release beyond its budget.
    """
    found = verify_file(file)
    if json:
        output.print_json(asdict(found))
        return
    entries = counted(found.entries, "entry", "entries")
    output.print_line(f"{file}: {entries}, {counted(found.spends, 'spend')}, all as they were written.")
    if found.within_budget is False:
        output.print_line(f"{BEYOND}: nothing more will be released from it.")
    output.print_line(f"Head: {found.head}")


@ledger.command(cls=StrictCommand)
def export(
    file: File,
    *,
    output_file: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write a .json.", show_default=False)
    ] = None,
    force: options.Force = False,
    json: options.AsJson = False,
) -> None:
    """Print the whole ledger as JSON, or write it to a file."""
    check_new_files([output_file], [file], force)
    exported = Ledger.open(file).export()
    if output_file is not None:
        text = json_format.dumps(exported, indent=2, allow_nan=False) + "\n"
        write_new(output_file, lambda path: path.write_text(text, encoding="utf-8"), force)
    if json or output_file is None:
        output.print_json(exported)
    else:
        output.print_line(f"Ledger as JSON: {output_file}")


@ledger.command("import", cls=StrictCommand)
def import_spend(
    file: File,
    *,
    what: What,
    statement: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A privacy statement as JSON.", show_default=False),
    ] = None,
    event: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="An event of dp_accounting as JSON, by json.dumps(event.to_named_tuple()).",
            show_default=False,
        ),
    ] = None,
    neighbours: Annotated[
        str | None,
        typer.Option(help="Of the event: replace-one or add-or-remove.", show_default=False),
    ] = None,
    epsilon: Annotated[
        float | None, typer.Option(help="What was promised, if there is no statement.", show_default=False)
    ] = None,
    delta: Annotated[float, typer.Option(help="Beside epsilon; 0 is pure DP.")] = 0.0,
    beyond: Annotated[
        bool, typer.Option("--beyond", help="Count it even if that exceeds the budget, which ends it.")
    ] = False,
    json: options.AsJson = False,
) -> None:
    """Count what was released without the ledger."""
    spent = read_spent(statement, event, neighbours, epsilon, delta)
    found = Ledger.open(file)
    twice = [each for each in found.state().spends if _is_same(each.charges, spent)]
    found.add_outside(spent, what, beyond=beyond)
    _show(found, as_json=json)
    if twice:
        typer.echo(
            f"Note: the ledger already held {printable(twice[0].what)!r} with exactly these charges. If that "
            "is the same release, it is now counted twice.",
            err=True,
        )


def _is_same(charges: Sequence[Any], spent: object) -> bool:
    """Whether a spend that the ledger holds has the charges of this statement."""
    return isinstance(spent, PrivacyStatement) and list(charges) == list(spent.charges)


def _show(found: Ledger, *, as_json: bool) -> None:
    state = found.state()
    if as_json:
        output.print_json(state.to_dict())
        return
    budget, left = state.budget, state.budget.left
    output.print_line(f"{found.file.name}: {state.dataset}")
    pairs = {
        "unit": state.unit,
        "neighbours": state.neighbours or "as the first release states it",
        "budget": f"epsilon {round_up(budget.epsilon)} at delta {budget.delta!r}",
        "left": f"epsilon {left.text(budget.delta)} for one more Gaussian release",
    }
    if state.spends:
        pairs["left"] += " (epsilons do not subtract: mu² does)"
    if not budget.is_within:
        pairs["left"] = f"nothing. {BEYOND}."
    elif left.mu > 0:
        pairs["or several"] = f"{_of_several(left, budget.delta)}, at that delta"
    if budget.for_pure:
        pairs["left, pure"] = f"epsilon {round_down(left.pure)} of {budget.for_pure:g} set aside"
    if budget.for_failures:
        pairs["left, failures"] = f"{round_down(left.failures)} of delta, of {budget.for_failures:g}"
        if left.failures > _NOTHING * budget.for_failures:
            pairs["private groups"] = _of_private_groups(left, budget.delta)
    if state.spends:
        tight = state.statement().epsilon()
        pairs["spent"] = f"epsilon {round_up(tight)}, had all of it been planned in advance"
    output.print_pairs(pairs)
    if state.spends:
        _print_spends(state)


def _of_several(left: Left, delta: float) -> str:
    """The epsilon of each of some equal releases that all fit: mu² adds up."""
    each = (
        (number, replace(left, mu=left.mu / math.sqrt(number) * (1 - 1e-12)).text(delta)) for number in _PLANS
    )
    return ", ".join(f"{number} of epsilon {epsilon}" for number, epsilon in each)


def _of_private_groups(left: Left, delta: float) -> str:
    """The delta of each of some equal tables with groups found privately, which take a part of it."""
    deltas = {number: min(delta, left.failures / (LEAK * number)) for number in (1, *_PLANS)}
    words = ", ".join(f"{number} at {round_down(each, 3)}" for number, each in deltas.items())
    return f"tables at delta (a quarter of it each): {words}"


def _writes(found: Ledger, pages: Pages, force: bool) -> list[Callable[[], object]]:
    """What writes the page of a ledger: its budget, and every spend."""
    state = found.state()
    budget = state.budget
    left = round_down(budget.left.epsilon(budget.delta))
    still = f"a release of epsilon {left} still fits." if budget.is_within else f"nothing is left. {BEYOND}."
    lead = (
        f"Everything that is ever released about {state.dataset} may cost epsilon {round_up(budget.epsilon)} "
        f"at delta {budget.delta!r}; {still}"
    )
    rows = [
        (spend.at[:19].replace("T", " "), spend.what, spend.status, _costs(spend.charges))
        for spend in state.spends
    ]
    spent = table(("when (UTC)", "what", "status", "costs"), rows, words=(1, 2, 3))
    body = spent if rows else paragraph("Nothing was spent yet.")
    title = f"Privacy ledger: {state.dataset}"
    dated = tuple(
        replace(charge, stage=f"{spend.at[:10]}, {spend.what}: {charge.stage}")
        for spend in state.spends
        for charge in spend.charges
    )
    statement = replace(state.statement(), charges=dated)
    return pages.writes(title, [Section("What was spent", body)], statement, force, lead=lead, spends=False)


def _print_spends(state: LedgerState) -> None:
    shown = output.new_table("when (UTC)", "what", "status", "costs")
    for spend in state.spends:
        shown.add_row(spend.at[:19].replace("T", " "), spend.what, spend.status, _costs(spend.charges))
    output.console.print(shown)


def _costs(charges: Sequence[Any]) -> str:
    """The guarantees of a spend, each with how often it was used."""
    found: dict[str, int] = {}
    for charge in charges:
        words = charge.guarantee.describe()
        found[words] = found.get(words, 0) + charge.times
    return ", ".join(words if times == 1 else f"{words} × {times}" for words, times in found.items())
