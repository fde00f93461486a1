"""Stiffness along a study: what its quantities and figures are."""

import numpy as np
import pytest
from leg_files import a_delta
from robot_samples import edited

import gough
from gough.elastic.kernels import holding_kernel

STUDY = {
    "schema": "gough-study/1",
    "name": "pushed",
    "robot": "demo-hexapod",
    "rate": 20,
    "outputs": {"quantities": ["stiffness", "wrench"]},
    "motion": {"kind": "line", "displacement": [0.1, 0, 0.05], "duration": 1},
    "tasks": [{"kind": "constant", "force": [200, 0, -300]}],
}


def test_a_study_tells_how_the_platform_yields():
    results = gough.run(gough.Study.from_dict(STUDY))
    model = gough.Model(results.robot)
    pose, wrench = results["pose"], results["wrench"]
    held = holding_kernel(model.machines)(pose)
    C = model.compliance(pose, held)
    expected = np.einsum("kij,kj->ki", C, wrench)
    np.testing.assert_allclose(results["task_deflection"], expected, rtol=1e-9)
    minimum = 1 / np.linalg.eigvalsh((C + np.swapaxes(C, 1, 2))[:, :3, :3] / 2)[:, -1]
    np.testing.assert_allclose(results["minimum_stiffness"], minimum, rtol=1e-9)
    way = np.linalg.norm(expected[:, :3], axis=1)
    assert results.summary["peak_task_deflection"].value == pytest.approx(way.max())
    assert results.summary["minimum_stiffness"].value == pytest.approx(minimum.min())
    assert results.summary["minimum_rotational_stiffness"].unit == "N m/rad"


def test_a_rigid_machine_has_no_such_quantities():
    study = STUDY | {
        "robot": "kalani-2016",
        "motion": {"kind": "line", "displacement": [0, 0, 0.1], "duration": 1},
    }
    results = gough.run(gough.Study.from_dict(study))
    with pytest.raises(gough.GoughError, match="no quantity 'task_deflection'"):
        results["task_deflection"]


@pytest.mark.parametrize("bending", [False, True])
def test_a_machine_of_any_kind_yields_along_its_freedoms_or_in_all_ways(bending, tmp_path):
    """A Delta of rigid links does not turn; where its arms bend it does."""
    delta = edited("leg.motor", {"stiffness": 1e4}, a_delta())
    if bending:
        delta["leg"]["links"][0]["beam"] = {"diameter": "30 mm"}
    gough.save(gough.Robot.from_dict(delta), tmp_path / "delta.toml")
    study = STUDY | {
        "robot": str(tmp_path / "delta.toml"),
        "motion": {"kind": "line", "displacement": [0.1, 0, -0.05], "duration": 1},
    }
    results = gough.run(gough.Study.from_dict(study))
    deflection = gough.Model(results.robot).deflection(results["pose"], results["wrench"])
    np.testing.assert_allclose(results["task_deflection"], deflection, rtol=1e-9, atol=1e-18)
    assert (results["minimum_stiffness"] > 0).all()
    assert ("minimum_rotational_stiffness" in results.summary) == bending
    assert np.any(deflection[:, 3:]) == bending
