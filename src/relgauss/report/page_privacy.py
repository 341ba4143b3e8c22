"""What a statement says, for a reader who knows no epsilon and for one who does."""

from __future__ import annotations

import math

from relgauss.budget import PrivacyStatement
from relgauss.budget.guesses import FALSE_ALARMS, percent_at_most
from relgauss.budget.plain_words import promise_in_words
from relgauss.budget.statement import ONE_ROW, SIMULATED
from relgauss.report.page import Section, paragraph, table, text
from relgauss.report.page_pictures import bars, falling_curve
from relgauss.report.wording import number, percent
from relgauss.rounding import round_up

_FROM_WHOM = (
    "Everybody who reads the result, whatever else they know, even all other records. Not from those who can "
    "read the data themselves or watch the machine that computed it."
)
_POINTS = 25
_LEAST_DELTA = 1e-30  # below it a curve tells nobody anything
_UNITS = {"row": ONE_ROW, "person": "one person, with one row or all of theirs as the first release says"}
_EXPLAINED = {
    "assumed": "Taken as true; if it is not, the promise does not hold",
    "enforced": "Made true by the computation, whatever the data are",
    "certified": "Shown by a private test that was paid for",
}


def in_plain_words(statement: PrivacyStatement) -> str:
    """The promise for somebody who knows no epsilon, all numbers rounded towards privacy."""
    if statement.simulated:
        return f"{SIMULATED}."
    return (
        f"{promise_in_words(statement)} Somebody who knows all else and guesses which of two such tables was "
        f"used is right in at most {percent_at_most(statement.guesses.right)} of the cases, where a coin is "
        "right in 50 %."
    )


def privacy_sections(statement: PrivacyStatement) -> list[Section]:
    """What is protected, what that rests on, where the budget went, and the whole curve."""
    return [
        Section("What is protected", _protected(statement)),
        Section("What it rests on", _conditions(statement)),
        Section("Where the budget went", _stages(statement)),
        Section("Every epsilon and delta", _profile(statement)),
    ]


def _protected(statement: PrivacyStatement) -> str:
    alarm = f'<p class="alarm">{text(SIMULATED)}.</p>' if statement.simulated else ""
    found = zip(FALSE_ALARMS, statement.guesses.found, strict=True)
    guesses = [(percent(rate), percent_at_most(share)) for rate, share in found]
    answers = {
        "Whom": f"{_UNITS.get(statement.unit, statement.unit).capitalize()}.",
        "What may change": f"{statement.neighbours.capitalize()}.",
        "From whom": _FROM_WHOM,
        "How well": f"Epsilon {round_up(statement.epsilon())} at delta {number(statement.delta)}.",
    }
    listed = "".join(f"<dt>{name}</dt><dd>{text(answer)}</dd>" for name, answer in answers.items())
    return (
        f"{alarm}<dl>{listed}</dl>"
        + paragraph("The best test for whether a record was used, whoever makes it:")
        + table(("it may raise a false alarm in", "then it finds the record in at most"), guesses)
    )


def _conditions(statement: PrivacyStatement) -> str:
    parts = []
    for kind, explained in _EXPLAINED.items():
        found = [each.text for each in statement.conditions() if each.provenance == kind]
        if found:
            items = "".join(f"<li>{text(each)}</li>" for each in found)
            parts.append(f"<p><strong>{kind.capitalize()}.</strong> {explained}:</p><ul>{items}</ul>")
    return "".join(parts) or paragraph("Nothing was assumed.")


def _stages(statement: PrivacyStatement) -> str:
    spent = [(each, each.times * each.guarantee.loss_std**2) for each in statement.charges]
    total = math.fsum(each for _, each in spent)
    if not (math.isfinite(total) and total > 0):
        return paragraph("No stage spent anything that can be compared.")
    rows = [(charge.stage, each / total, percent(each / total)) for charge, each in spent]
    described = [
        (each.stage, each.guarantee.describe(), each.times, each.theorem) for each in statement.charges
    ]
    return bars(rows, "Share of each stage in the squared privacy loss.") + table(
        ("stage", "guarantee of one use", "uses", "proof"), described, words=(1, 3)
    )


def _profile(statement: PrivacyStatement) -> str:
    epsilon = statement.epsilon()
    if not math.isfinite(epsilon):
        return paragraph("There is no finite epsilon at this delta.")
    far = 2 * epsilon or 1.0
    grid = [far * place / (_POINTS - 1) for place in range(_POINTS)]
    points = [(each, max(statement.composition.delta(each), _LEAST_DELTA)) for each in grid]
    return falling_curve(
        points,
        (epsilon, statement.delta),
        f"Proven delta at each epsilon; the dot is this release's (epsilon {round_up(epsilon)}).",
    )
