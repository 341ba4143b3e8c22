"""Federated training: many nodes in process, two over Flower."""

from importlib.util import find_spec

from benchmarks.federated import in_process, on_flower
from benchmarks.federated.data import console


def run() -> None:
    """All parts; the one over Flower takes about three quarters of an hour."""
    in_process.run()
    if find_spec("flwr") is None:
        console.print("The runs over Flower are left out: they need the extra 'federated'.")
    else:
        on_flower.run()
