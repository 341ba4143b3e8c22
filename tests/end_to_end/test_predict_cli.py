"""``relgauss predict``: what a saved model predicts."""

import csv
from pathlib import Path

import numpy as np

from relgauss.linear_model import PrivateLogisticRegression, PrivateRidge, load_model, save_model
from relgauss.records.read import read_records

from .fit_tables import BUDGET, CLEAN, COLOURS, COUNT, Run, as_json, is_one_line, made_frame


def test_predictions_are_clipped_as_the_fit_was(command: Run, files: Path):
    command("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "1", "--save", "clip.json", "--force")
    model = load_model(files / "clip.json")
    low, high = (float(end[0]) for end in model.feature_range_)
    rows = [f"{a},50,red" for a in (high, high + 1e9, low, low - 1e9)]
    (files / "far.csv").write_text("\n".join(["a,b,colour", *rows]) + "\n")
    first, beyond, last, below = as_json(command("predict", "clip.json", "far.csv", "--json"))["predictions"]
    assert first == beyond
    assert last == below
    assert first != last


def test_a_saved_model_predicts_what_python_predicts(command: Run, files: Path):
    options = ["--seed", "1", "--save", "model.json", "--plot", "model.png", "--force"]
    done = command("fit", "data.csv", *BUDGET, *CLEAN, *options)
    assert (done.code, done.stderr) == (0, "")
    assert "Model: model.json" in done.stdout
    assert (files / "model.png").read_bytes().startswith(b"\x89PNG")
    model = load_model(files / "model.json")
    frame = made_frame()
    features = np.column_stack([frame["a"], frame["b"], frame["colour"] == "blue"]).astype(float)
    expected = features.clip(*model.feature_range_) @ model.coef_ + model.intercept_
    expected = expected.clip(*model.prediction_range_)

    printed = command("predict", "model.json", "data.csv")
    assert (printed.code, printed.stderr) == (0, "SIMULATED, not private: fitted with a seed.\n")
    header, *rows = csv.reader(printed.stdout.splitlines())
    assert header == ["prediction"]
    np.testing.assert_allclose(np.array(rows, dtype=float).ravel(), expected, rtol=1e-9, atol=1e-9)

    assert command("predict", "model.json", "parts", "--output", "out.csv", "--force").stdout == ""
    assert len((files / "out.csv").read_text().splitlines()) == COUNT + 1
    found = as_json(command("predict", "model.json", "data.duckdb", "--json"))
    np.testing.assert_allclose(found["predictions"], expected, rtol=1e-9, atol=1e-9)
    assert found["privacy"] == model.privacy_.to_dict()


def test_a_file_with_quotation_marks_is_one_as_any(command: Run, files: Path):
    """What DuckDB was asked about its lines is an answer that is taken, before the next question."""
    command("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "1", "--save", "marks.json", "--force")
    rows = (files / "data.csv").read_text().splitlines()[:5]
    (files / "plain.csv").write_text("\n".join(rows) + "\n")
    (files / "marks.csv").write_text("\n".join(",".join(f'"{x}"' for x in row.split(",")) for row in rows))
    plain, quoted = (
        as_json(command("predict", "marks.json", f"{name}.csv", "--json")) for name in ("plain", "marks")
    )
    assert quoted["predictions"] == plain["predictions"]
    (files / "bad.csv").write_text('a,b,colour\n1,2,"re"d\n')
    assert "Line 2 of bad.csv has text behind" in command("predict", "marks.json", "bad.csv").stderr


def test_a_missing_number_counts_as_the_public_value(command: Run, files: Path):
    """In the fit, and in the predictions of the model that it saved."""
    options = ["--features", "a,b", "--missing", "4", "--seed", "0", "--save", "two.json", "--force"]
    command("fit", "data.csv", *BUDGET, *options)
    (files / "new.csv").write_text("b,a,other\n1,,x\n1,4,y\n")
    done = command("predict", "two.json", "new.csv", "--json")
    first, second = as_json(done)["predictions"]
    assert first == second


def test_columns_that_are_empty_in_all_rows_are_read_as_the_fit_read_them(command: Run, files: Path):
    frame = made_frame()
    frame["colour"] = (frame["colour"] == "blue").astype(object)
    frame.loc[::9, ["a", "colour"]] = None
    frame.to_csv(files / "truths.csv", index=False)
    gaps = ["--missing", "a=0", "--missing", "colour=false"]
    command("fit", "truths.csv", *BUDGET, *gaps, "--seed", "0", "--save", "truths.json")
    (files / "empty.csv").write_text("a,b,colour\n,1,\n,2,\n")
    (files / "filled.csv").write_text("a,b,colour\n0,1,false\n0,2,false\n")
    empty = as_json(command("predict", "truths.json", "empty.csv", "--json"))["predictions"]
    assert empty == as_json(command("predict", "truths.json", "filled.csv", "--json"))["predictions"]
    is_one_line(command("fit", "truths.csv", *BUDGET, "--missing", "4"), "The column 'colour'")
    is_one_line(command("fit", "truths.csv", *BUDGET, "--missing", "colour=4"), "true or false")


def test_a_classifier_predicts_probabilities(command: Run, files: Path):
    query = "SELECT a, b, y > 5 AS is_high FROM data"
    records = read_records(
        files / "data.csv", target="is_high", query=query.replace("y >", "CAST(y AS DOUBLE) >")
    )
    save_model(PrivateLogisticRegression(5.0, random_state=0).fit(records), files / "classes.json")
    found = as_json(command("predict", "classes.json", "data.parquet", "--json"))
    high = made_frame()["y"].to_numpy() > 5
    predictions = np.array(found["predictions"])
    assert ((predictions > 0.5) == high).mean() > 0.7
    assert 0 < predictions.min() < predictions.max() < 1


def test_mistakes_of_predict(command: Run, files: Path):
    command("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "0", "--save", "saved.json")
    unnamed = PrivateRidge(random_state=0).fit(made_frame()[["a", "b"]].to_numpy(), made_frame()["y"])
    save_model(unnamed, files / "unnamed.json")
    (files / "other.json").write_text("{}")
    for arguments, cause in [
        (["gone.json", "data.csv"], "cannot be read"),
        (["other.json", "data.csv"], "no saved model"),
        (["unnamed.json", "data.csv"], "does not name its features"),
        (["saved.json", "gone.csv"], "no file gone.csv"),
        (["saved.json", "category.csv"], "column 'colour' of category.csv"),
        (["saved.json", "category.csv"], "The model knows no others: leave such records out"),
        (["saved.json", "data.csv", "--output", "gone/out.csv"], "cannot be written"),
        (["saved.json", "data.csv", "--output", "out.xlsx"], "a .csv file"),
        (["saved.json", "data.csv", "--output", "new.csv", "--json"], "Pass one of them"),
    ]:
        is_one_line(command("predict", *arguments), cause)


def test_what_a_model_cannot_read_is_told_to_who_has_no_more_than_the_model(command: Run, files: Path):
    command("fit", "data.csv", *BUDGET, *COLOURS, "--seed", "0", "--save", "read.json", "--force")
    for name, row in {"other": "1,2,pink", "gap": ",2,red", "text": "x,2,red"}.items():
        (files / f"{name}.csv").write_text(f"a,b,colour\n{row}\n")
        done = command("predict", "read.json", f"{name}.csv")
        is_one_line(done, "The model knows no others: leave such records out")
        assert not any(word in done.stderr for word in ("categories", "missing=", "state"))
