"""Every figure that the pages claim, re-run by one command: ``make bench``."""

import os

# Fixed before NumPy loads its BLAS: timings compare code, not thread pools.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
