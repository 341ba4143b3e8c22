"""A whole run on this machine: a process for each node, and the server here."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from relgauss.errors import RelgaussError
from relgauss.federated.answering import Values
from relgauss.federated.local_nodes import LocalNodes
from relgauss.federated.run_report import RunReport
from relgauss.federated.server import ServerPlan, run_server


def run_on_this_machine(app: str, nodes: Mapping[str, Values], plan: ServerPlan, folder: Path) -> RunReport:
    """All rounds of a plan over nodes that one user owns; nothing is left running.

    Parameters
    ----------
    app
        Where the nodes' processes find their ClientApp, as module:name.
    nodes
        The name of each node, with the configuration that its app gets.
    plan
        What the server does.
    folder
        Where the nodes' logs go; nobody else should be able to read it.
    """
    with _quiet_flower(), LocalNodes(app, folder) as grid:
        for name, config in nodes.items():
            grid.start(name, config)
        try:
            return run_server(grid, plan)
        except RelgaussError as error:  # the nodes are this user's own, and so are their logs
            logs = "; ".join(f"{name}: {_last_line(folder / f'{name}.log')}" for name in nodes)
            raise RelgaussError(f"{error.cause} The nodes' logs end with: {logs}.", error.fix) from None


def _last_line(log: Path) -> str:
    return (log.read_text(encoding="utf-8", errors="replace").splitlines() or ["nothing"])[-1]


@contextmanager
def _quiet_flower() -> Iterator[None]:
    """Without Flower's own lines about each round."""
    log = logging.getLogger("flwr")
    level = log.level
    log.setLevel(logging.WARNING)
    try:
        yield
    finally:
        log.setLevel(level)
