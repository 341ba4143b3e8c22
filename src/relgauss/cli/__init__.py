"""The command line: one module for each command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run ``relgauss`` and exit: 0 for success, 2 with one line on stderr for a mistake."""
    from relgauss.cli.app import app
    from relgauss.cli.run import run

    sys.exit(run(app))
