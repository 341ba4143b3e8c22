"""What ``print`` shows of a release."""

import numpy as np
import pandas as pd

from relgauss.grouped import release_means, release_table

OPTIONS = {"by": "job", "epsilon": 1.0, "delta": 1e-6, "value_range": (1.0, 1e6)}


def people(groups: int) -> pd.DataFrame:
    jobs = np.repeat([f"job {place}" for place in range(groups)], 60)
    return pd.DataFrame({"job": jobs, "pay": np.linspace(100.0, 2_000.0, len(jobs))})


def test_a_printed_release_is_a_table_and_its_statement():
    release = release_means(people(2), value="pay", rng=np.random.default_rng(0), **OPTIONS)
    lines = str(release).splitlines()
    assert lines[0].split()[:4] == ["job", "estimate", "lower", "upper"]
    assert lines[1].lstrip().startswith("job 0")
    assert str(release).endswith(release.privacy.text())
    assert "array(" not in str(release)


def test_a_long_table_says_how_much_more_there_is():
    asked = {"pay": ["mean", "median", "sum", "count", "zeros"]}
    release = release_table(people(30), values=asked, rng=np.random.default_rng(0), **OPTIONS)
    rows, columns = len(release.published()["job"]), len(release.published())
    assert f"... {rows - 20} more rows and {columns - 10} more columns" in str(release)
