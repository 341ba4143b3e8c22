"""How far a fit is: a bar over its passes, of which public numbers tell how many there will be at most."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from relgauss.estimate.column_ranges import MOST_ROUNDS
from relgauss.linear_model.public_plan import NEWTON_SCHEDULES, SCHEDULES
from relgauss.linear_model.solvers import ClippedSolver, Solver
from relgauss.records.blocks import Passes

_OTHERS = 10  # class shares, norms, centre, distances, covariance, curvature (twice), scatter, shift, check
_ONE_QUADRATIC = 2  # whitened norms, and the moments that all steps share


def planned_passes(solver: Solver) -> int:
    """How often a fit may read its records; fewer, if its search ends early or it ends with a constant."""
    searched = MOST_ROUNDS if solver.search.features or solver.search.label else 0
    if not isinstance(solver, ClippedSolver):
        return searched + _OTHERS + _ONE_QUADRATIC
    name = solver.problem.objective.name  # how many coordinates it will have is not known yet
    steps = max(len(each[name].norm_steps) + each[name].steps for each in (SCHEDULES, NEWTON_SCHEDULES))
    return searched + _OTHERS + steps


@contextmanager
def shown_passes(passes: Passes, planned: int) -> Iterator[None]:
    """A bar on stderr that grows with each pass, where stderr is a terminal or a notebook.

    If it cannot be drawn there is none: a fit that has spent a budget does not end because of it.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    is_shown = console.is_terminal or console.is_jupyter
    bar = Progress(*columns, console=console, transient=True, disable=not is_shown)
    task = bar.add_task("passes over the records", total=max(planned, passes.made + 1))

    def tell(made: int) -> None:
        with suppress(Exception):
            bar.update(task, completed=made)

    with suppress(Exception):
        bar.start()
    passes.tell = tell
    try:
        yield
    finally:
        passes.tell = None
        with suppress(Exception):
            bar.stop()
