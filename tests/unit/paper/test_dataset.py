"""The paper's data: every kind of file is read, everything wrong is one clear error, stand-ins fit."""

import bz2
import json
from pathlib import Path

import numpy as np
import pytest

from relgauss.errors import TableError
from relgauss.paper.dataset import HIGGS, IJCNN1
from relgauss.paper.files import read_files
from relgauss.paper.find import VARIABLE, DataFinder
from relgauss.paper.stand_in import draw, stand_in
from relgauss.paper.summary import Summary, summarise

TRAIN_ROWS, TEST_ROWS = 49_990, 91_701


@pytest.fixture(scope="module")
def small():
    """Few distinct rows and many zeros, so that files of the published length are quick to write and read."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(500, 22)).round(3) * (rng.random((500, 22)) < 0.15)
    return features.astype(np.float32), rng.choice([-1.0, 1.0], 500)


def repeated(small, rows: int):
    features, labels = small
    index = np.arange(rows) % len(labels)
    return features[index], labels[index]


def libsvm_text(features, labels) -> bytes:
    lines = [
        f"{label:+g} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(row) if value) + "\n"
        for row, label in zip(features, labels, strict=True)
    ]
    return "".join(lines).encode()


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory) -> Path:
    """All three kinds of the same data."""
    path = tmp_path_factory.mktemp("data")
    block = libsvm_text(*small)
    whole, rest = divmod(TRAIN_ROWS, 500)
    train = block * whole + libsvm_text(small[0][:rest], small[1][:rest])
    whole, rest = divmod(TEST_ROWS, 500)
    test = block * whole + libsvm_text(small[0][:rest], small[1][:rest])
    (path / "ijcnn1.trn.bz2").write_bytes(bz2.compress(train, 1))
    (path / "ijcnn1.tst.bz2").write_bytes(bz2.compress(test, 1))
    (path / "plain").write_bytes(train)
    features, labels = repeated(small, TRAIN_ROWS)
    np.savez(path / "train.npz", X=features, y=labels.astype(np.int8))
    return path


def test_text_compressed_text_and_npz_hold_the_same(folder: Path):
    plain, packed, arrays = (read_files([folder / name]) for name in ("plain", "ijcnn1.trn.bz2", "train.npz"))
    for each in (packed, arrays):
        np.testing.assert_array_equal(each.features, plain.features)
        np.testing.assert_array_equal(each.labels, plain.labels)
    assert (plain.name, plain.rows, plain.source) == ("ijcnn1", TRAIN_ROWS, "plain")


def test_a_folder_s_train_and_test_files_follow_each_other(folder: Path):
    data = DataFinder(folder).get("ijcnn1")
    assert data.rows == TRAIN_ROWS + TEST_ROWS
    assert data.source == "ijcnn1.trn.bz2 and ijcnn1.tst.bz2"


def test_the_variable_names_the_data_and_an_option_comes_first(folder: Path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(folder / "plain"))
    assert DataFinder().get("ijcnn1").source == "plain"
    assert DataFinder(folder / "train.npz").get("ijcnn1").source == "train.npz"


def test_without_any_path_there_are_stand_ins_that_say_so(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert DataFinder().get("ijcnn1").source == "synthetic stand-in for ijcnn1, 141,691 rows"


def write(path: Path, features, labels) -> Path:
    np.savez(path, X=features, y=labels)
    return path


BAD = {
    "features": lambda f, y: (f[:, :21], y),
    "rows": lambda f, y: (f[:-1], y[:-1]),
    "labels": lambda f, y: (f, np.where(y > 0, 2, -1)),
    "only one": lambda f, y: (f, np.ones_like(y)),
    "no numbers": lambda f, y: (np.where(f == f.max(), np.nan, f), y),
}


@pytest.mark.parametrize(("told", "spoil"), BAD.items())
def test_wrong_contents(small, tmp_path: Path, told: str, spoil):
    file = write(tmp_path / "wrong.npz", *spoil(*repeated(small, TRAIN_ROWS)))
    with pytest.raises(TableError, match=told):
        DataFinder(file)


@pytest.mark.parametrize("name", ["ijcnn1.trn.bz2", "train.npz"])
def test_a_truncated_file(folder: Path, tmp_path: Path, name: str):
    content = (folder / name).read_bytes()
    cut = tmp_path / name
    cut.write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match="truncated"):
        DataFinder(cut)


def test_a_text_that_ends_early(folder: Path, tmp_path: Path):
    cut = tmp_path / "plain"
    cut.write_bytes((folder / "plain").read_bytes()[:-100])
    with pytest.raises(TableError, match="truncated"):
        DataFinder(cut)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x00\x01\x02", b"one two three\n", "Äpfel".encode()])
@pytest.mark.parametrize("name", ["data.npz", "data.bz2", "data", "data.csv", "data.csv.gz"])
def test_files_of_another_kind(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError):
        DataFinder(tmp_path / name)


def test_wrong_paths(tmp_path: Path, monkeypatch):
    with pytest.raises(TableError, match="does not exist"):
        DataFinder(tmp_path / "gone")
    with pytest.raises(TableError, match=r"ijcnn1\.npz"):
        DataFinder(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(TableError, match=VARIABLE):
        DataFinder()


def test_a_csv_with_labels_zero_and_one(tmp_path: Path):
    rows = np.hstack([np.arange(56).reshape(2, 28), [[0], [1]]])
    header = ",".join([*(f"f{j}" for j in range(28)), "label"])
    file = tmp_path / "higgs.csv"
    file.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    data = read_files([file], HIGGS)
    np.testing.assert_array_equal(data.labels, [-1, 1])
    np.testing.assert_array_equal(data.features, rows[:, :28])


# Stand-ins


@pytest.mark.parametrize("name", ["ijcnn1", "HIGGS"])
def test_summaries_are_small_and_hold_no_records(name: str):
    summary = Path(__file__).parents[3] / "src/relgauss/paper/summaries" / f"{name.lower()}.json"
    values = json.loads(summary.read_text())
    dim = {"ijcnn1": 22, "HIGGS": 28}[name]
    numbers = sum(len(v) for v in values["negative"].values() if isinstance(v, list))
    assert numbers <= 10 + 10 * dim + dim**2 + 14  # frequencies, means, covariance, quantiles
    assert summary.stat().st_size < 30_000


@pytest.fixture(scope="module")
def drawn():
    return stand_in("ijcnn1")


def test_the_stand_in_has_the_shape_of_ijcnn1(drawn):
    assert drawn.features.shape == (141_691, IJCNN1.dim)
    assert (drawn.labels > 0).sum() == 13_565
    np.testing.assert_array_equal(drawn.features[:, :10].sum(axis=1), 1)
    norms = np.linalg.norm(drawn.features, axis=1)
    assert norms.min() >= 1.019
    assert norms.max() <= 2.666


def test_the_stand_in_has_the_spectrum_of_ijcnn1(drawn, shared_data: Path):
    real = read_files([shared_data / "ijcnn1.npz"], IJCNN1)
    found, wanted = (
        np.linalg.eigvalsh(each.features.T @ each.features / each.rows) for each in (drawn, real)
    )
    assert np.abs(np.log(found / wanted)).max() < np.log(1.1)


def test_the_committed_summary_is_that_of_the_data(shared_data: Path):
    real = read_files([shared_data / "ijcnn1.npz"], IJCNN1)
    committed = Path(__file__).parents[3] / "src/relgauss/paper/summaries/ijcnn1.json"
    found = summarise("ijcnn1", real.features, real.labels, one_hot=10)
    wanted = Summary.read(committed.read_text())
    for sign in ("negative", "positive"):
        for name, values in vars(getattr(wanted, sign)).items():
            np.testing.assert_allclose(vars(getattr(found, sign))[name], values, rtol=1e-4, atol=1e-6)


def test_a_summary_draws_what_it_was_made_from():
    rng = np.random.default_rng(1)
    root = np.array([[1.0, 0.0], [0.8, 0.3]])
    features = (rng.normal(size=(20_000, 2)) @ root.T + 3).astype(np.float32)
    labels = np.where(rng.random(20_000) < 0.25, 1.0, -1.0)
    again = draw(summarise("ijcnn1", features, labels, 0), "ijcnn1", 20_000, rng)
    np.testing.assert_allclose(np.cov(again.features.T), root @ root.T, rtol=0.05)
    np.testing.assert_allclose(again.features.mean(axis=0), [3, 3], rtol=0.02)
    assert np.mean(again.labels > 0) == pytest.approx(0.25, abs=0.02)
