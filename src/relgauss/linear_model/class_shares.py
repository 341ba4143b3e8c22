"""How large each of several classes is: released before a fit, and what a constant predicts; and how many
labels are none of them, released after it.

Proof: proofs/regression.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from relgauss.bounded.answer import BoundedAnswer, bounded_mean
from relgauss.bounded.histogram import count_cells
from relgauss.descent.softmax import Softmax
from relgauss.estimate.whitening import Centre
from relgauss.linear_model.outcome import Degraded
from relgauss.linear_model.problem import Problem
from relgauss.records.blocks import Rows
from relgauss.spending import Noisy, Spending

CLASS_SHARES, NO_CLASS = "class shares", "labels of no class"
_SHARE = 0.03  # of mu²
_CAUTION = 2.0  # noise levels that the share of a class that is seen lies above
_NO_CLASS_PART = 0.1  # of what the check has
_NO_CLASS_CAUTION = 3.5  # noise levels above which labels of no class are told: noise does once in 4,000 fits


def with_class_shares(problem: Problem, objective: Softmax, spending: Spending) -> Problem:
    """The problem, whose objective then knows released shares of its classes, and which were seen."""
    shares = release_shares(problem, objective, spending, _SHARE)
    known = replace(problem, objective=objective.informed(shares.value, shares.noise_std))
    return with_unseen(known, shares)


def with_unseen(problem: Problem, shares: Noisy) -> Problem:
    """The problem, with the names of classes whose share does not stand out of its noise."""
    names = [*problem.classes, *["another class"] * (len(shares.value) - len(problem.classes))]
    unseen = np.flatnonzero(shares.value <= _CAUTION * shares.noise_std)
    return replace(problem, unseen_classes=tuple(names[j] for j in unseen))


def one_class(problem: Problem) -> Degraded | None:
    """Why there is nothing to tell apart, if fewer than two classes were seen."""
    if len(problem.unseen_classes) < max(len(problem.classes), 2) - 1:
        return None
    return Degraded(f"Hardly any record was seen of {' and '.join(problem.unseen_classes)}.", _fix(problem))


def _fix(problem: Problem) -> str:
    first = problem.classes[0] if problem.classes else "the first when sorted"
    return (
        f"Check how classes are spelt: a label that is none of them counts as {first}. For a rare class use "
        "more records or a larger epsilon."
    )


def with_rare_classes(problem: Problem, why: Degraded) -> Degraded:
    """The reason, with the classes that were hardly seen, and how many labels are of none: a misspelt one may
    be all that is wrong.
    """
    reasons = [why.reason]
    if problem.unseen_classes:
        reasons.append(f"Hardly any record was seen of {' and '.join(problem.unseen_classes)}.")
    if problem.no_class_share:
        reasons.append(f"About {problem.no_class_share:.0%} of the labels are none of the classes.")
    if len(reasons) == 1:
        return why
    return replace(why, reason=" ".join(reasons), fix=f"{_fix(problem)} {why.fix}")


def labels_of_no_class(rows: Rows) -> BoundedAnswer:
    """The part of the labels that are none of the stated classes; replacing a record moves it by 1/n."""
    return bounded_mean(
        rows, lambda block: np.array([float(np.count_nonzero(block.labels < 0))]), largest=1.0, apart=1.0
    )


def set_aside_for_no_class(spending: Spending) -> None:
    """A part of what the check has: where classes are stated, labels may be none of them."""
    spending.set_aside(_NO_CLASS_PART * spending.left)


def with_no_class_share(problem: Problem, spending: Spending) -> Problem:
    """The problem, with the part of the labels that are none of the stated classes, for what was set aside.

    A share that does not stand out of its noise is told as zero.
    """
    answer = labels_of_no_class(problem.records)
    (share,), noise_std = spending.release(NO_CLASS, answer, spending.take_back())
    seen = share > _NO_CLASS_CAUTION * noise_std
    return replace(problem, no_class_share=float(min(share, 1.0)) if seen else 0.0)


def with_shares_of_two(problem: Problem, centre: Centre, spending: Spending) -> tuple[Problem, Centre]:
    """The problem, with the classes that were hardly seen; and the mean of labels that are -1 and 1.

    That of rows and labels together has several times the noise, of which a rare class would be hidden.
    """
    (share,), noise_std = spending.release(CLASS_SHARES, share_of_second(problem.records), _SHARE)
    shares = Noisy(np.array([1 - share, share]), noise_std)
    mean = float(np.clip(2 * share - 1, -1.0, 1.0))
    return with_unseen(problem, shares), replace(centre, label=mean, noise_std=2 * noise_std)


def share_of_second(rows: Rows) -> BoundedAnswer:
    """The part of the labels that are the second of two classes; replacing a record moves it by 1/n."""
    return bounded_mean(
        rows, lambda block: np.atleast_1d(np.clip(block.labels, 0.0, 1.0).sum()), largest=1.0, apart=1.0
    )


def release_shares(problem: Problem, objective: Softmax, spending: Spending, share: float) -> Noisy:
    """Noisy shares of the classes; labels are numbers from 0 to K - 1, a count of which moves by sqrt(2)."""
    answer = count_cells(
        problem.records, lambda block: [objective.numbered(block.labels)], 1, objective.classes
    )
    counts, count = spending.release(CLASS_SHARES, answer, share), problem.records.count
    return Noisy(counts.value / count, counts.noise_std / count)
