"""Some parts, or fewer seeds: ``python -m benchmarks.regression accuracy wild timing show --seeds 3``.

``ours`` is accuracy without the peers, beside what is on file of them; ``show`` prints what is on file.
"""

import argparse

from benchmarks.regression import SEEDS, accuracy, timing, wild

parser = argparse.ArgumentParser(prog="python -m benchmarks.regression")
parser.add_argument("parts", nargs="*", choices=["accuracy", "ours", "wild", "timing", "show"])
parser.add_argument("--seeds", type=int, default=SEEDS)
arguments = parser.parse_args()
PARTS = {
    "accuracy": lambda: accuracy.run(arguments.seeds),
    "ours": lambda: accuracy.run(arguments.seeds, only_ours=True),
    "wild": lambda: wild.run(arguments.seeds),
    "timing": timing.run,
    "show": accuracy.show,
}
for part in arguments.parts or ("accuracy", "wild", "timing"):
    PARTS[part]()
