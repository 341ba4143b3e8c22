"""Settings and fixtures that every test shares."""

import os
from pathlib import Path

# Workers of xdist share the cores already: threads of BLAS would wait for each other, twice as long. Tests
# of threads ask for them. NumPy reads this when it is first imported, which is after this line.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]

# How fast examples are drawn says something about the machine, and nothing about the code.
# A law meets few examples on each run, and many where `make test-slow` asks for the profile "thorough".
settings.register_profile("dev", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("dev"), max_examples=300)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(scope="session")
def project_root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets, which lies beside the checkout and is not part of it."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the data sets in ../shared/data")
    return folder
