"""What ``relgauss fit`` shows: a table of coefficients with intervals, JSON, or a part of a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from relgauss.cli import output
from relgauss.cli.option_words import in_options
from relgauss.report.page import paragraph
from relgauss.report.predicted_constant import predicted_constant

if TYPE_CHECKING:
    from relgauss.linear_model import Degraded, Fitted
    from relgauss.linear_model.saved import Model


def fit_to_dict(model: Model, names: list[str], target: str, rows: int) -> dict[str, Any]:
    """A fit as JSON; of more than two classes, what is said of a coefficient is said for each class."""
    from relgauss.linear_model import PrivateRidge
    from relgauss.linear_model.summary import INTERCEPT

    outcome, named, scores = model.outcome_, [*names, INTERCEPT], np.size(model.intercept_)

    def by_class(values: Any) -> Any:
        """One value, or one for each class."""
        listed = np.reshape(values, (scores, -1)).tolist()
        lines = [line if len(line) > 1 else line[0] for line in listed]
        return lines[0] if scores == 1 else dict(zip(map(str, model.classes_), lines, strict=True))

    def by_name(values: Any, names: list[str]) -> Any:
        """A value for each name, or one for each name of each class."""
        lines = np.reshape(values, (scores, len(names), -1)).tolist()
        tables = [
            {name: each if len(each) > 1 else each[0] for name, each in zip(names, line, strict=True)}
            for line in lines
        ]
        return tables[0] if scores == 1 else dict(zip(map(str, model.classes_), tables, strict=True))

    found: dict[str, Any] = {
        "target": target,
        "rows": rows,
        "coefficients": by_name(model.coef_, names),
        "intercept": by_class(model.intercept_),
        "standard_errors": by_name(model.standard_errors_, named),
        "intervals": by_name(np.moveaxis(model.intervals_, 0, -1), named),
        "feature_range": dict(zip(names, np.stack(model.feature_range_).T.tolist(), strict=True)),
    }
    if isinstance(model, PrivateRidge):
        found |= {"prediction_range": [*model.prediction_range_], "label_range": [*model.label_range_]}
    else:
        ends = np.stack([np.ravel(end) for end in model.score_range_], axis=-1)
        found |= {"classes": model.classes_.tolist(), "score_range": by_class(ends)}
    return found | {
        "outcome": {"kind": type(outcome).__name__.lower(), **_told(outcome)},
        "cautions": list(model.cautions_),
        "privacy": model.privacy_.to_dict(),
    }


def _told(outcome: Fitted | Degraded) -> dict[str, Any]:
    """What an outcome tells, its texts in the words of the command line."""
    return {
        name: in_options(each, {}) if isinstance(each, str) else each for name, each in vars(outcome).items()
    }


def print_fit(model: Model, names: list[str], target: str, rows: int) -> None:
    """A fit for people: what it is of, the table of its coefficients, and what it cost."""
    from relgauss.linear_model import Degraded, PrivateRidge
    from relgauss.linear_model.summary import outside_bounds

    simulated = model.privacy_.simulated
    if simulated:
        output.console.print("[bold]SIMULATED, not private[/bold]")
    noise = "simulated" if simulated else "secure"
    what = target
    if not isinstance(model, PrivateRidge):
        *before, last = map(str, model.classes_)
        what = f"{target} ({', '.join(before)} or {last})"
    output.print_line(f"{what} by {features_in_words(len(names))}: {rows:,} rows, {noise} noise.")
    outcome = model.outcome_
    if isinstance(outcome, Degraded):
        output.print_line(in_options(f"Degraded to a constant: {outcome.in_words}", {}))
        if outcome.outside:
            output.print_line(outside_bounds(names, outcome))
        output.print_pairs(predicted_constant(model))
        for each in model.cautions_:
            output.print_line(f"Caution: {each}")
    else:
        _, *lines = str(model.summary()).splitlines()
        for line in lines:
            output.print_line(line)
    output.console.print()
    output.print_statement(model.privacy_)


def features_in_words(count: int) -> str:
    """How many there are."""
    return "1 feature" if count == 1 else f"{count} features"


def fit_to_html(model: Model) -> str:
    """How the fit ended, and its coefficients, as a part of a page."""
    from relgauss.linear_model import Degraded

    outcome = model.outcome_
    words = f"Degraded: {outcome.in_words}" if isinstance(outcome, Degraded) else "Fitted."
    summary = model.summary()
    table = replace(summary, note=in_options(summary.note, {}))._repr_html_()
    return f'{paragraph(in_options(words, {}))}<div class="wide">{table}</div>'
