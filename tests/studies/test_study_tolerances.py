"""The group of tolerances in studies: columns along the motion, figures, and what is refused."""

import numpy as np
import pytest

import gough

STUDY = {
    "schema": "gough-study/1",
    "name": "tolerated",
    "robot": "demo-hexapod",
    "samples": 5,
    "motion": {
        "kind": "line",
        "start": {"position": [0.0, 0.0, 0.95]},
        "displacement": [0.2, 0.1, 0.05],
        "duration": 1.0,
    },
    "outputs": {"quantities": ["tolerances", "motion"]},
    "tolerances": {"legs[*].length_offset": "50 um", "platform.mass": "1 %"},
}


def test_poses_and_forces_spread_along_the_motion():
    results = gough.run(STUDY)
    expected = gough.tolerances(
        gough.load("demo-hexapod"),
        results["pose"],
        STUDY["tolerances"],
        twist=results["twist"],
        acceleration=results["acceleration"],
    )
    np.testing.assert_allclose(results["pose_deviation"], expected.pose_deviation, rtol=1e-9)
    np.testing.assert_allclose(results["force_deviation"], expected.force_deviation, rtol=1e-9)
    assert results.summary["maximum_pose_deviation"].value == pytest.approx(
        expected.position_error.max()
    )
    angle = results.summary["maximum_pose_deviation_angle"].value
    assert angle == pytest.approx(expected.orientation_error.max())
    assert results.summary["maximum_force_deviation"].value == pytest.approx(
        expected.force_deviation.max()
    )
    assert "pose_deviation_rx [rad]" in results.columns()


def test_without_tolerances_there_is_no_spread_and_a_warning():
    results = gough.run({key: STUDY[key] for key in STUDY if key != "tolerances"})
    assert "pose_deviation" not in results.quantities
    assert (
        "there are no deviations of poses and forces: the study has no [tolerances]"
        in results.warnings
    )


def test_a_number_that_the_robot_has_not_is_refused():
    wrong = STUDY | {"tolerances": {"legs[*].lenght_offset": "50 um"}}
    with pytest.raises(gough.GoughError, match=r"did you mean legs\[\d\].length_offset"):
        gough.Study.from_dict(wrong)
    wrong = STUDY | {"tolerances": {"platform.mass": "1 mm"}}
    with pytest.raises(gough.GoughError, match=r'tolerances\.platform\.mass: "1 mm" is a length'):
        gough.Study.from_dict(wrong)
