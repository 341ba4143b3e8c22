"""Every error a user can meet: what is wrong, with which value, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "InvalidParameterError",
    "InvalidValueError",
    "LostReleaseError",
    "MissingExtraError",
    "MostlyNoiseWarning",
    "NoEventError",
    "NoGuaranteeError",
    "OtherQuestionError",
    "OverBudgetError",
    "RecordError",
    "RefusedReleaseError",
    "RelgaussError",
    "SecureNoiseUnavailableError",
    "SimulatedNoiseWarning",
    "SpentError",
    "TableError",
    "UnreachableTargetError",
    "UnrecordedReleaseWarning",
    "UnwrittenError",
]


class RelgaussError(ValueError):
    """The root of all errors; its message names the cause and the fix.

    Parameters
    ----------
    cause
        What is wrong, in a sentence that quotes no record.
    fix
        What to do about it.
    """

    def __init__(self, cause: str, fix: str) -> None:
        super().__init__(f"{cause} {fix}")
        self.cause = cause
        self.fix = fix

    def __reduce__(self) -> tuple[object, ...]:
        state = {name: _plain(value) for name, value in self.__dict__.items()}
        return _rebuild, (type(self), self.args, state)


def _plain(value: object) -> object:
    """A number or a text as it is, anything else as it would be shown: an error must travel."""
    return value if isinstance(value, str | int | float | None) else repr(value)


def _rebuild(kind: type[RelgaussError], args: tuple[object, ...], state: dict[str, object]) -> RelgaussError:
    """Restore a pickled error: its message is already built, so no constructor runs again."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InvalidParameterError(RelgaussError):
    """An argument lies outside its range; no computation was started.

    Parameters
    ----------
    name
        The argument.
    value
        What was passed.
    requirement
        What it must be: "above 0", for example.
    fix
        What to pass instead.
    """

    def __init__(self, name: str, value: object, requirement: str, fix: str) -> None:
        super().__init__(f"{name}={value!r}: {name} must be {requirement}.", fix)
        self.name = name
        self.value = value


class InvalidValueError(RelgaussError):
    """The value to be released is not a finite vector of the mechanism's dimension."""


class UnreachableTargetError(RelgaussError):
    """No noise level of this mechanism reaches the privacy target.

    Parameters
    ----------
    cause
        What is out of reach, and why.
    fix
        What to do about it.
    least_epsilon
        The least epsilon that the mechanism can reach.
    """

    def __init__(self, cause: str, fix: str, least_epsilon: float) -> None:
        super().__init__(cause, fix)
        self.least_epsilon = least_epsilon


class NoGuaranteeError(RelgaussError):
    """The conditions of the theorem that would give this number do not hold."""


class RecordError(RelgaussError):
    """The durable record of spends cannot be used, or holds another agreement; nothing is drawn."""


class RefusedReleaseError(RelgaussError):
    """A request for a release is refused: no noise is drawn for it."""


class SpentError(RefusedReleaseError):
    """All releases that were agreed on are spent."""


class OverBudgetError(SpentError):
    """The budget of a ledger does not hold this release; no noise is drawn and nothing is counted for it.

    Parameters
    ----------
    cause
        What would be exceeded.
    fix
        What to do about it.
    left
        The epsilon that is left, at the ledger's delta.
    delta
        The ledger's delta.
    """

    def __init__(self, cause: str, fix: str, left: float, delta: float) -> None:
        super().__init__(cause, fix)
        self.left = left
        self.delta = delta


class LostReleaseError(RefusedReleaseError):
    """The request was charged, but its release was never recorded: it is spent and cannot be had again."""


class OtherQuestionError(RefusedReleaseError):
    """The request was answered before, for another question."""


class NoEventError(RelgaussError):
    """No event of dp_accounting describes this mechanism."""


class SecureNoiseUnavailableError(RelgaussError):
    """Secure noise was asked for and cannot be drawn; there is no fall-back."""


class TableError(RelgaussError):
    """A table cannot be read, or lacks what is asked of its columns; no record was looked at."""


class UnwrittenError(RelgaussError):
    """A file could not be written, by no mistake of the user; files that were there are as they were.

    Parameters
    ----------
    file
        The file that was to be written.
    reason
        What the operating system said.
    kept
        Files in which what was made is kept.
    """

    def __init__(self, file: object, reason: str, kept: Sequence[object] = ()) -> None:
        fix = "Free the disk, or choose a file in a folder you can write to."
        if kept:
            fix = f"What was made is kept in {', '.join(map(str, kept))}."
        super().__init__(f"{file} cannot be written: {reason}.", fix)
        self.reason = reason


class MissingExtraError(RelgaussError):
    """An optional dependency is not installed.

    Parameters
    ----------
    feature
        What was asked for.
    extra
        The extra of relgauss that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs the optional extra '{extra}'.", f"Install it: pip install 'relgauss[{extra}]'."
        )


class MostlyNoiseWarning(UserWarning):
    """The mechanism is valid, but its answers will be mostly noise."""


class SimulatedNoiseWarning(UserWarning):
    """The noise of a fit came from a seeded generator: repeatable, and not private."""


class UnrecordedReleaseWarning(UserWarning):
    """A release was made and counts as spent, but its statement could not be written to the ledger."""
