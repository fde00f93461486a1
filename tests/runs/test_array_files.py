"""Results for MATLAB and as HDF5: every number, with its unit and its meaning."""

import sys

import h5py
import numpy as np
import pytest
from scipy.io import loadmat
from study_samples import LINE, data, study

import gough
from gough.disk.labelled import Group, Labelled, write_hdf5, write_mat
from gough.runs import to_folder
from gough.studies.study import Study

BOTH = {"csv": False, "report": False, "mat": True, "hdf5": True}
GRID = [
    {"name": "payload/mass", "parameter": "tasks[1].mass", "values": ["20 kg", "40 kg", "500 kg"]},
    {"parameter": "motion.duration", "values": [1, 2]},
]


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    folder = tmp_path_factory.mktemp("single")
    results = to_folder(study(samples=21, outputs=BOTH), folder)
    return folder, results


def test_a_mat_file_has_every_quantity_in_its_own_shape(single):
    folder, results = single
    file = loadmat(folder / "results.mat", simplify_cells=True)
    assert np.array_equal(file["time"], results.time)
    for name, quantity in results.quantities.items():
        assert np.array_equal(file[name], quantity.values, equal_nan=True), name
        assert file["units"][name] == quantity.unit
        assert file["descriptions"][name] == quantity.meaning
    assert file["labels"]["joint_force"][3, 1] == "joint_force_hip-2_y [N]"
    assert file["summary"]["peak_force"] == results.summary["peak_force"].value
    assert (file["study"], file["robot"]) == ("test", "demo-hexapod")


def test_an_hdf5_file_has_every_quantity_over_time(single):
    folder, results = single
    with h5py.File(folder / "results.h5") as file:
        assert list(file) == ["summary", "time", *results.quantities]
        for name, quantity in results.quantities.items():
            values = file[name]
            assert np.array_equal(values, quantity.values, equal_nan=True), name
            assert values.attrs["units"] == quantity.unit
            assert values.attrs["description"] == quantity.meaning
            assert np.array_equal(values.dims[0]["time"], results.time)
        assert file["force"].attrs["labels"].tolist() == results.quantities["force"].columns
        assert file["summary/peak_force"][()] == results.summary["peak_force"].value


def test_the_same_results_are_the_same_bytes(single, tmp_path):
    folder, results = single
    results.save(tmp_path, mat=True, hdf5=True)
    for name in ("results.mat", "results.h5"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()
    assert (folder / "results.mat").read_bytes().startswith(b"MATLAB 5.0 MAT-file")


def test_a_grid_is_arrays_over_its_variations(tmp_path):
    asked = study(motion=LINE, variations=GRID, samples=11, outputs=BOTH)
    grid = to_folder(asked, tmp_path)
    mat = loadmat(tmp_path / "variations.mat", simplify_cells=True)
    assert np.array_equal(mat["peak_force"], grid["peak_force"])
    assert mat["variations"]["payload_mass"].tolist() == [20, 40, 500]
    assert mat["variations"]["units"]["payload_mass"] == "kg"
    with h5py.File(tmp_path / "variations.h5") as file:
        peak = file["peak_force_each"]
        assert np.array_equal(peak, grid.per_leg("peak_force"))
        assert peak.dims[0][0][:].tolist() == [20, 40, 500]
        assert peak.dims[1].label == "motion.duration"
        assert file["warnings"].asstr()[2, 0] == "; ".join(grid.warnings[4])


def test_cases_are_groups_of_one_file(tmp_path):
    cases = [
        {"name": name, "changes": {"controller.frequency": frequency}}
        for name, frequency in (("slow, 2 Hz", "2 Hz"), ("slow. 2 Hz", "3 Hz"))
    ]
    simulated = data(tasks=[], motion=LINE, outputs={**BOTH, "mcap": True}, cases=cases)
    simulated |= {"controller": {"kind": "joint-pid", "frequency": "2 Hz"}}
    simulated |= {"simulation": {"duration": "0.05 s", "period": "1 ms"}}
    found = to_folder(Study.from_dict(simulated), tmp_path)
    mat = loadmat(tmp_path / "comparison.mat", simplify_cells=True)
    with h5py.File(tmp_path / "comparison.h5") as file:
        for case, field in zip(found.runs, ("slow__2_Hz", "slow__2_Hz_2"), strict=True):
            assert np.array_equal(file[case]["force"], found.run(case)["force"])
            assert np.array_equal(mat[field]["force"], found.run(case)["force"])
    for ending in ("parquet", "mat", "h5", "mcap"):
        assert (tmp_path / "slow, 2 Hz" / f"results.{ending}").exists()


def test_names_are_such_as_matlab_takes(tmp_path):
    names = ["end", "1st", "ä", "units", "x" * 70, "x" * 71]
    write_mat(Group({name: Labelled(np.array([1.0])) for name in names}), tmp_path / "a.mat")
    there = [name for name in loadmat(tmp_path / "a.mat") if not name.startswith("__")]
    long = ["x" * 63, "x" * 61 + "_2"]
    assert there[:6] == ["x_end", "x_1st", "x__", "units_2", *long]


def test_a_variable_that_is_too_large_for_a_mat_file_is_refused(tmp_path):
    many = np.broadcast_to(0.0, (2**28,))
    with pytest.raises(gough.GoughError, match=r"long.mat: force has 2.15e\+09 bytes.*or hdf5"):
        write_mat(Group({"force": Labelled(many)}), tmp_path / "long.mat")
    assert not list(tmp_path.iterdir())


def test_without_h5py_a_study_says_what_is_missing_before_it_runs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(gough.GoughError, match=r'h5py; expected .*pip install .*\[data\]"'):
        to_folder(study(samples=21, outputs=BOTH), tmp_path)
    with pytest.raises(gough.GoughError, match="h5py"):
        write_hdf5(Group(), tmp_path / "a.h5")


def test_a_file_of_the_user_stays(tmp_path):
    (tmp_path / "results.mat").write_text("mine")
    with pytest.raises(gough.GoughError, match=r"results.mat is in the way"):
        to_folder(study(samples=21, outputs=BOTH), tmp_path, overwrite=True)
    assert (tmp_path / "results.mat").read_text() == "mine"
