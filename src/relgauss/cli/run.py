"""How a command ends: an exit code and, unless it succeeded, one line on stderr."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

import typer

from relgauss.errors import RelgaussError, UnwrittenError
from relgauss.report.wording import printable

MISTAKE = 2
UNWRITTEN = 74  # what sysexits.h calls EX_IOERR: the system, not the user, stood in the way
_INTERRUPTED = 130

# typer has brought its own click since 0.26 and does not name this class, the parent of one that it names.
_UsageError: Any = typer.BadParameter.__base__


def run(app: typer.Typer) -> int:
    """Run the app and return its exit code; a mistake is one line that says the cause and the fix."""
    _prepare_streams()
    code = _run(app)
    try:
        sys.stdout.flush()
    except OSError as error:
        code = _tell_unwritten(error)
    _drop_what_cannot_be_written()
    return code


def _run(app: typer.Typer) -> int:
    command = typer.main.get_command(app)
    try:
        # Not by `main`, which ends in silence where a pipe is closed.
        with command.make_context("relgauss", sys.argv[1:]) as context:
            command.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except UnwrittenError as error:
        return _tell(str(error), UNWRITTEN)
    except RelgaussError as error:
        return _tell(str(error), MISTAKE)
    except _UsageError as error:
        where = error.ctx.command_path if error.ctx else "relgauss"
        message = error.format_message().replace(
            " requires 2 arguments", " needs two values, a blank between"
        )
        if "unexpected extra argument" in message:
            message += (
                ". Put no blank after a comma, what has a blank in it in quotes, and a file to write after "
                "its option"
            )
        return _tell(f"{_once(message)} See: {where} --help", MISTAKE)
    except OSError as error:
        return _tell_unwritten(error)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # while help was printed, which is not ours
            return _tell_unwritten(end.__context__)
        raise
    except (KeyboardInterrupt, typer.Abort):
        return _tell("Interrupted.", _INTERRUPTED)
    return 0


def _once(message: str) -> str:
    """A message with one end, and without a question that is asked twice."""
    first, mark, rest = message.partition(" Did you mean")
    question = (mark + rest).split("?")[0]
    return f"{first.rstrip('.')}.{question}?" if mark else f"{first.rstrip('.')}."


def _tell(message: str, code: int) -> int:
    with suppress(OSError):  # where nobody listens, the code still tells
        typer.echo(f"Error: {printable(' '.join(message.split()))}", err=True)
    return code


def _tell_unwritten(error: OSError) -> int:
    if isinstance(error, BrokenPipeError):
        message = (
            "The output was closed before all of it was written. Read it to the end, or write to a file."
        )
    else:
        where = error.filename or "The output"
        message = (
            f"{where} cannot be written or read: {error.strerror or error}. Free the disk, or use another."
        )
    return _tell(message, UNWRITTEN)


def _prepare_streams() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed before the start
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ² or · shows ? for it


def _drop_what_cannot_be_written() -> None:
    """Keep the interpreter from trying again, with a traceback, when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
