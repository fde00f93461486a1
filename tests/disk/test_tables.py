"""Tables as spreadsheets see them: text that a user wrote is text, and numbers are numbers."""

import csv

import numpy as np
import pandas as pd
import pytest
from study_samples import data

import gough
from gough.disk.tables import read_table, table_content, write_csv

FORMULAS = ["=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1"]


def cells(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_text_is_no_formula(tmp_path):
    plain = ["a = 1", "5 mm", "", "'quoted'"]
    write_csv({"=name": FORMULAS + plain}, tmp_path / "x.csv")
    (head,), *rows = cells(tmp_path / "x.csv")
    assert head == "'=name"
    assert [row[0] for row in rows] == [f"'{text}" for text in FORMULAS] + plain


def test_numbers_stay_numbers(tmp_path):
    numbers = np.array([-1.5, -np.pi, 1e-300, -0.0, np.nan])
    texts = ["-1.5", "+3", "-2e3", "-inf", "x"]
    write_csv({"x": numbers, "n": np.arange(-2, 3), "text": texts}, tmp_path / "x.csv")
    table = pd.read_csv(tmp_path / "x.csv")
    np.testing.assert_array_equal(table["x"], numbers)
    assert table["n"].tolist() == [-2, -1, 0, 1, 2]
    assert [row[2] for row in cells(tmp_path / "x.csv")[1:]] == texts


@pytest.mark.parametrize("count", [0, 1, 3_000_000])
def test_columns_are_read_as_they_were_written(tmp_path, count):
    columns = {
        "x": np.linspace(-1.0, np.nan, count),
        "n": np.arange(count),
        "yes": np.arange(count) % 2 == 0,
    }
    found = read_table(table_content(columns), tmp_path)
    for name, values in columns.items():
        np.testing.assert_array_equal(found[name], values)
        assert found[name].dtype == values.dtype
    missing = read_table(table_content({"n": [1, None], "text": ["a", "b"]}), tmp_path)
    np.testing.assert_array_equal(missing["n"], [1.0, np.nan])
    assert missing["text"].tolist() == ["a", "b"]


@pytest.mark.parametrize("formula", ["=1+1", "@SUM(A1)", "+cmd|'/C calc'!A0", "-A1"])
def test_names_and_labels_of_a_study_are_no_formulas(tmp_path, formula):
    axis = {
        "name": formula,
        "parameter": "motion.duration",
        "values": [1, -1],
        "labels": [formula] * 2,
    }
    found = gough.run(data(variations=[axis], samples=11))
    found.save(tmp_path)
    for row in cells(tmp_path / "variations.csv"):
        assert row[0] == f"'{formula}"
        assert not any(cell.startswith(("=", "@")) for cell in row)
    assert pd.read_parquet(tmp_path / "variations.parquet")[formula].tolist() == [formula] * 2
