"""`import relgauss` is quick: what is slow to import waits until it is used."""

import subprocess
import sys

SLOW_TO_IMPORT = {
    "dask",
    "dp_accounting",
    "duckdb",
    "flwr",
    "matplotlib",
    "numpy",
    "opendp",
    "pandas",
    "scipy",
    "scipy.stats",
    "sklearn",
}


def slow_modules_loaded_by(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return SLOW_TO_IMPORT & set(result.stdout.split())


def test_import_relgauss_loads_nothing_slow():
    assert slow_modules_loaded_by("import relgauss") == set()


def test_help_loads_nothing_slow():
    help_ = "from relgauss.cli.app import app; from relgauss.cli.run import run; sys.argv[1:] = ['--help']"
    assert slow_modules_loaded_by(f"{help_}; run(app)") == set()


def test_all_names_are_there_though_none_is_loaded():
    script = "import relgauss as rg; assert all(getattr(rg, name) for name in rg.__all__)"
    assert "numpy" in slow_modules_loaded_by(f"{script}; assert set(rg.__all__) <= set(dir(rg))")
    assert slow_modules_loaded_by("import relgauss as rg; assert rg.__version__; assert rg.errors") == set()
    assert slow_modules_loaded_by("import relgauss as rg; assert not hasattr(rg, 'nothing')") == set()


def test_secure_noise_needs_no_other_sampler():
    """OpenDP is an oracle of the tests: it is not installed with relgauss."""
    bound = "rg.Gaussian(rg.AbsoluteSensitivity(1.0), 1, 1.0).release([0.0])"
    assert "opendp" not in slow_modules_loaded_by(f"import relgauss as rg; {bound}")


def test_the_check_sees_a_slow_module():
    assert "scipy.stats" in slow_modules_loaded_by("import scipy.stats")
