"""Reports of machines that are no hexapods: pictures, names, units, tables by joint."""

import re

import numpy as np
import pytest
from drawn_machines import MACHINES
from report_samples import payload, unpack

from gough.report.charts import series_of
from gough.report.study_page import study_page
from gough.robot import load
from gough.studies.run import run

LIFT = {"kind": "line", "displacement": [0.03, 0.02, 0.05], "duration": 1}
SWING = {"kind": "line", "displacement": [0.02, 0.03, 0], "duration": 1}
STUDIES = {"delta": LIFT, "orthoglide": LIFT, "planar-3rrr": SWING}


def study(robot, motion):
    given = robot if isinstance(robot, str) else robot.to_dict()
    return {
        "schema": "gough-study/1",
        "name": "any machine",
        "robot": given,
        "samples": 41,
        "motion": motion,
    }


@pytest.fixture(scope="module", params=STUDIES)
def shown(request):
    found = run(study(request.param, STUDIES[request.param]))
    return found, study_page(found)


def points_over_time(machine):
    """(T, k, 3) all points of a page's machine, as its scripts find them."""
    pose, moving = unpack(machine["pose"]).T, unpack(machine["moving"])
    base = np.broadcast_to(machine["base"], (len(pose), *np.shape(machine["base"])))
    turn = np.array([_rotation(q) for q in pose[:, 3:]])
    held = pose[:, None, :3] + np.einsum("tij,kj->tki", turn, np.array(machine["platform"]))
    return np.concatenate([base, held, moving.T.reshape(len(pose), -1, 3)], axis=1)


def _rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_rods_and_arms_keep_their_lengths_on_the_page(shown):
    found, text = shown
    machine = payload(text)["machine"]
    points = points_over_time(machine)
    bodies = {body.name for body in found.robot.bodies}
    rigid = [bar for bar in machine["bars"] if bar["body"] in bodies and not bar["sleeve"]]
    assert len(rigid) >= 6
    for bar in rigid:
        lengths = np.linalg.norm(points[:, bar["end"]] - points[:, bar["start"]], axis=-1)
        np.testing.assert_allclose(lengths, lengths[0], atol=5e-5)


def test_rods_of_a_delta_are_as_long_as_its_file_says():
    found = run(study("delta", LIFT))
    machine = payload(study_page(found))["machine"]
    points = points_over_time(machine)[7]
    lengths = {
        bar["body"]: np.linalg.norm(points[bar["end"]] - points[bar["start"]])
        for bar in machine["bars"]
    }
    assert [lengths[f"rod-{leg}{side}"] for leg in "123" for side in "ab"] == pytest.approx(
        [1.244] * 6, abs=5e-5
    )


def test_actuators_have_their_names_and_units(shown):
    found, text = shown
    data = payload(text)
    names = [actuator.name for actuator in found.robot.actuators]
    machine = data["machine"]
    assert [actuator["name"] for actuator in machine["actuators"]] == names
    assert [label["text"] for label in machine["labels"]] == names
    turns = found.robot.actuators[0].turns
    assert [scale["unit"] for scale in machine["scales"]] == ["N\u202fm" if turns else "N"]
    assert [chart["quantity"] for chart in data["beside"]] == ["force", "actuator_position"]
    assert all(chart["kind"] == "legs" for chart in data["beside"])
    assert data["quantities"]["actuator_position"]["unit"] == ("deg" if turns else "m")
    assert "Leg" not in re.sub(r"<pre>.*?</pre>", "", text.partition("<script")[0])


def test_figures_of_joints_stand_in_rows_of_joints():
    robot = load("delta")
    text = study_page(run(study("delta", LIFT)))
    start = text.index("Positions, speeds and joints, by joint")
    table = text[start : text.index("</table>", start)]
    rows = re.findall(r'<th scope="row">(.*?)</th>', table)
    assert rows[:-2] == [joint.name for joint in robot.joints if joint.type == "S"]


def test_charts_of_joints_that_turn_and_slide_have_their_unit_once():
    found = series_of(run(study("demo-hexapod", LIFT)))
    titles = {one.title for one in found.values()}
    assert {"Joint position", "Joint speed", "Joint acceleration"} <= titles


def test_the_page_of_a_machine_opens_and_plays(shown, opened):
    found, text = shown
    names = [actuator.name for actuator in found.robot.actuators]
    p = opened("", text)
    assert p.texts(".force-cell span") == names
    assert p.texts(".legs-shown .legend-entry span") == names
    before = p.pixels("#scene canvas")
    p.slide(".track input", 700)
    assert p.pixels("#scene canvas") != before
    drawn = [d["text"] for d in p.drawings("#scene canvas")[0] if d["kind"] == "text"]
    assert drawn == ["x", "y", "z", *names]


@pytest.mark.parametrize("name", ["five-bar", "tricept"])
def test_machines_with_odd_platforms_have_a_scene(name):
    found = run(study(MACHINES[name](1), {"kind": "hold", "duration": 1}))
    scene = payload(study_page(found))["machine"]
    assert scene["plates"]["platform"] is None
    assert any(bar["body"] == "platform" for bar in scene["bars"])
    assert len(scene["labels"]) == len(found.robot.actuators)
