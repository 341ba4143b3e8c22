"""Build each peer's environment, run the bounded protocol in it, and show all results together.

``python -m benchmarks.regression.peers [diffprivlib] [opacus] [--seeds 10]``. What is built and written lies
in build/, which is not committed. A peer runs as a script that knows nothing of this project: it is handed
the tasks and hands back coefficients, which are measured here.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.regression import SEEDS, accuracy, datasets
from benchmarks.regression.protocol import DELTA, EPSILONS, Model, Task
from benchmarks.regression.results import OUTPUT, Run, write_runs

ENVIRONMENTS, TASKS = OUTPUT.parent / "peers", OUTPUT / "tasks"


@dataclass(frozen=True)
class Peer:
    """``installs`` are lists of requirements, installed one after the other."""

    installs: tuple[tuple[str, ...], ...]
    script: str


PEERS = {
    "diffprivlib": Peer((("diffprivlib==0.6.6", "scikit-learn==1.7.2"),), "diffprivlib_fits.py"),
    # torch first and alone: what Opacus would bring by itself comes with gigabytes of CUDA.
    "opacus": Peer((("torch==2.13.0",), ("opacus==1.6.0",)), "opacus_fits.py"),
}


def environment(name: str, peer: Peer) -> Path:
    """The interpreter of the peer's environment, built if it is not there."""
    folder = ENVIRONMENTS / name
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        venv.create(folder, with_pip=True, clear=True)
        for requirements in peer.installs:
            quiet = ("--quiet", "--disable-pip-version-check")
            subprocess.run([str(python), "-m", "pip", "install", *quiet, *requirements], check=True)
        ready.touch()
    return python


def run(name: str, peer: Peer, tasks: list[Task], seeds: int) -> None:
    """Fit in the peer's environment, measure here."""
    python = environment(name, peer)
    fits = OUTPUT / f"peers-{name}.jsonl"
    settings = {"delta": DELTA, "epsilons": EPSILONS, "seeds": seeds, "tasks": str(TASKS), "fits": str(fits)}
    script = Path(__file__).with_name(peer.script)
    subprocess.run([str(python), str(script), json.dumps(settings)], check=True)
    by_name = {task.name: task for task in tasks}
    runs = []
    for line in fits.read_text().splitlines():
        fit = json.loads(line)
        task = by_name[fit["task"]]
        excess = task.excess(Model(np.array(fit["coefficients"]), fit["intercept"]))
        row = (fit["method"], task.name, task.count, fit["epsilon"], fit["seed"], excess, fit["seconds"])
        runs.append(Run(*row))
    write_runs(OUTPUT / f"peers-{name}.csv", runs)


def main() -> None:
    """Read the arguments; a peer that cannot be installed is named, and the others go on."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regression.peers")
    parser.add_argument("names", nargs="*", default=list(PEERS), metavar="peer", help=", ".join(PEERS))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(PEERS)
    if unknown:
        sys.exit(f"unknown peer {', '.join(sorted(unknown))}: choose from {', '.join(PEERS)}")
    tasks = [task.bounded() for task in datasets.tasks()]
    TASKS.mkdir(parents=True, exist_ok=True)
    for task in tasks:
        measured = {"least": task.least, "variance": task.variance}
        np.savez(TASKS / f"{task.name}.npz", features=task.features, labels=task.labels, **measured)
    for name in arguments.names:
        try:
            run(name, PEERS[name], tasks, arguments.seeds)
        except subprocess.CalledProcessError as error:
            print(f"{name} is left out: {' '.join(error.cmd[:4])} ... failed with status {error.returncode}.")
    accuracy.show()


if __name__ == "__main__":
    main()
