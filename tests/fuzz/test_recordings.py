"""Recordings and matrices with mistakes in them are read, or refused in a few words."""

from io import BytesIO

import numpy as np
import pytest

import gough
from fuzz.share import Tally, cases, outcome
from fuzz.texts import damaged
from gough.disk.tables import table_content, write_csv
from gough.fields.matrix_files import read_matrix

ROBOT = gough.load("demo-hexapod")
ROWS = 120


def _columns():
    time = np.arange(ROWS) * 1e-3
    legs = range(1, 7)
    lengths = {f"leg_length_{k} [m]": 1.0 + 0.1 * np.sin(k + 9 * time) for k in legs}
    forces = {f"force_{k} [N]": 100.0 * np.cos(k + 9 * time) for k in legs}
    return {"time [s]": time, **lengths, **forces}


def _recording(ending, folder):
    if ending == ".parquet":
        return table_content(_columns())
    write_csv(_columns(), folder / "good.csv")
    return (folder / "good.csv").read_bytes()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_recording_with_mistakes_is_read_or_refused(tmp_path, ending, record_property):
    tally = Tally(f"recordings in {ending}")
    good = _recording(ending, tmp_path)
    path = tmp_path / f"a{ending}"
    for seed, rng in cases(100, seed=12_000_000):
        path.write_bytes(damaged([good], rng))
        found, _ = outcome(f"{ending} {seed}", gough.Recording.of, path, ROBOT)
        tally.add("refused" if found is None else "read")
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()


def _matrix(ending):
    if ending == ".npy":
        file = BytesIO()
        np.save(file, np.eye(3) + 0.5)
        return [file.getvalue()]
    rows = "\n".join("1.5, -2.25e-3, 3" for _ in range(3))
    dense = "%%MatrixMarket matrix array real general\n2 2\n1.0\n2.0\n3.0\n4.0\n"
    sparse = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 1 2.5\n3 1 -1\n"
    return [rows.encode()] if ending == ".csv" else [dense.encode(), sparse.encode()]


@pytest.mark.parametrize("ending", [".csv", ".mtx", ".npy"])
def test_a_matrix_with_mistakes_is_read_or_refused(tmp_path, ending, record_property):
    tally = Tally(f"matrices in {ending}")
    good = _matrix(ending)
    path = tmp_path / f"a{ending}"
    for seed, rng in cases(150, seed=13_000_000):
        path.write_bytes(damaged(good, rng))
        found, _ = outcome(f"{ending} {seed}", read_matrix, path)
        tally.add("refused" if found is None else "read")
        assert found is None or np.isfinite(found).all()
    record_property("fuzz", str(tally))
    assert tally.counts["refused"] > 0.2 * tally.counts.total()
