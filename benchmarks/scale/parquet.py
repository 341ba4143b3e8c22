"""Twenty million records in Parquet files: memory, and speed beside a bare scan."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks.scale.made_data import parquet_folder
from benchmarks.scale.process import GIB, Measured, measure

COUNT, COLUMNS, MECHANISM, ROUNDS = 20_000_000, 28, "public-iterate", 5
SCANS = 2  # in each round: enough for a rate, and every scan is like the others
MOST_BYTES, LEAST_RATIO = GIB, 0.5
console = Console(width=110)


def run() -> None:
    """Fits and scans in turn; the first scan, which fills the file cache, does not count."""
    with tempfile.TemporaryDirectory() as name:
        folder = parquet_folder(Path(name), COUNT, COLUMNS)
        measure("scan_folder", folder, 1, 1)
        rates: dict[str, list[float]] = {"fit": [], "scan": []}
        peak = 0
        for _ in range(ROUNDS):
            fit = measure("fit_folder", folder, MECHANISM, 1)
            scan = measure("scan_folder", folder, SCANS, 1)
            peak = max(peak, fit.peak_bytes)
            for case, measured in (("fit", fit), ("scan", scan)):
                rates[case].append(_rows_per_second(measured))
    console.print(
        f"{COUNT:,} × {COLUMNS} in Parquet, {MECHANISM}, {fit.passes} passes and the check, {ROUNDS} rounds",
        highlight=False,
    )
    for case, found in rates.items():
        spread = ", ".join(f"{rate / 1e6:.2f}" for rate in sorted(found))
        console.print(f"  {case}: {spread} million rows a second", highlight=False)
    ratio = max(rates["fit"]) / max(rates["scan"])
    _judge(f"fit beside scan: {ratio:.2f} of its rows a second", ratio >= LEAST_RATIO, f"{LEAST_RATIO:g}")
    _judge(f"peak resident memory: {peak / GIB:.2f} GiB", peak <= MOST_BYTES, f"{MOST_BYTES / GIB:g} GiB")


def _rows_per_second(measured: Measured) -> float:
    return COUNT * measured.passes / min(measured.seconds)


def _judge(text: str, is_met: bool, limit: str) -> None:
    console.print(f"  {text}: {'meets' if is_met else 'MISSES'} {limit}", highlight=False)
