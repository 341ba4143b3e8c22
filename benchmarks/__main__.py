"""Run all benchmarks, or those named: ``python -m benchmarks [accounting] [equal_error] [noise] ...``."""

import sys

from benchmarks import (
    accounting,
    audit,
    columns,
    equal_error,
    federated,
    forecast,
    grouped,
    intervals,
    ledger,
    noise,
    paper,
    quantiles,
    regression,
    scale,
    tables,
)

BENCHMARKS = {
    "equal_error": equal_error.run,
    "accounting": accounting.run,
    "noise": noise.run,
    "audit": audit.run,
    "ledger": ledger.run,
    "grouped": grouped.run,
    "columns": columns.run,
    "tables": tables.run,
    "quantiles": quantiles.run,
    "paper": paper.run,
    "regression": regression.run,
    "intervals": intervals.run,
    "federated": federated.run,
    "forecast": forecast.run,
    "scale": scale.run,
}

unknown = set(sys.argv[1:]) - set(BENCHMARKS)
if unknown:
    sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}: choose from {', '.join(BENCHMARKS)}")
for name in sys.argv[1:] or BENCHMARKS:
    BENCHMARKS[name]()
