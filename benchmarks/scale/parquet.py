"""Five and twenty million records in Parquet files, beside decoding them once and Ridge in memory."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks.scale.made_data import parquet_folder
from benchmarks.scale.process import GIB, Measured, measure

COUNTS, COLUMNS, MECHANISM, ROUNDS = (5_000_000, 20_000_000), 28, "clipped", 5
MOST_TIMES, MOST_BYTES, LEAST_GAIN = 2.5, GIB, 1.6
console = Console(width=110)


def run() -> None:
    """Fits and peers in turn, from cached files; beside more records the peer's time is taken as many times.

    Memory is the peak of what a process has of its own: mapped pages of files are the system's to drop.
    """
    cores = os.cpu_count() or 1
    peer = 0.0
    for count in COUNTS:
        with tempfile.TemporaryDirectory() as name:
            folder = parquet_folder(Path(name), count, COLUMNS)
            measure("scan_folder", folder, 1, 1)
            fits, alone, peers = [], [], []
            for _ in range(ROUNDS):
                fits.append(measure("fit_folder", folder, MECHANISM, 1, threads=cores))
                alone.append(measure("fit_folder", folder, MECHANISM, 1, threads=1))
                if count == COUNTS[0]:
                    peers.append(measure("decode_and_ridge", folder, 1, threads=cores))
        if peers:
            peer = _least(peers) / count
        console.print(
            f"{count:,} × {COLUMNS} in Parquet, {MECHANISM}, {fits[0].passes} passes, {ROUNDS} rounds, "
            f"threads: {cores}",
            highlight=False,
        )
        for case, found in (("fit", fits), ("fit, one thread", alone), ("decode and Ridge", peers)):
            spread = ", ".join(f"{each.seconds[0]:.2f}" for each in sorted(found, key=_seconds))
            console.print(f"  {case}: {spread or f'{peer * count:.2f}, extrapolated'} s", highlight=False)
        ratio, gain = _least(fits) / (peer * count), _least(alone) / _least(fits)
        own = max(each.own_bytes for each in fits)
        _judge(f"{ratio:.2f} times decoding once and Ridge", ratio <= MOST_TIMES, f"{MOST_TIMES:g}")
        _judge(f"{gain:.2f} times as fast as with one thread", gain >= LEAST_GAIN, f"{LEAST_GAIN:g}")
        if count == COUNTS[-1]:
            _judge(f"peak of own memory: {own / GIB:.2f} GiB", own <= MOST_BYTES, f"{MOST_BYTES / GIB:g} GiB")


def _seconds(measured: Measured) -> float:
    return measured.seconds[0]


def _least(measured: list[Measured]) -> float:
    return min(map(_seconds, measured))


def _judge(text: str, is_met: bool, limit: str) -> None:
    console.print(f"  {text}: {'meets' if is_met else 'MISSES'} {limit}", highlight=False)
