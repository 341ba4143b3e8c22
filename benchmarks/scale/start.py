"""Processor time that it takes to import relgauss and to show its help."""

from __future__ import annotations

import resource
import subprocess
import sys

from rich.console import Console

ROUNDS = 5
# Programs, and the most seconds that each may take.
CASES = {
    "import relgauss": 0.1,
    "import sys; sys.argv = ['relgauss', '--help']; from relgauss.cli import main; main()": 0.3,
}
console = Console(width=110)


def run() -> None:
    """The least of some runs, user and system time together, with the interpreter's own."""
    seconds: dict[str, list[float]] = {program: [] for program in CASES}
    for _ in range(ROUNDS):
        for program, found in seconds.items():
            found.append(_processor_seconds(program))
    for program, limit in CASES.items():
        least, most = min(seconds[program]), max(seconds[program])
        text = f"{program}: {least:.3f} s of processor time (to {most:.3f})"
        console.print(f"{text}: {'within' if least <= limit else 'ABOVE'} {limit:g}", highlight=False)


def _processor_seconds(program: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
