"""Some parts, or fewer seeds: ``python -m benchmarks.regression accuracy wild timing show --seeds 3``.

``show`` prints what is on file; ``accuracy --only PrivateRidge`` runs the methods anew whose names begin so.
``repeated --seeds 200 --only "five, bounds: bike"`` fits with many seeds what holds this in its name.
"""

import argparse

from benchmarks.regression import SEEDS, accuracy, held_out, logistic, rare, repeated, timing, wild

parser = argparse.ArgumentParser(prog="python -m benchmarks.regression")
parser.add_argument(
    "parts",
    nargs="*",
    choices=["accuracy", "held_out", "wild", "logistic", "rare", "repeated", "timing", "show"],
)
parser.add_argument("--seeds", type=int, default=SEEDS)
parser.add_argument("--only", default="", metavar="NAME")
arguments = parser.parse_args()
PARTS = {
    "accuracy": lambda: accuracy.run(arguments.seeds, arguments.only),
    "held_out": lambda: held_out.run(arguments.seeds),
    "logistic": lambda: logistic.run(arguments.seeds),
    "rare": lambda: rare.run(arguments.seeds, arguments.only),
    "repeated": lambda: repeated.run(arguments.seeds, arguments.only),
    "wild": lambda: wild.run(arguments.seeds),
    "timing": timing.run,
    "show": accuracy.show,
}
for part in arguments.parts or ("accuracy", "wild", "timing"):
    PARTS[part]()
