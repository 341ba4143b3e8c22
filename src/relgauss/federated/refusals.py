"""What a node says where it does not answer: one kind of a fixed list, in a format with a version.

The text of an error may quote records, files or parameters, so no text of a node's ever travels. The node
logs it; the server has a sentence of its own for each kind. A kind that is renamed or added is a new version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum

from relgauss.errors import (
    InvalidValueError,
    LostReleaseError,
    OtherQuestionError,
    RefusedReleaseError,
    SpentError,
)
from relgauss.nodes.participant import Refusal

VERSION = 1


class Kind(StrEnum):
    """Why a node does not answer, as much of it as the server is told."""

    SPENT = "spent"
    LOST = "lost"
    OTHER_QUESTION = "other-question"
    DECLINED = "declined"
    BAD_REQUEST = "bad-request"
    NOT_READY = "not-ready"
    FAILED = "failed"


_SENTENCES: Mapping[Kind, tuple[str, str]] = {
    Kind.SPENT: (
        "all releases that it agreed on are spent",
        "Go on without it; more rounds would need a new agreement and more budget.",
    ),
    Kind.LOST: ("the request was charged and its release is lost", "Go on without it; it stays spent."),
    Kind.OTHER_QUESTION: (
        "the request's name was used before, for another point",
        "Give each question a name of its own.",
    ),
    Kind.DECLINED: (
        "it takes no part, or the message would be answered without noise",
        "Evaluate on public data, at the server; else see the node's log.",
    ),
    Kind.BAD_REQUEST: (
        "the message holds no point that it can answer at",
        "Send finite numbers of the node's dimension.",
    ),
    Kind.NOT_READY: ("it cannot be set up with its records and terms", "See the node's log."),
    Kind.FAILED: ("it failed while it answered", "See the node's log."),
}

# By name, as a Refusal holds it. Whatever is not listed goes by the moment in which it happened.
_BY_ERROR: dict[str, Kind] = {
    error.__name__: kind
    for error, kind in (
        (SpentError, Kind.SPENT),
        (LostReleaseError, Kind.LOST),
        (OtherQuestionError, Kind.OTHER_QUESTION),
        (RefusedReleaseError, Kind.DECLINED),
    )
}
_WHILE_ANSWERING = _BY_ERROR | {InvalidValueError.__name__: Kind.BAD_REQUEST}


def kind_while_set_up(error: Exception) -> Kind:
    """The kind of an error that kept the node from being made."""
    return _BY_ERROR.get(type(error).__name__, Kind.NOT_READY)


def kind_while_answering(name: str) -> Kind:
    """The kind of an error of this name, raised by a request."""
    return _WHILE_ANSWERING.get(name, Kind.FAILED)


def to_text(kind: Kind, node: str) -> str:
    """What travels: the version, the node's public name and the kind."""
    return json.dumps({"relgauss-refusal": VERSION, "node": node, "kind": kind.value})


def from_text(text: str) -> tuple[str, Refusal]:
    """The node's name and the refusal in the server's own words; the name is empty for any other text."""
    try:
        said = json.loads(text)
        if said["relgauss-refusal"] == VERSION:
            kind = Kind(said["kind"])
            return str(said["node"]), Refusal(*_SENTENCES[kind], kind=kind.value)
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    return "", Refusal(
        "its refusal cannot be read",
        "Use one version of relgauss at all nodes and the server.",
        kind="unknown",
    )
