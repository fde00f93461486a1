"""Natural frequencies along a study: the same as those of each pose by itself."""

import numpy as np
import pytest

import gough

STUDY = {
    "schema": "gough-study/1",
    "name": "swinging",
    "rate": 10,
    "outputs": {"quantities": ["vibration"]},
    "motion": {"kind": "line", "displacement": [0.1, 0, 0.05], "duration": 1},
    "tasks": [
        {"kind": "constant", "force": [200, 0, -300]},
        {"kind": "payload", "mass": 40, "active": [0, 0.45]},
    ],
}


@pytest.fixture
def hexapod(tmp_path):
    """Without connectors: it has six modes."""
    path = tmp_path / "hexapod.toml"
    gough.save(gough.load("demo-hexapod").replace({"leg.connector": None}), path)
    return str(path)


def test_a_study_tells_the_lowest_frequencies_and_the_least_of_them(hexapod):
    results = gough.run(STUDY | {"robot": hexapod})
    found = results["natural_frequency"]
    assert found.shape == (11, 6)
    alone = gough.load(hexapod)
    modes = gough.natural_modes(alone, results["pose"][5:], wrench=results["wrench"][5:])
    np.testing.assert_allclose(found[5:], modes.frequencies, rtol=1e-9)
    lowest = results.summary["first_natural_frequency"]
    assert (lowest.value, lowest.unit) == (found[:, 0].min(), "Hz")
    assert lowest.time < 0.45  # with the payload


def test_the_first_frequency_is_a_figure_of_grids(hexapod):
    masses = {"name": "mass", "parameter": "tasks[1].mass", "values": [0, 40]}
    grid = gough.run(STUDY | {"robot": hexapod, "variations": [masses]})
    light, heavy = grid["first_natural_frequency"]
    assert heavy < light
    assert grid.figure("first_natural_frequency").unit == "Hz"


def test_a_machine_of_any_kind_has_as_many_as_freedoms(tmp_path):
    arms = gough.load("planar-3rrr").to_dict()
    for joint in arms["joints"]:
        if joint.get("driven"):
            joint["stiffness"] = 500.0
    gough.save(gough.Robot.from_dict(arms), tmp_path / "arms.toml")
    motion = {"kind": "line", "displacement": [0.02, 0.01, 0], "duration": 1}
    study = STUDY | {"robot": str(tmp_path / "arms.toml"), "motion": motion, "tasks": []}
    results = gough.run(study)
    modes = gough.natural_modes(results.robot, results["pose"])
    np.testing.assert_allclose(results["natural_frequency"], modes.frequencies, rtol=1e-9)
    assert results.quantities["natural_frequency"].columns[-1] == "natural_frequency_3 [Hz]"
    np.testing.assert_allclose(modes.displacements[..., [0, 1, 5]], modes.shapes, rtol=1e-12)


def test_rigid_machines_have_none():
    motion = {"kind": "line", "displacement": [0, 0, 0.1], "duration": 1}
    results = gough.run(STUDY | {"robot": "kalani-2016", "motion": motion, "tasks": []})
    with pytest.raises(gough.GoughError, match="no quantity 'natural_frequency'"):
        results["natural_frequency"]
