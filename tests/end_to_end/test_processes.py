"""Processes never share secure noise: not when they start together, not after a fork, not in a pool.

Two draws are equal with probability 2e-15, so these tests fail by bad luck with a probability below 1e-9.
"""

import json
import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable

import pytest

import relgauss as rg

DRAWS = 64
MECHANISM = rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1.0)

SECURE = f"""
import relgauss as rg
mechanism = rg.Gaussian(rg.AbsoluteSensitivity(1.0), {DRAWS}, 1.0)
def draw():
    return mechanism.release([0.0] * {DRAWS}).tolist()
"""
SEEDED = f"""
import numpy as np
rng = np.random.default_rng(0)
def draw():
    return rng.normal(size={DRAWS}).tolist()
"""
TOGETHER = """
import json, sys
print("ready", flush=True)
sys.stdin.read(1)  # wait until all are
print(json.dumps(draw()))
"""
FORK = """
import json, os
before = draw()  # the generator is in use when the process forks
reader, writer = os.pipe()
child = os.fork()
if child == 0:
    os.write(writer, json.dumps(draw() + draw()).encode())
    os._exit(0)
os.close(writer)
after = draw() + draw()
with os.fdopen(reader) as pipe:
    in_child = json.loads(pipe.read())
os.waitpid(child, 0)
print(json.dumps([before, after, in_child]))
"""


def shared(samples: Iterable[list[float]]) -> int:
    """How many numbers occur more than once, in the same sample or in several."""
    return sum(times > 1 for times in Counter(x for sample in samples for x in sample).values())


def started_together(script: str, count: int) -> list[list[float]]:
    command = [sys.executable, "-c", script + TOGETHER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(count)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write(".")
        process.stdin.flush()
    return [json.loads(process.communicate()[0]) for process in processes]


def around_a_fork(script: str) -> list[list[float]]:
    command = [sys.executable, "-c", script + FORK]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_processes_started_together_share_no_noise():
    samples = started_together(SECURE, 3)
    assert [len(sample) for sample in samples] == [DRAWS] * 3
    assert shared(samples) == 0


def test_the_check_sees_processes_that_share_a_seed():
    assert shared(started_together(SEEDED, 2)) == DRAWS


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_does_not_repeat_its_parent():
    samples = around_a_fork(SECURE)
    assert [len(sample) for sample in samples] == [DRAWS, 2 * DRAWS, 2 * DRAWS]
    assert shared(samples) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_the_check_sees_a_child_that_repeats_its_parent():
    assert shared(around_a_fork(SEEDED)) == 2 * DRAWS


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_pool_of_processes_shares_no_noise(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} on this system")
    with multiprocessing.get_context(method).Pool(2) as pool:
        releases = pool.map(MECHANISM.release, [[0.0]] * 40, chunksize=1)
    assert shared([release.tolist() for release in releases] + [MECHANISM.release([0.0]).tolist()]) == 0
