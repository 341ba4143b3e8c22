"""Some parts, or fewer seeds: ``python -m benchmarks.regression accuracy wild timing show --seeds 3``.

``show`` prints what is on file; ``accuracy --only PrivateRidge`` runs the methods anew whose names begin so.
"""

import argparse

from benchmarks.regression import SEEDS, accuracy, timing, wild

parser = argparse.ArgumentParser(prog="python -m benchmarks.regression")
parser.add_argument("parts", nargs="*", choices=["accuracy", "wild", "timing", "show"])
parser.add_argument("--seeds", type=int, default=SEEDS)
parser.add_argument("--only", default="", metavar="METHOD")
arguments = parser.parse_args()
PARTS = {
    "accuracy": lambda: accuracy.run(arguments.seeds, arguments.only),
    "wild": lambda: wild.run(arguments.seeds),
    "timing": timing.run,
    "show": accuracy.show,
}
for part in arguments.parts or ("accuracy", "wild", "timing"):
    PARTS[part]()
